// The bounds of the archive of exchanges, each with its unit and its source.

/** Payloads that an archive recognizes, some 300 bytes each. Ours: a forgotten one is stored a second time. */
export const MAX_KNOWN_PAYLOADS = 100_000;
/** Bytes at the beginning of a record that contain its fields and header section: their limits, and a margin. */
export const MAX_RECORD_HEAD_BYTES = 1024 * 1024;
/**
 * Bytes of a block that is read back as a whole: a browser's document of 50,000,000 characters with four bytes each is
 * the longest that is written.
 */
export const MAX_BLOCK_BYTES = 200_000_000;
/** Bytes up to which a record is compressed in this thread: some 50 µs. Measured: another thread costs as much. */
export const SMALL_RECORD_BYTES = 8_192;
/** Responses of one WARC file, some 400 bytes of index each, in memory until the file is complete. Ours. */
export const MAX_INDEXED_RECORDS = 100_000;
export const ARCHIVE_WRITE_BYTES = 1024 * 1024; // bytes of records that are written at a time
export const MAX_OUTLINKS = 10_000; // links of a page in its metadata record. Ours; the page itself holds all of them
/** Compressed bytes of a record that contain its fields, without its URLs. Ours: some 600 bytes before compression. */
export const RECORD_START_BYTES = 4_096;
/** Decoded bytes of a page that a run may have kept. Source: the range of `network.maxBodyBytes`. */
export const MAX_KEPT_BODY_BYTES = 1024 * 1024 * 1024;
