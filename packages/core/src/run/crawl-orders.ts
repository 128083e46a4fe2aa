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

export class OrderWatch {
  readonly #clock: Clock;
  readonly #obey: (order: CrawlOrder) => void;
  /** Each with the orders seen there: one that comes back is what a server has kept that forgot a later one. */
  #places: readonly { readonly read: OrderPlace; readonly seen: string[] }[] = [];
  #isOver = false;
  #stop = (): void => undefined;

  constructor(clock: Clock, obey: (order: CrawlOrder) => void) {
    this.#clock = clock;
    this.#obey = obey;
  }

  /** Begins: with a pause, where one was ordered before. Rejects with what a store throws. */
  async open(places: readonly OrderPlace[]): Promise<void> {
    this.#places = places.map((read) => ({ read, seen: [] }));
    await this.#look((order) => order === 'pause');
    if (places.length > 0) this.#stop = repeatedly(this.#clock, ORDER_LOOK_MS, () => this.#look(() => true));
  }

  close(): void {
    this.#isOver = true;
    this.#stop();
  }

  async #look(applies: (order: CrawlOrder) => boolean): Promise<void> {
    for (const { read, seen } of this.#places) {
      const kept = readOrder(await read());
      if (kept === null || seen.includes(kept.id) || this.#isOver) continue;
      seen.push(kept.id);
      if (seen.length > MAX_ORDERS_REMEMBERED) seen.shift();
      if (applies(kept.order)) this.#obey(kept.order);
    }
  }
}

/** An order, from bytes that others may have written; `null`: none. */
function readOrder(bytes: Uint8Array | null): { readonly order: CrawlOrder; readonly id: string } | null {
  const { order, id } = (bytes === null ? null : parseJsonObject(new TextDecoder().decode(bytes))) ?? {};
  if (typeof id !== 'string' || (order !== 'pause' && order !== 'resume' && order !== 'stop')) return null;
  return { order, id };
}
