// The bounds of a published identity, each with its unit and its source.

export const MAX_DIRECTORY_KEYS = 16; // keys of one directory (identity 12)
/** Seconds that a published directory may be cached: a removed key is accepted for that long (identity 7). */
export const DIRECTORY_CACHE_SECONDS = 86_400;
/** Seconds for which the header files of a folder are valid: 30 days (identity 7, DECISION I12). */
export const FOLDER_SIGNATURE_SECONDS = 30 * 86_400;
export const MAX_FOLDER_ENTRIES = 10_000; // files that are searched for a private key before publishing (our own)
// Directories that are fetched to verify requests (identity 12, DECISION I15).
export const DIRECTORY_TIMEOUT_MS = 5_000; // milliseconds from connecting to the last byte
export const MAX_DIRECTORY_BYTES = 65_536; // bytes of a directory
export const MIN_DIRECTORY_CACHE_SECONDS = 60; // until a directory is fetched again, even after a failure (our own)
export const MAX_KNOWN_DIRECTORIES = 10_000; // directories that are remembered (our own)
/** Milliseconds between two steps of a rotation: two lifetimes of caches, and the longest signature (identity 7). */
export const ROTATION_WAIT_MS = (2 * DIRECTORY_CACHE_SECONDS + 300) * 1_000;
export const ROTATION_CACHE_SECONDS = 3_600; // the same while two keys are listed (identity 7)
export const MAX_ADDRESS_LIST_AGE_MS = 86_400_000; // the largest age of a list of addresses, milliseconds (identity 9)
export const MAX_NAMED_ADDRESSES = 256; // addresses whose names are looked up by one check (our own)
