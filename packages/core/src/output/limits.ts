// The bounds of items and sinks, each with its unit and its source.

// Handlers and items
/**
 * Item ids a sink surely remembers for telling repetitions; 64 bytes each. Far more than pages can be in flight at a
 * crash.
 */
export const MAX_SINK_IDS = 2_000_000;
/** Bytes of an items file read at a time when it is opened. */
export const JSONL_READ_BYTES = 256 * 1024;
/** Bytes at the end of an items file that are looked at first when it is opened. */
export const JSONL_TAIL_BYTES = 1024 * 1024;
/** Pages whose items are read at the end of an items file: almost four times as many as can be in flight at a crash. */
export const JSONL_TAIL_PAGES = 4_096;
/** Bytes at the beginning of a line in which its id stands: a host name, an entry id and an index. */
export const MAX_LINE_HEAD_BYTES = 4_096;

// Several processes at one crawl (our own).
/** Bytes of a CSV file read at a time when it opens. */
export const CSV_READ_BYTES = 1024 * 1024;
/** Bytes of the row that names its columns. */
export const MAX_CSV_HEADER_BYTES = 1024 * 1024;

// Exports (our own).
/** Columns of a table of items; what else items have stands together in one. */
export const MAX_EXPORT_COLUMNS = 500;
/** Items that go into a CSV table at a time; the columns are those of the first piece. */
export const CSV_PIECE_ITEMS = 1_000;
/** Rows of one Parquet row group, and characters of their lines: a group is held in memory while it is written. */
export const PARQUET_GROUP_ROWS = 20_000;
export const PARQUET_GROUP_CHARS = 16 * 1024 * 1024;
/** Items whose ids are remembered while the files of several processes are joined; 64 bytes each at most. */
export const MAX_JOINED_IDS = 20_000_000;
