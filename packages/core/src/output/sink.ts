// The sink contract, where items go, and a sink in memory. Sinks are idempotent by item id: an item that is written
// again after a crash is not a second item.

import type { JsonValue } from '@mannerly/frontier';
import type { ItemLicense } from '../item-license.js';

/** One item a handler emitted, or a tombstone: the items of its page so far may not be kept any more. */
export interface Item {
  /** `<host>/<hash of the URL>[/<visit>]/<index>[.<part>]`: the same page handled again yields the same ids. */
  readonly id: string;
  /** The page it came from, as requested. */
  readonly url: string;
  readonly fetchedAtMs: number;
  /** Of a tombstone `{ removed }`, so that every sink shows it. */
  readonly data: JsonValue;
  /** From when it should no longer be kept (`unavailable_after`), epoch milliseconds. */
  readonly expiresAtMs: number | null;
  /** Use preferences in force at the time of fetching. */
  readonly preferences: Readonly<Record<string, 'allow' | 'disallow'>>;
  /** What is known of the licence of the page (RSL). Absent: none is named. */
  readonly license?: ItemLicense;
  /**
   * Of a tombstone alone, why: `gone` (410, or 404 twice), `moved` (a permanent redirect), or the reason that keeps the
   * page's items out now, such as `noindex`. Its id is `<host>/<hash of the URL>/<visit>/removed`; the items that it is
   * about have the same host and hash, and a lower number of the visit, or none. Items of later visits are kept again.
   */
  readonly removed?: string;
}

/** A file that a run leaves in its crawl directory, whole. */
export interface RunFile {
  readonly path: string;
  /** Below the crawl directory, with slashes: `files/example.org/a.pdf`, `archive/….warc.gz`, `archive.wacz`. */
  readonly name: string;
  readonly bytes: number;
}

/** Where items go. Made by the user or by the crawl directory, opened and closed by the run. */
export interface Sink {
  readonly name: string;
  /**
   * @param stop - Aborted when the run is stopped at once: what waits for a server then gives up, and its pages come
   *   again in the next run.
   */
  open(stop?: AbortSignal): Promise<void>;
  /** All items of one page, all of them or, when it rejects, none. */
  write(items: readonly Item[]): Promise<void>;
  /** Everything written is on its medium. Called once. */
  close(): Promise<void>;
  /**
   * Keeps a file of the crawl directory: called for each at the end of every run, after `close`, four at a time. The
   * same file comes again after the next run. A rejection ends the run like one of `close`. @default files stay where
   * they are
   */
  keepFile?(file: RunFile, stop?: AbortSignal): Promise<void>;
}

/** Makes a sink in memory, bounded by what the crawl emits and nothing else. `items` has each id once, in order. */
export function memorySink(): Sink & { readonly items: readonly Item[] } {
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
