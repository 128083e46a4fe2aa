// The bounds of sinks on servers, each with its unit and its source.

export const MAX_TRANSACTION_ROWS = 2_000; // items of one transaction; a page with more is also one transaction. Ours
export const INSERT_RETRIES = 8; // attempts of a statement after the first: four minutes, as for requests. Ours
export const ATTEMPTS_BEFORE_WARNING = 3; // attempts of a request before the operator is told. Ours
/** Wait before the second attempt of a request or a statement, milliseconds; doubled with each further one. Ours. */
export const FIRST_RETRY_MS = 1_000;
/** The longest wait before an attempt, milliseconds: if a server requires more, the request has failed. Ours. */
export const MAX_RETRY_MS = 600_000;
/** Characters of the items of one request or object, as JSON; a larger item is sent alone. Ours. */
export const MAX_BODY_CHARS = 8 * 1024 * 1024;
export const MAX_ANSWER_CHARS = 65_536; // characters read of an answer that only confirms. Ours
/** Characters of an object of items: those of one body, and of the longest item. */
export const MAX_OBJECT_CHARS = 64 * 1024 * 1024;
/** Characters of one page of a listing: a thousand keys of 1,024 bytes, escaped, with their properties. */
export const MAX_LISTING_CHARS = 16 * 1024 * 1024;
/** Bytes of one part of a large file, in memory while it is sent; a store accepts 5 MiB to 5 GiB. Ours. */
export const S3_PART_BYTES = 16 * 1024 * 1024;
export const MAX_S3_PARTS = 10_000; // parts of one object. S3's
export const MAX_CONCURRENT_READS = 4; // objects of items that are read at a time when a sink is opened. Ours
