// The bounds of what a failed check prints, each with its unit (our own).

/** Items of a list that is printed whole. */
export const MAX_LISTED_WHOLE = 12;
/** Items that are named of those in which two longer lists differ. */
export const MAX_NAMED_ITEMS = 10;
