// The bounds of URLs, each with its unit and its source.

/** Bytes of a fingerprint (storage contract). */
export const FINGERPRINT_BYTES = 8;
