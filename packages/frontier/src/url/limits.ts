// The bounds of URLs, each with its unit and its source.

/** Bytes of a fingerprint (storage contract). */
export const FINGERPRINT_BYTES = 8;
/** Shortest fingerprint secret, characters: 64 bits as hexadecimal digits (our own). */
export const FINGERPRINT_SECRET_LEAST_CHARS = 16;
