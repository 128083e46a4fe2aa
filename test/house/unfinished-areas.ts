// Parts of the tree whose words and line lengths are not checked yet. The list only gets shorter.

/** Path prefixes from the root of the checkout. */
export const UNFINISHED: readonly string[] = [];
