// Orders that an operator gives the running processes of a crawl: pause, continue, stop. The last order is kept where
// every process checks each second: in the store if it is on a server, and in the crawl directory for processes that
// use it. A pause also applies to processes that join later; a stop applies only to those running when it comes.

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '@mannerly/frontier';
import { writeAtomically } from '../directory/atomic-file.js';
import { encodeJson } from '../json-record.js';
import { parseJsonObject } from '../parse-json.js';
import { MAX_KNOWN_ORDERS, ORDER_POLL_MS } from './limits.js';
import { repeatEvery } from './repeat-every.js';

export type CrawlOrder = 'pause' | 'resume' | 'stop';

export const ORDER_KEY = 'order';

/** `null`: there is no order. */
type OrderSource = () => Promise<Uint8Array | null>;

/** The order in a crawl directory. */
export function orderFileSource(path: string): OrderSource {
  // A file that cannot be read counts as no order: if the disk is broken, the run fails with its other files.
  return () => readFile(path).catch(() => null);
}

/** Writes an order to a crawl directory. @throws The platform's error */
export function writeOrder(path: string, order: CrawlOrder): Promise<void> {
  return writeAtomically(path, orderBytes(order));
}

/** The bytes of an order. Each call makes a distinct order, even for the same command. */
export function orderBytes(order: CrawlOrder): Uint8Array {
  return encodeJson({ order, id: randomUUID() });
}

/** First an earlier pause, if there is one, then every new order. @returns Stops it. Rejects with store errors. */
export async function watchOrders(
  clock: Clock,
  sources: readonly OrderSource[],
  apply: (order: CrawlOrder) => void,
): Promise<() => void> {
  /** Each source with the orders seen there. An old order comes back when a server has lost a later one. */
  const watched = sources.map((read) => ({ read, seen: [] as string[] }));
  const check = async (applies: (order: CrawlOrder) => boolean): Promise<void> => {
    for (const { read, seen } of watched) {
      const found = readOrder(await read());
      if (found === null || seen.includes(found.id)) continue;
      seen.push(found.id);
      if (seen.length > MAX_KNOWN_ORDERS) seen.shift();
      if (applies(found.order)) apply(found.order);
    }
  };
  await check((order) => order === 'pause');
  if (sources.length === 0) return () => undefined;
  return repeatEvery(clock, ORDER_POLL_MS, (isStopped) => check(() => !isStopped()));
}

/** Parses an order from bytes that others may have written; `null`: not an order. */
function readOrder(bytes: Uint8Array | null): { readonly order: CrawlOrder; readonly id: string } | null {
  const { order, id } = (bytes === null ? null : parseJsonObject(new TextDecoder().decode(bytes))) ?? {};
  if (typeof id !== 'string' || (order !== 'pause' && order !== 'resume' && order !== 'stop')) return null;
  return { order, id };
}
