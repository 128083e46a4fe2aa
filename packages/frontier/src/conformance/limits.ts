// The bounds of what a failed check prints, each with its unit (our own).

/** The most items of a list that is printed completely. */
export const MAX_LISTED_WHOLE = 12;
/** The most differing items of two longer lists that are named. */
export const MAX_NAMED_ITEMS = 10;
