// What stores on a server have in common: their options, a durability that is known only after the server's settings
// are read, and short names of lanes.

import { createHash } from 'node:crypto';
import { FrontierError } from '../../errors.js';
import { MAX_STORE_BODY_BYTES } from '../../limits.js';
import { oneOf, wholeIn } from '../../option-value.js';
import type { FrontierStore, OpenRequest, StoreCapabilities } from '../../store.js';
import {
  checkedStore,
  resolveSharedOptions,
  type SharedOptions,
  type StoreQueues,
  toFailure,
} from '../checked-store.js';

/** The most entries of one `add`, or links of one commit: a server may answer no other client meanwhile. */
const MAX_BATCH = 1_024;

export type Durability = StoreCapabilities['durable'];

export interface ServerAdapter {
  readonly options: ResolvedServerOptions;
  /** The message for server settings that guarantee nothing. */
  readonly weakness: string;
  /** Reads the server's settings and claims the crawl. It may be called again after a failure. */
  open(request: OpenRequest): Promise<{ readonly queues: StoreQueues; readonly durable: Durability }>;
  /** Calls that wait are not sent again. The client stays open. */
  close(): void;
}

/**
 * Returns a store that is not open yet. Its capabilities stay one object; `durable` is read from the server at open.
 */
export function serverStore({ options, weakness, open, close }: ServerAdapter): FrontierStore {
  let known: Durability = 'none';
  const capabilities: StoreCapabilities = Object.freeze({
    shared: true,
    get durable() {
      return known;
    },
    maxBody: MAX_STORE_BODY_BYTES,
    maxBatch: MAX_BATCH,
  });
  const openQueues = async (request: OpenRequest) => {
    const { queues, durable } = await open(request).catch((error: unknown) => {
      throw toFailure(`${options.server} cannot be used`, error);
    });
    known = durable;
    if (durable === 'none') options.onNotice({ kind: 'weak-durability', message: weakness });
    return queues;
  };
  return checkedStore({ capabilities, open: openQueues, close });
}

/** Milliseconds without a server until the store has failed: a restart or a failover takes less. */
const DEFAULT_HOLD_MS = 900_000;
const MAX_HOLD_MS = 86_400_000;

/** What a store on a server reports besides its answers. */
export interface ServerNotice {
  /**
   * `weak-durability`: a crash of the server loses data. `holding`: the crawl waits. `resumed`: it continues.
   * `rolled-back`: a different server answers, which may have forgotten what was confirmed last.
   */
  readonly kind: 'weak-durability' | 'holding' | 'resumed' | 'rolled-back';
  readonly message: string;
}

/**
 * Settings of the server under which a fault breaks the crawl's guarantees. `split-brain`: Redis has replicas and
 * accepts writes without them (`min-replicas-to-write 0`), so after a fail-over two servers may grant the same hosts.
 * `fsync-off`: PostgreSQL does not sync to disk, so a power cut corrupts its tables.
 */
export type UnsafeSetting = 'split-brain' | 'fsync-off';

const UNSAFE_SETTINGS: readonly UnsafeSetting[] = ['split-brain', 'fsync-off'];

/** Options of every store on a server. */
export interface ServerStoreOptions extends SharedOptions {
  /** Settings of the server that are refused at open unless they are named here. @default none */
  readonly allowUnsafe?: readonly UnsafeSetting[];
  /**
   * Milliseconds for which a server that does not answer is tried again before the store fails; at most ten seconds if
   * it has never answered, not even that it is starting. The client's own handling of a lost connection comes first.
   * @default 900,000; 0 to 86,400,000
   */
  readonly holdMs?: number;
  /**
   * When aborted, it ends the wait for a server that does not answer. An example is the second parameter of the crawler
   * option `store`. Calls to a server that answers are not affected.
   * @default `holdMs` alone
   */
  readonly signal?: AbortSignal;
  /** Called with what an operator should know. @default emits a warning of the process */
  readonly onNotice?: (notice: ServerNotice) => void;
  /**
   * The clock that the server's clock is compared with, milliseconds from any start; for tests.
   * @default the process's own, and none with `nowMs`
   */
  readonly monotonicMs?: () => number;
}

export type ResolvedServerOptions = ReturnType<typeof resolveServerOptions>;

/**
 * `own`: options that only this kind of store has.
 * @throws FrontierError `option-invalid`, also for an unknown option.
 */
export function resolveServerOptions(server: string, options: ServerStoreOptions, ownOptions: readonly string[]) {
  const { holdMs = DEFAULT_HOLD_MS, onNotice = warn, allowUnsafe = [] } = options;
  return {
    ...resolveSharedOptions(options, ['holdMs', 'onNotice', 'allowUnsafe', 'monotonicMs', 'signal', ...ownOptions]),
    monotonicMs: options.monotonicMs ?? (options.nowMs === undefined ? () => performance.now() : null),
    allowUnsafe: allowUnsafe.map((one) => oneOf('allowUnsafe', one, UNSAFE_SETTINGS)),
    server,
    onNotice,
    signal: options.signal,
    holdMs: wholeIn('holdMs', holdMs, 0, MAX_HOLD_MS),
  };
}

function warn({ message }: ServerNotice): void {
  process.emitWarning(message, 'MannerlyStoreWarning');
}

/** @throws FrontierError `store-mismatch`, unless the option allows the setting. */
export function refuseUnsafe(
  allowed: readonly UnsafeSetting[],
  setting: UnsafeSetting,
  { message, hint }: { readonly message: string; readonly hint: string },
): void {
  if (allowed.includes(setting)) return;
  throw new FrontierError('store-mismatch', message, {
    hint: `${hint} To accept the risk: \`allowUnsafe: ['${setting}']\`, in a URL \`?unsafe=${setting}\`.`,
  });
}

/** What to do if a server has lost all data of a crawl that was worked on. */
export const LOST_CRAWL_HINT = 'Restore the data of the server. To start over, take a new crawl directory.';

/** @param location - `in the schema docs`. @returns The `store-mismatch` for a crawl that is not created. */
export function absentCrawlError(crawl: string, location: string): FrontierError {
  const message = `no crawl ${JSON.stringify(crawl)} ${location}`;
  return new FrontierError('store-mismatch', message, { hint: LOST_CRAWL_HINT });
}

/** A duration in the unit of servers, rounded up. */
export function microseconds(ms: number): number {
  return Math.max(0, Math.ceil(ms * 1_000));
}

const MAX_CACHED_LANE_NAMES = 10_000;

export type LaneName<Name> = (lane: string | undefined) => Name;

/** Lane names by hash, remembered. `none`: the name of the host's own lane, which `nameOf` never returns. */
export function createLaneNames<Name>(none: Name, nameOf: (sha256: Buffer) => Name): LaneName<Name> {
  const names = new Map<string, Name>();
  return (lane) => {
    if (lane === undefined) return none;
    let name = names.get(lane);
    if (name === undefined) {
      name = nameOf(createHash('sha256').update(lane).digest());
      if (names.size >= MAX_CACHED_LANE_NAMES) names.clear();
      names.set(lane, name);
    }
    return name;
  };
}
