// Pages whose items are written together: those that arrive while earlier ones are being written, or within a short
// wait. Either all pages of a batch are written, or all are rejected. Known items are left out. Also the sink around
// such batches.

import { createRecentSet } from '@mannerly/frontier/internal';
import { NEVER_ABORTED } from '../on-abort.js';
import { MAX_SINK_IDS } from './limits.js';
import type { Item, Sink } from './sink.js';

/** When a batch is written. A page is never split across two. */
export interface BatchLimits {
  /** The number of items from which on no further page is added. */
  readonly items: number;
  /** The longest wait for further pages, milliseconds; 0: none. */
  readonly waitMs: number;
}

interface WaitingPage {
  readonly items: readonly Item[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** All waiting pages. */
const UNBATCHED: BatchLimits = { items: Number.MAX_SAFE_INTEGER, waitMs: 0 };

class PageBatches {
  readonly #ids: ReturnType<typeof createRecentSet>;
  readonly #writeItems: (items: readonly Item[]) => Promise<void>;
  readonly #limits: BatchLimits;
  #waiting: WaitingPage[] = [];
  #waitingItems = 0;
  #flushing: Promise<void> | null = null;
  #isClosing = false;
  /** Items that were left out because the medium had their ids. */
  known = 0;
  #endWait = (): void => undefined;

  constructor({ write, limits = UNBATCHED }: OpenMedium, ids: ReturnType<typeof createRecentSet>) {
    this.#ids = ids;
    this.#writeItems = write;
    this.#limits = limits;
  }

  /** Resolves when the items of the page are written. */
  write(items: readonly Item[]): Promise<void> {
    if (items.length === 0) return Promise.resolve();
    return new Promise<void>((resolve, reject) => {
      this.#waiting.push({ items, resolve, reject });
      this.#waitingItems += items.length;
      if (this.#waitingItems >= this.#limits.items) this.#endWait();
      this.#flushing ??= this.#flush();
    });
  }

  /** Writes what waits, and resolves when nothing is being written. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#endWait();
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#limits.waitMs > 0) await this.#waitUntilFull(this.#limits.waitMs);
      const batch = this.#take();
      try {
        await this.#writeNew(batch.flatMap(({ items }) => items));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#flushing = null;
  }

  /** Resolves when a batch is full, or has waited long enough. */
  async #waitUntilFull(waitMs: number): Promise<void> {
    if (this.#isClosing || this.#waitingItems >= this.#limits.items) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.#endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #take(): WaitingPage[] {
    let count = 0;
    const end = this.#waiting.findIndex(({ items }) => {
      const isFull = count >= this.#limits.items;
      count += items.length;
      return isFull;
    });
    const batch = this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
    for (const { items } of batch) this.#waitingItems -= items.length;
    return batch;
  }

  async #writeNew(items: readonly Item[]): Promise<void> {
    const newItems = new Map<string, Item>();
    for (const item of items) {
      if (this.#ids.has(item.id)) this.known += 1;
      else if (!newItems.has(item.id)) newItems.set(item.id, item);
    }
    if (newItems.size === 0) return;
    await this.#writeItems([...newItems.values()]);
    for (const id of newItems.keys()) this.#ids.add(id);
  }
}

/** What an open sink writes to. */
export interface OpenMedium {
  /** Writes new items, each id once: all of them or, if it rejects, none. */
  readonly write: (items: readonly Item[]) => Promise<void>;
  /** @default all waiting pages, at once */
  readonly limits?: BatchLimits;
  readonly end?: () => Promise<void>;
}

/** A sink that writes in batches. */
export interface BatchedSink extends Sink {
  /** How many items it left out since it was opened last, because its medium had them. */
  knownItems(): number;
}

/**
 * Creates a sink that writes in batches.
 *
 * @param location - Its name in messages.
 * @param open - Called with the sink's stop, with a function that takes the ids already written, of which at least the
 * latest two million are remembered, and with one for each item that the medium itself finds it has.
 */
export function batchedSink(
  name: string,
  location: string,
  open: (stop: AbortSignal, addId: (id: string) => unknown, countKnown: () => void) => Promise<OpenMedium>,
): BatchedSink {
  let opened: { readonly batches: PageBatches; readonly medium: OpenMedium } | null = null;
  let latest: PageBatches | null = null;
  let knownToMedium = 0;
  return {
    name,
    knownItems: () => (latest?.known ?? 0) + knownToMedium,
    async open(stop = NEVER_ABORTED) {
      const ids = createRecentSet(MAX_SINK_IDS);
      knownToMedium = 0;
      const medium = await open(stop, ids.add, () => {
        knownToMedium += 1;
      });
      latest = new PageBatches(medium, ids);
      opened = { batches: latest, medium };
    },
    async write(items) {
      if (opened === null) throw new Error(`${location} is not open`);
      await opened.batches.write(items);
    },
    async close() {
      const last = opened;
      opened = null;
      await last?.batches.close();
      await last?.medium.end?.();
    },
  };
}
