// The bound of what a failed check prints (our own).

/** The most characters of a value that is printed whole. Of a longer one, half as many are. */
export const MAX_SHOWN_CHARS = 800;
