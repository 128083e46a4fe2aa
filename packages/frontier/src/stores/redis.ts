// The store on Redis: as many processes on as many machines as one likes. Every verb is one script on one shard, so it is one
// atom there; the scripts are in `redis/lua-*.ts`. A commit whose links lie in other shards adds those first (C5).

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
import { Connection, failed, messageOf } from './redis/connection.js';
import { claimCrawl } from './redis/crawl-name.js';
import { RedisQueues } from './redis/queues.js';
import { type Durability, readDurability, WEAK_DURABILITY, weakestOf } from './redis/server-settings.js';
import { shardBase, shardOf } from './redis/shards.js';
import { type RedisSettings, type RedisStoreOptions, resolveRedisOptions } from './redis/store-options.js';
import { checkBatch, checkOctets } from './size-checks.js';

/** Entries of one `add` or links of one commit: a script is one step, and nobody else is answered meanwhile. */
const BATCH_MAX = 1_024;

export type { RedisClient } from './redis/client.js';
export type { RedisNotice, RedisStoreOptions } from './redis/store-options.js';

/**
 * A store on a Redis server, 7 or newer, or a Redis Cluster.
 *
 * `caps.durable` is known after `open`, from the server's settings: `none` without an append-only file, `process` with one,
 * `power` with `appendfsync always`. While the server cannot be reached, verbs wait for it, up to `holdMs`. After a restart
 * or a failover of the server no host is granted before the longest lease has ended and the host's delay has passed.
 *
 * @param options - The client is the caller's, who closes it after the store.
 * @returns A store that was not opened yet.
 * @throws FrontierError `option-invalid`; `open` rejects with `store-mismatch` for keys of another crawl, identity or format, for a
 * server that may evict keys and for one that is too old, and every verb with `store-failed` where the server refuses or stays away.
 * @example const store = redisStore({ client: new Redis('redis://localhost'), prefix: 'docs' })
 */
export function redisStore(options: RedisStoreOptions): FrontierStore {
  return new RedisStore(resolveRedisOptions(options));
}

class RedisStore implements FrontierStore {
  /** One object for good: `durable` is read from the server at open. */
  readonly caps: StoreCaps;
  readonly #settings: RedisSettings;
  readonly #connection: Connection;
  #queues: RedisQueues | null = null;
  #shards = 1;
  #durable: Durability = 'none';
  #isOpening = false;
  #isClosed = false;

  constructor(settings: RedisSettings) {
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
    const { prefix, identity, shards, maxQueued, nowMs, onNotice } = this.#settings;
    try {
      // The first shard's server is asked before anything is written to it.
      const first = await readDurability(connection, shardBase(prefix, 0));
      const kept = await claimCrawl(connection, { prefix, crawl, identity, create, shards });
      const others = Array.from({ length: kept - 1 }, (_, at) => readDurability(connection, shardBase(prefix, at + 1)));
      this.#durable = weakestOf([first, ...(await Promise.all(others))]);
      this.#shards = kept;
      this.#queues = new RedisQueues({ connection, prefix, shards: kept, maxQueued, nowMs });
    } catch (error) {
      this.#isOpening = false;
      throw error instanceof FrontierError ? error : failed(`Redis cannot be used: ${messageOf(error)}`, error);
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

  async readRecord(key: string): Promise<Uint8Array | null> {
    const octets = await this.#command('GET', [this.#recordKey(key)]);
    return Buffer.isBuffer(octets) ? new Uint8Array(octets) : null;
  }

  async writeRecord(key: string, value: Uint8Array | null): Promise<void> {
    const name = this.#recordKey(key);
    if (value === null) {
      await this.#command('DEL', [name]);
      return;
    }
    checkOctets('record', value, RECORD_MAX_BYTES);
    await this.#command('SET', [name, Buffer.from(value.buffer, value.byteOffset, value.byteLength)]);
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

  #recordKey(key: string): string {
    this.#open();
    return `${shardBase(this.#settings.prefix, shardOf(key, this.#shards))}r${key}`;
  }

  async #command(name: string, words: (string | Buffer)[]): Promise<unknown> {
    try {
      return await this.#connection.call(name, words);
    } catch (cause) {
      throw cause instanceof FrontierError ? cause : failed(`Redis refused ${name}: ${messageOf(cause)}`, cause);
    }
  }

  #open(): RedisQueues {
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
