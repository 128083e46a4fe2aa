// The bounds of the archive of exchanges, each with its unit and its source.

/** Payloads that an archive knows again, some 300 bytes each. Ours: one that is forgotten is kept a second time. */
export const MAX_KNOWN_PAYLOADS = 100_000;
/**
 * Bytes at the beginning of a record in which its fields and the header section behind them end: both sections' own
 * limits, and a margin.
 */
export const MAX_RECORD_HEAD_BYTES = 1024 * 1024;
/**
 * Bytes of a record up to which it is compressed where it is: some 50 µs. Measured: another thread costs as much by
 * itself.
 */
export const SMALL_RECORD_BYTES = 8_192;
/** Characters of index lines that wait to be written; a kill loses them, and they are made anew. */
export const INDEX_BUFFER_CHARS = 65_536;
/** Bytes of records that are written in one go. */
export const ARCHIVE_WRITE_BYTES = 1024 * 1024;
/** Links of a page in its metadata record. Ours; the page itself holds all of them. */
export const MAX_OUTLINKS = 10_000;
