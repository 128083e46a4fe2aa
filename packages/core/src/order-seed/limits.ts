// The bounds of crawls with an order seed, each with its unit and its source (all our own).

export const WAVE_BATCH_URLS = 1_000; // URLs of a wave that are added to the frontier with one call
/** Characters of URLs after which the next record begins; a record of a store may have a mebibyte. */
export const WAITING_RECORD_CHARS = 128 * 1024;
