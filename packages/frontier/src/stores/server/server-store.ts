// The shell of a store on a server: opened once, refused in the contract's words before and after, its bounds checked before
// anything is sent. What is sent, and to whom, is the adapter's.

import { FrontierError } from '../../errors.js';
import { RECORD_MAX_BYTES, STORE_BODY_MAX_BYTES } from '../../limits.js';
import type {
  AddOutcome,
  CommitAnswer,
  FrontierStore,
  HostCommit,
  LeaseRequest,
  NewEntry,
  OpenRequest,
  ReserveSlot,
  StoreCapabilities,
} from '../../store.js';
import { checkBatch, checkBytes, checkCommits } from '../size-checks.js';
import { asFailure } from './failures.js';
import type { ServerSettings } from './server-options.js';

/** Entries of one `add` or links of one commit: a server may do it in one step, and nobody else is answered meanwhile. */
const BATCH_MAX = 1_024;

/** What survives. */
export type Durability = StoreCapabilities['durable'];

/** The verbs of an opened crawl, with arguments that were checked. */
export interface ServerQueues
  extends Pick<FrontierStore, 'lease' | 'wake' | 'nextDueInMs' | 'readRecord' | 'writeRecord' | 'stats' | 'scan'>,
    Required<Pick<FrontierStore, 'reserve' | 'readHost'>> {
  commit(hosts: readonly HostCommit[], links: readonly NewEntry[]): Promise<CommitAnswer>;
}

/** What one kind of server has of its own. */
export interface ServerAdapter {
  readonly settings: ServerSettings;
  /** Told where its settings promise nothing. */
  readonly weakness: string;
  /** Looks at the server, claims the crawl. After a refusal it may be called again. */
  open(request: OpenRequest): Promise<{ readonly queues: ServerQueues; readonly durable: Durability }>;
  /** What waits is not sent again. The client stays open. */
  close(): void;
}

/** A store that is remembered elsewhere; any number of processes may have one each. */
export class ServerStore implements FrontierStore {
  /** One object for good: `durable` is read from the server at open. */
  readonly capabilities: StoreCapabilities;
  readonly #adapter: ServerAdapter;
  #queues: ServerQueues | null = null;
  #durable: Durability = 'none';
  #isOpening = false;
  #isClosed = false;

  constructor(adapter: ServerAdapter) {
    this.#adapter = adapter;
    const durable = () => this.#durable;
    this.capabilities = Object.freeze({
      shared: true,
      get durable() {
        return durable();
      },
      exactCounts: true,
      maxBody: STORE_BODY_MAX_BYTES,
      maxBatch: BATCH_MAX,
      fingerprintBytes: 8,
    });
  }

  async open(request: OpenRequest): Promise<void> {
    if (this.#isClosed) throw new FrontierError('closed', 'this store was closed; make another one');
    if (this.#isOpening) throw new FrontierError('option-invalid', 'this store is open already');
    this.#isOpening = true;
    const { settings, weakness } = this.#adapter;
    try {
      const { queues, durable } = await this.#adapter.open(request);
      this.#queues = queues;
      this.#durable = durable;
    } catch (error) {
      this.#isOpening = false;
      throw asFailure(`${settings.server} cannot be used`, error);
    }
    if (this.#durable === 'none') settings.onNotice({ kind: 'weak-durability', message: weakness });
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
    checkBatch(links, this.capabilities);
    checkCommits(hosts, this.capabilities);
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
    if (value !== null) checkBytes('record', value, RECORD_MAX_BYTES);
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
    this.#adapter.close();
  }

  #open(): ServerQueues {
    if (this.#queues !== null) return this.#queues;
    if (this.#isClosed) throw new FrontierError('closed', 'the store is closed');
    throw new FrontierError('not-open', 'the store was not opened');
  }
}
