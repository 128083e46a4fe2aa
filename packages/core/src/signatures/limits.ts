// The bounds of signatures, each with its unit and its source.

export const MAX_SIGNATURE_FIELD_CHARS = 8_192; // characters of a field that is read. One signature takes about 450
export const MAX_COVERED_COMPONENTS = 16; // components of one signature that is read
export const MAX_KEY_BYTES = 16_384; // bytes of a file or variable with a private key; an Ed25519 key takes 119
export const NONCE_BYTES = 64; // random bytes of a nonce (identity 3.3)
export const NONCE_BATCH = 64; // nonces whose random bytes are drawn together
/** Seconds by which `created` is set back: verifiers do not allow a clock that is ahead (identity 3.3). */
export const CREATED_BEFORE_SECONDS = 2;
export const MAX_ACCEPTED_SECONDS = 86_400; // longest lifetime of a signature that is accepted (the draft: a day)
export const MAX_REQUESTED_NONCE_CHARS = 256; // characters of a nonce that a site requests
export const MAX_PREFERENCE_AUTHORITIES = 1_000; // authorities whose preferences are kept for a run (identity 6)
/** Hosts compared with our clock before that counts (identity 3.3), at most, and milliseconds until one is again. */
export const CLOCK_HOSTS = { min: 5, max: 25, intervalMs: 10_000 } as const;
/** Milliseconds by which our clock may differ: a warning, and the end of the run (identity 3.3). */
export const CLOCK_WARN_MS = 10_000;
export const CLOCK_STOP_MS = 45_000; // signatures of a minute are refused from here on
