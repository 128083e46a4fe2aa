// The bounds of licences, each with its unit and its source.

/** Decoded bytes of a licence document (licensing §3). */
export const MAX_LICENSE_BYTES = 262_144;
/** `content` elements of a document (licensing §3). */
export const MAX_LICENSE_CONTENTS = 2_000;
/** `license` elements of one `content` (licensing §3). */
export const MAX_LICENSES_PER_CONTENT = 50;
/** Elements inside each other (licensing §3). */
export const MAX_LICENSE_DEPTH = 16;
/** Words of one list of `permits` or `prohibits` (licensing §3). */
export const MAX_LICENSE_TOKENS = 64;
/** Characters of a URL in a document (licensing §3). */
export const MAX_LICENSE_URL_CHARS = 2_048;
/** Characters kept of any other text of a document (ours). */
export const MAX_LICENSE_TEXT_CHARS = 500;
/** Attributes of one element (ours: RSL has four at most). */
export const MAX_LICENSE_ATTRIBUTES = 64;
/** Namespaces in force at one element (ours). */
export const MAX_LICENSE_NAMESPACES = 32;
/** Texts for people kept of a document (ours). */
export const MAX_LICENSE_REMARKS = 100;
/** Days for which a document is kept: without `max-age`, and at most (licensing §3, §4). */
export const LICENSE_DAYS = 30;
