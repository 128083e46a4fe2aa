// What `postgres-server.mjs` exports; it is plain JavaScript because benchmarks run it too.

/** Whether there is a PostgreSQL to try; `false`: suites are skipped by name, or fail where `CI` is set. */
export const HAS_POSTGRES: boolean;

/** Whether there is one with its client programs. */
export const HAS_PG_DUMP: boolean;

/** A server that is running. */
export interface PostgresForTest {
  readonly url: string;
  /** The folder of its data. */
  readonly folder: string;
  readonly pid: number;
  /** Ends it at once, as a crash would. */
  readonly kill: () => Promise<void>;
  /** Ends it in order. */
  readonly stop: () => Promise<void>;
  /** Starts it again on what its folder holds. */
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
 * A standby that hears of the server at `port`, and takes over by `SELECT pg_promote()`. The server, which was started
 * with `wal_level=replica`, is stopped for a moment.
 */
export function startStandby(primary: PostgresForTest, port: number): Promise<PostgresForTest>;

/** A backup of a server that goes on. `restore` starts another server on it; call it once. */
export function backUpPostgres(server: PostgresForTest): Promise<{ readonly restore: () => Promise<PostgresForTest> }>;

/** A server that can be dumped. */
export function startDumpable(): Promise<PostgresForTest>;

/** A dump of such a server, which goes on. `restore` reads it into another server; call it once. */
export function dumpPostgres(server: PostgresForTest): Promise<{ readonly restore: () => Promise<PostgresForTest> }>;

/** Makes the data that servers of this process and its children begin with. Returns what removes them. */
export function makeDataOnce(): () => void;

/** A server to share: `DATABASE_URL`, or one of our own. */
export function sharedPostgres(): Promise<Pick<PostgresForTest, 'url' | 'dispose'>>;
