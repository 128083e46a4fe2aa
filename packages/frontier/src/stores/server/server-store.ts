// A store on a server, as many processes as one likes: durability is known once the server's settings are.

import { STORE_BODY_MAX_BYTES } from '../../limits.js';
import type { FrontierStore, OpenRequest, StoreCapabilities } from '../../store.js';
import { CheckedStore, type StoreQueues } from '../checked-store.js';
import { toFailure } from '../store-failure.js';
import type { ResolvedServerOptions } from './server-options.js';

/** Entries of one `add` or links of one commit: a server may answer no other client meanwhile. */
const BATCH_MAX = 1_024;

export type Durability = StoreCapabilities['durable'];

export interface ServerAdapter {
  readonly options: ResolvedServerOptions;
  /** The message where the server's settings guarantee nothing. */
  readonly weakness: string;
  /** Reads the server's settings and claims the crawl. After a failure it may be called again. */
  open(request: OpenRequest): Promise<{ readonly queues: StoreQueues; readonly durable: Durability }>;
  /** Calls that wait are not sent again. The client stays open. */
  close(): void;
}

/** A store that was not opened yet. Its capabilities stay one object; `durable` is read from the server at open. */
export function serverStore({ options, weakness, open, close }: ServerAdapter): FrontierStore {
  let known: Durability = 'none';
  const capabilities: StoreCapabilities = Object.freeze({
    shared: true,
    get durable() {
      return known;
    },
    exactCounts: true,
    maxBody: STORE_BODY_MAX_BYTES,
    maxBatch: BATCH_MAX,
  });
  const openQueues = async (request: OpenRequest) => {
    const { queues, durable } = await open(request).catch((error: unknown) => {
      throw toFailure(`${options.server} cannot be used`, error);
    });
    known = durable;
    if (durable === 'none') options.onNotice({ kind: 'weak-durability', message: weakness });
    return queues;
  };
  return new CheckedStore({ capabilities, open: openQueues, close });
}
