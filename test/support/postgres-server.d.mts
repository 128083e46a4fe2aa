// Types of `postgres-server.mjs`, which is plain JavaScript because benchmarks run it too.

/** Whether there is a PostgreSQL to test with; `false`: suites are skipped by name, or fail if `CI` is set. */
export const HAS_POSTGRES: boolean;

/** Whether there is one with its client programs. */
export const HAS_PG_DUMP: boolean;

/** A running server. */
export interface PostgresForTest {
  readonly url: string;
  /** The folder of its data. */
  readonly folder: string;
  readonly pid: number;
  /** Kills it at once, like a crash. */
  readonly kill: () => Promise<void>;
  /** Stops it cleanly. */
  readonly stop: () => Promise<void>;
  /** Starts it again on the data in its folder. */
  readonly start: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

/**
 * A server for one test file.
 *
 * @param settings - Such as `synchronous_commit=off`.
 */
export function startPostgres(...settings: readonly string[]): Promise<PostgresForTest>;

/**
 * A standby that replicates from the server at `port`, and takes over by `SELECT pg_promote()`. The server, started
 * with `wal_level=replica`, is stopped for a moment.
 */
export function startStandby(primary: PostgresForTest, port: number): Promise<PostgresForTest>;

/** A backup of a running server. `restore` starts another server on it; call it once. */
export function backUpPostgres(server: PostgresForTest): Promise<{ readonly restore: () => Promise<PostgresForTest> }>;

/** A server that `pg_dump` can read. */
export function startDumpable(): Promise<PostgresForTest>;

/** A dump of such a server, which keeps running. `restore` reads it into another server; call it once. */
export function dumpPostgres(server: PostgresForTest): Promise<{ readonly restore: () => Promise<PostgresForTest> }>;

/** Makes the initial data for the servers of this process and its children. Returns a function that removes it. */
export function makeDataOnce(): () => void;

/** A shared server: `DATABASE_URL`, or one of our own. */
export function sharedPostgres(): Promise<Pick<PostgresForTest, 'url' | 'dispose'>>;
