// Orders that an operator gives the running processes of a crawl: pause, continue, stop. The last order is kept where
// every process checks each second: in the store if it is on a server, and in the crawl directory for processes that
// use it. A pause also applies to processes that join later; a stop applies only to those running when it comes.

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '@mannerly/frontier';
import { writeWhole } from '../directory/whole-file.js';
import { encodeJson } from '../json-record.js';
import { parseJsonObject } from '../parse-json.js';
import { MAX_KNOWN_ORDERS, ORDER_POLL_MS } from './limits.js';
import { repeatedly } from './repeatedly.js';

export type CrawlOrder = 'pause' | 'resume' | 'stop';

export const ORDER_KEY = 'order';

/** Reads a place where an order is kept: its bytes, or `null` if there is none. */
type OrderPlace = () => Promise<Uint8Array | null>;

/** The place in a crawl directory. */
export function orderFile(path: string): OrderPlace {
  // A file that cannot be read counts as no order: if the disk is broken, the run fails with its other files.
  return () => readFile(path).catch(() => null);
}

/** Writes an order to a crawl directory. @throws The platform's error */
export function orderInFile(path: string, order: CrawlOrder): Promise<void> {
  return writeWhole(path, orderBytes(order));
}

/** The bytes of an order. Each call makes a distinct order, even for the same command. */
export function orderBytes(order: CrawlOrder): Uint8Array {
  return encodeJson({ order, id: randomUUID() });
}

/**
 * Obeys the orders in these places: first an earlier pause, if there is one, then every new order.
 *
 * @returns A function that stops watching. Rejects with what a store throws.
 */
export async function watchOrders(
  clock: Clock,
  places: readonly OrderPlace[],
  obey: (order: CrawlOrder) => void,
): Promise<() => void> {
  /** Each place with the orders seen there. An old order comes back when a server has lost a later one. */
  const watched = places.map((read) => ({ read, seen: [] as string[] }));
  let isOver = false;
  const look = async (applies: (order: CrawlOrder) => boolean): Promise<void> => {
    for (const { read, seen } of watched) {
      const kept = readOrder(await read());
      if (kept === null || seen.includes(kept.id) || isOver) continue;
      seen.push(kept.id);
      if (seen.length > MAX_KNOWN_ORDERS) seen.shift();
      if (applies(kept.order)) obey(kept.order);
    }
  };
  await look((order) => order === 'pause');
  const stop = places.length === 0 ? null : repeatedly(clock, ORDER_POLL_MS, () => look(() => true));
  return () => {
    isOver = true;
    void stop?.();
  };
}

/** Parses an order from bytes that others may have written; `null`: not an order. */
function readOrder(bytes: Uint8Array | null): { readonly order: CrawlOrder; readonly id: string } | null {
  const { order, id } = (bytes === null ? null : parseJsonObject(new TextDecoder().decode(bytes))) ?? {};
  if (typeof id !== 'string' || (order !== 'pause' && order !== 'resume' && order !== 'stop')) return null;
  return { order, id };
}
