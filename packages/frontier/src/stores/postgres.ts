// The store on PostgreSQL: as many processes on as many machines as one likes. Every verb is one call of one function of the
// crawl's schema, so it is one transaction and one round trip; the functions are in `postgres/sql-*.ts`.

import { FrontierError } from '../errors.js';
import { HOST_STATE_MAX_BYTES, RECORD_MAX_BYTES, STORE_BODY_MAX_BYTES } from '../limits.js';
import type {
  AddOutcome,
  FrontierStore,
  HostCommit,
  LeaseRequest,
  NewEntry,
  OpenRequest,
  ReserveSlot,
  StoreCaps,
} from '../store.js';
import { Connection, failed, messageOf } from './postgres/connection.js';
import { claimCrawl } from './postgres/crawl-name.js';
import { PostgresQueues } from './postgres/queues.js';
import { type Durability, readDurability, WEAK_DURABILITY } from './postgres/server-settings.js';
import { type PostgresSettings, type PostgresStoreOptions, resolvePostgresOptions } from './postgres/store-options.js';
import { checkBatch, checkOctets } from './size-checks.js';

/** Entries of one `add` or links of one commit. */
const BATCH_MAX = 1_024;

export type { PostgresPool, PostgresQuery } from './postgres/client.js';
export type { PostgresNotice, PostgresStoreOptions } from './postgres/store-options.js';

/**
 * A store on a PostgreSQL server, 13 or newer.
 *
 * `caps.durable` is known after `open`, from the server's settings: `none` with `synchronous_commit = off`, `process` with
 * `fsync = off`, else `power`. While the server cannot be reached, verbs wait for it, up to `holdMs`. After a restart or
 * a failover of the server no host is granted before the longest lease has ended and the host's delay has passed.
 *
 * @param options - The pool is the caller's, who ends it after the store.
 * @returns A store that was not opened yet.
 * @throws FrontierError `option-invalid`; `open` rejects with `store-mismatch` for tables of another crawl, identity or version and for a
 * server that is too old, and every verb with `store-failed` where the server refuses or stays away.
 * @example const store = postgresStore({ pool: new Pool({ connectionString: 'postgres://localhost' }), schema: 'docs' })
 */
export function postgresStore(options: PostgresStoreOptions): FrontierStore {
  return new PostgresStore(resolvePostgresOptions(options));
}

class PostgresStore implements FrontierStore {
  /** One object for good: `durable` is read from the server at open. */
  readonly caps: StoreCaps;
  readonly #settings: PostgresSettings;
  readonly #connection: Connection;
  #queues: PostgresQueues | null = null;
  #durable: Durability = 'none';
  #isOpening = false;
  #isClosed = false;

  constructor(settings: PostgresSettings) {
    this.#settings = settings;
    this.#connection = new Connection(settings);
    const durable = () => this.#durable;
    this.caps = Object.freeze({
      shared: true,
      get durable() {
        return durable();
      },
      exactCounts: true,
      maxBody: STORE_BODY_MAX_BYTES,
      maxBatch: BATCH_MAX,
      fpBytes: 8,
    });
  }

  async open({ crawl, create }: OpenRequest): Promise<void> {
    if (this.#isClosed) throw new FrontierError('closed', 'this store was closed; make another one');
    if (this.#isOpening) throw new FrontierError('option-invalid', 'this store is open already');
    this.#isOpening = true;
    const connection = this.#connection;
    const { schema, identity, maxQueued, nowMs, onNotice } = this.#settings;
    connection.open();
    try {
      this.#durable = await readDurability(connection);
      await claimCrawl(connection, { schema, crawl, identity, create });
      this.#queues = new PostgresQueues({ connection, schema, maxQueued, nowMs });
    } catch (error) {
      this.#isOpening = false;
      connection.close();
      throw error instanceof FrontierError ? error : failed(`PostgreSQL cannot be used: ${messageOf(error)}`, error);
    }
    if (this.#durable === 'none') onNotice({ kind: 'weak-durability', message: WEAK_DURABILITY });
  }

  async add(entries: readonly NewEntry[]): Promise<AddOutcome[]> {
    return (await this.commit([], entries)).links;
  }

  async lease(request: LeaseRequest) {
    return this.#open().lease(request);
  }

  async wake(host: string) {
    await this.#open().wake(host);
  }

  async commit(hosts: readonly HostCommit[], links: readonly NewEntry[] = []) {
    const queues = this.#open();
    checkBatch(links, this.caps);
    checkCommits(hosts, this.caps);
    return queues.commit(hosts, links);
  }

  async nextDueInMs() {
    return this.#open().nextDueInMs();
  }

  async readRecord(key: string) {
    return this.#open().readRecord(key);
  }

  async writeRecord(key: string, value: Uint8Array | null) {
    const queues = this.#open();
    if (value !== null) checkOctets('record', value, RECORD_MAX_BYTES);
    await queues.writeRecord(key, value);
  }

  async reserve(slots: readonly ReserveSlot[]) {
    return this.#open().reserve(slots);
  }

  async readHost(host: string) {
    return this.#open().readHost(host);
  }

  async stats() {
    return this.#open().stats();
  }

  async scan(cursor: string | null, limit: number, host?: string) {
    return this.#open().scan(cursor, limit, host);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#queues = null;
    this.#connection.close();
  }

  #open(): PostgresQueues {
    if (this.#queues !== null) return this.#queues;
    if (this.#isClosed) throw new FrontierError('closed', 'the store is closed');
    throw new FrontierError('not-open', 'the store was not opened');
  }
}

/** What can be refused is refused before anything changes (X3). */
function checkCommits(hosts: readonly HostCommit[], { maxBody }: StoreCaps): void {
  for (const { state, requeue } of hosts) {
    if (state !== undefined) checkOctets('host state', state, HOST_STATE_MAX_BYTES);
    for (const { body, band } of requeue ?? []) {
      if (body !== undefined) checkOctets('body', body, maxBody);
      if (band !== undefined && !(band >= 0 && band <= 7)) {
        throw new FrontierError('option-invalid', `expected a band from 0 to 7, got ${band}`);
      }
    }
  }
}
