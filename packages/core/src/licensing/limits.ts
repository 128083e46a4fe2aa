// The bounds of licences, each with its unit and its source.

export const MAX_LICENSE_BYTES = 262_144; // decoded bytes of a licence document (licensing §3)
export const MAX_LICENSE_CONTENTS = 2_000; // `content` elements of a document (licensing §3)
export const MAX_LICENSES_PER_CONTENT = 50; // `license` elements of one `content` (licensing §3)
export const MAX_LICENSE_DEPTH = 16; // elements inside each other (licensing §3)
export const MAX_LICENSE_TOKENS = 64; // words of one list of `permits` or `prohibits` (licensing §3)
export const MAX_LICENSE_URL_CHARS = 2_048; // characters of a URL in a document (licensing §3)
export const MAX_LICENSE_TEXT_CHARS = 500; // characters kept of any other text of a document (ours)
export const MAX_LICENSE_ATTRIBUTES = 64; // attributes of one element (ours: RSL has four at most)
export const MAX_LICENSE_NAMESPACES = 32; // namespaces in force at one element (ours)
export const MAX_LICENSE_REMARKS = 100; // texts for people kept of a document (ours)
export const MAX_LICENSE_DAYS = 30; // days for which a document is kept, also without `max-age` (licensing §3, §4)
export const MAX_LICENSES_PER_AUTHORITY = 20; // licence documents that one authority may have us request (licensing §4)
export const MAX_PAGE_LICENSES = 8; // licences that one response may name; more cannot be read (ours)
/** Documents kept in memory; the others are read from the store again (ours: most are a few kilobytes). */
export const MAX_LICENSES_IN_MEMORY = 100;
export const MAX_LICENSE_AUTHORITIES = 10_000; // authorities that are counted, and warnings given, in memory (ours)
/** Milliseconds until a page checks a document again: as long as its request has taken so far, within these (ours). */
export const LICENSE_POLL_MS = { min: 50, max: 1_000 } as const;
export const LICENSE_TURN_MS = 600_000; // longest wait of a document for its host's turn, milliseconds (ours)
/** Milliseconds until a document is requested again if its host has no turn, or if it keeps failing (ours). */
export const LICENSE_RETRY_MS = 3_600_000;
/** Milliseconds for which an unreadable document counts as such, as for a missing robots.txt (ours). */
export const LICENSE_UNREADABLE_MS = 86_400_000;
export const MAX_LICENSE_TOKEN_CHARS = 4_096; // characters of a licence token (ours)
/** Milliseconds before the end of a token when the operator is warned (ours: time to obtain another). */
export const LICENSE_TOKEN_ENDS_MS = 604_800_000;
