// The bounds of items and sinks, each with its unit and its source.

/** Item ids that a sink remembers at least, at most 32 bytes each. Far more than can be in flight at a crash. */
export const MAX_SINK_IDS = 2_000_000;
export const SINK_STOP_MS = 5_000; // milliseconds that a sink's write or close may go on after a stop at once. Ours
export const SINK_CLOSE_MS = 600_000; // milliseconds that a sink of a run may take to close. Ours
export const MAX_CONCURRENT_FILES = 4; // files of a run that sinks keep at the same time. Ours
export const ITEMS_READ_BYTES = 256 * 1024; // bytes of a file of items read at a time when it is opened
export const JSONL_TAIL_BYTES = 1024 * 1024; // bytes at the end of a JSONL file that are read first when it is opened
/** Pages whose items are read at the end of a JSONL file: almost four times as many as can be in flight at a crash. */
export const JSONL_TAIL_PAGES = 4_096;
/** Bytes at the beginning of a line or row that contain its id: a host name, an entry id and an index. */
export const MAX_ENTRY_HEAD_BYTES = 4_096;
/** The same for the first row, which names the columns of a CSV file. */
export const MAX_FIRST_ENTRY_HEAD_BYTES = 1024 * 1024;

// Exports (our own).
/** Characters of one line of a JSONL file: an item has at most 16 Mi. Longer lines are skipped. */
export const MAX_ITEM_LINE_CHARS = 32 * 1024 * 1024;
export const MAX_EXPORT_COLUMNS = 500; // columns of a Parquet file of items; other fields share one column
/** Items written to a CSV table at a time; the columns are those of the first piece. */
export const CSV_BATCH_ITEMS = 1_000;
/** Rows of one Parquet row group, and characters of their lines: a group is in memory while it is written. */
export const PARQUET_GROUP_ROWS = 20_000;
export const PARQUET_GROUP_CHARS = 16 * 1024 * 1024;
/** Items whose ids are remembered while the files of several processes are joined; at most 32 bytes each. */
export const MAX_JOINED_IDS = 20_000_000;
