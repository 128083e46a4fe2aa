// What an operator tells the processes of a crawl while they run: to pause, to continue, to stop. The last order is
// kept where all of them look every second: in the store of a crawl on a server, and in the crawl directory, for those
// that work in it. A pause is also for a process that joins later; a stop is for those that run when it comes.

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '@mannerly/frontier';
import { writeWhole } from '../directory/whole-file.js';
import { encodeJson } from '../json-record.js';
import { parseJsonObject } from '../parse-json.js';
import { MAX_ORDERS_REMEMBERED, ORDER_LOOK_MS } from './limits.js';
import { repeatedly } from './repeatedly.js';

export type CrawlOrder = 'pause' | 'resume' | 'stop';

export const ORDER_KEY = 'order';

/** Where an order is kept: its bytes, `null` where there is none. */
type OrderPlace = () => Promise<Uint8Array | null>;

/** The place in a crawl directory. */
export function orderFile(path: string): OrderPlace {
  // What cannot be read says nothing: the run has other files to fail with.
  return () => readFile(path).catch(() => null);
}

/** Leaves an order in a crawl directory. @throws The platform's error */
export function orderInFile(path: string, order: CrawlOrder): Promise<void> {
  return writeWhole(path, orderBytes(order));
}

/** An order as it is kept. Each is another one, the same said twice too. */
export function orderBytes(order: CrawlOrder): Uint8Array {
  return encodeJson({ order, id: randomUUID() });
}

/**
 * Obeys the orders of these places: first a pause, where one was ordered before, then whatever is new.
 *
 * @returns What ends it. Rejects with what a store throws.
 */
export async function watchOrders(
  clock: Clock,
  places: readonly OrderPlace[],
  obey: (order: CrawlOrder) => void,
): Promise<() => void> {
  /** Each with the orders seen there: one that comes back is what a server has kept that forgot a later one. */
  const watched = places.map((read) => ({ read, seen: [] as string[] }));
  let isOver = false;
  const look = async (applies: (order: CrawlOrder) => boolean): Promise<void> => {
    for (const { read, seen } of watched) {
      const kept = readOrder(await read());
      if (kept === null || seen.includes(kept.id) || isOver) continue;
      seen.push(kept.id);
      if (seen.length > MAX_ORDERS_REMEMBERED) seen.shift();
      if (applies(kept.order)) obey(kept.order);
    }
  };
  await look((order) => order === 'pause');
  const stop = places.length === 0 ? null : repeatedly(clock, ORDER_LOOK_MS, () => look(() => true));
  return () => {
    isOver = true;
    void stop?.();
  };
}

/** An order, from bytes that others may have written; `null`: none. */
function readOrder(bytes: Uint8Array | null): { readonly order: CrawlOrder; readonly id: string } | null {
  const { order, id } = (bytes === null ? null : parseJsonObject(new TextDecoder().decode(bytes))) ?? {};
  if (typeof id !== 'string' || (order !== 'pause' && order !== 'resume' && order !== 'stop')) return null;
  return { order, id };
}
