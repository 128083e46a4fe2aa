// A sink around a medium that is written in batches: the pages that arrive while earlier ones are being written, or
// within a short wait. Either all pages of a batch are written, or all are rejected. Known items are left out.

import { createRecentSet } from '@mannerly/frontier/internal';
import { NEVER_ABORTED } from '../on-abort.js';
import { MAX_SINK_IDS } from './limits.js';
import type { Item, Sink } from './sink.js';

/** What an open sink writes to. */
interface OpenMedium {
  /** Writes new items, each id once: all of them or, if it rejects, none. */
  readonly write: (items: readonly Item[]) => Promise<void>;
  /** @default all waiting pages, at once */
  readonly limits?: BatchLimits;
  readonly end?: () => Promise<void>;
}

/** When a batch is written. A page is never split across two. */
interface BatchLimits {
  /** The number of items from which on no further page is added. */
  readonly items: number;
  /** The longest wait for further pages, milliseconds; 0: none. */
  readonly waitMs: number;
}

export interface BatchedSink extends Sink {
  /** How many items it left out since it was opened last, because its medium had them. */
  knownItems(): number;
}

/**
 * Creates a sink that writes in batches.
 * @param location - Its name in messages.
 * @param open - Called with the sink's stop, with a function that takes the ids already written, of which at least the
 * latest two million are remembered, and with one for each item that the medium itself finds it has.
 */
export function batchedSink(
  name: string,
  location: string,
  open: (stop: AbortSignal, addId: (id: string) => unknown, countKnown: () => void) => Promise<OpenMedium>,
): BatchedSink {
  let known = 0;
  const countKnown = (): void => {
    known += 1;
  };
  let batches: ReturnType<typeof createBatches> | null = null;
  return {
    name,
    knownItems: () => known,
    async open(stop = NEVER_ABORTED) {
      const ids = createRecentSet(MAX_SINK_IDS);
      known = 0;
      batches = createBatches(await open(stop, ids.add, countKnown), ids, countKnown);
    },
    async write(items) {
      if (batches === null) throw new Error(`${location} is not open`);
      await batches.write(items);
    },
    async close() {
      const last = batches;
      batches = null;
      await last?.close();
    },
  };
}

interface WaitingPage {
  readonly items: readonly Item[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

function createBatches(
  { write: writeToMedium, limits = { items: Number.MAX_SAFE_INTEGER, waitMs: 0 }, end }: OpenMedium,
  ids: ReturnType<typeof createRecentSet>,
  countKnown: () => void,
) {
  let waiting: WaitingPage[] = [];
  let waitingItems = 0;
  let flushing: Promise<void> | null = null;
  let isClosing = false;
  let endWait = (): void => undefined;

  const writeNew = async (items: readonly Item[]): Promise<void> => {
    const newItems = new Map<string, Item>();
    for (const item of items) {
      if (ids.has(item.id)) countKnown();
      else if (!newItems.has(item.id)) newItems.set(item.id, item);
    }
    if (newItems.size === 0) return;
    await writeToMedium([...newItems.values()]);
    for (const id of newItems.keys()) ids.add(id);
  };
  const take = (): readonly WaitingPage[] => {
    let pages = 0;
    let items = 0;
    for (; pages < waiting.length && items < limits.items; pages += 1) items += waiting[pages]?.items.length ?? 0;
    const batch = waiting.slice(0, pages);
    waiting = waiting.slice(pages);
    waitingItems -= items;
    return batch;
  };
  /** Resolves when a batch is full, or has waited long enough. */
  const waitUntilFull = async (): Promise<void> => {
    if (limits.waitMs === 0 || isClosing || waitingItems >= limits.items) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limits.waitMs);
      endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  };
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      await waitUntilFull();
      const batch = take();
      try {
        await writeNew(batch.flatMap(({ items }) => items));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    flushing = null;
  };
  return {
    /** Resolves when the items of the page are written. */
    async write(items: readonly Item[]): Promise<void> {
      if (items.length === 0) return;
      await new Promise<void>((resolve, reject) => {
        waiting.push({ items, resolve, reject });
        waitingItems += items.length;
        if (waitingItems >= limits.items) endWait();
        flushing ??= flush();
      });
    },
    async close(): Promise<void> {
      isClosing = true;
      endWait();
      await flushing;
      await end?.();
    },
  };
}
