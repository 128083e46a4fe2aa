// Items in memory, for tests, examples and small crawls.

import type { Item, Sink } from './sink.js';

/** A sink whose items can be looked at. */
export interface MemorySink extends Sink {
  /** In the order in which they were written, each id once. */
  readonly items: readonly Item[];
}

/** Makes an empty sink. It keeps everything it is given, so it is bounded by what the crawl emits and nothing else. */
export function memorySink(): MemorySink {
  const items = new Map<string, Item>();
  return {
    name: 'memory',
    get items() {
      return [...items.values()];
    },
    open: async () => undefined,
    async write(batch) {
      for (const item of batch) if (!items.has(item.id)) items.set(item.id, item);
    },
    close: async () => undefined,
  };
}
