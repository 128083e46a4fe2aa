// The sink contract, which says where items go, and a sink in memory. Sinks are idempotent by item id: an item that is
// written again after a crash does not become a second item.

import type { JsonValue } from '@mannerly/frontier';
import type { ItemLicense } from '../item-license.js';
import { isObject } from '../parse-json.js';

/** One item that a handler emitted, or a tombstone: the earlier items of its page may no longer be kept. */
export interface Item {
  /** `<host>/<hash of the URL>[/<visit>]/<index>[.<part>]`: the same page handled again yields the same ids. */
  readonly id: string;
  /** The page it came from, as requested. */
  readonly url: string;
  readonly fetchedAtMs: number;
  /** For a tombstone `{ removed }`, so that every sink shows it. */
  readonly data: JsonValue;
  /** When it should no longer be kept (`unavailable_after`), epoch milliseconds. */
  readonly expiresAtMs: number | null;
  /** Use preferences in force at the time of fetching. */
  readonly preferences: Readonly<Record<string, 'allow' | 'disallow'>>;
  /** What is known about the licence of the page (RSL). Absent: none is named. */
  readonly license?: ItemLicense;
  /**
   * Only for a tombstone: `gone` (410, or 404 twice), `moved` (a permanent redirect), or the reason that now keeps the
   * page's items out, such as `noindex`. Its id is `<host>/<hash of the URL>/<visit>/removed`; it applies to items with
   * the same host and hash and a lower visit number, or none. Items of later visits are kept again.
   */
  readonly removed?: string;
}

/** A complete file that a run leaves in its crawl directory. */
export interface RunFile {
  readonly path: string;
  /** Below the crawl directory, with slashes: `files/example.org/a.pdf`, `archive/….warc.gz`, `archive.wacz`. */
  readonly name: string;
  readonly bytes: number;
}

/** Where items go. Created by you or by the crawl directory, opened and closed by the run. */
export interface Sink {
  readonly name: string;
  /**
   * @param stop - Aborted when the run is stopped at once. A wait for a server should then end; its pages are handled
   *   again in the next run.
   */
  open(stop?: AbortSignal): Promise<void>;
  /** Writes the items of one page: all of them, or none if it rejects. */
  write(items: readonly Item[]): Promise<void>;
  /** Called once. When it resolves, everything written is on its medium. */
  close(): Promise<void>;
  /**
   * Keeps a file of the crawl directory. Called for each file at the end of every run, after `close`, up to four at a
   * time, and again after the next run. A rejection ends the run like one of `close`. @default files stay in place
   */
  keepFile?(file: RunFile, stop?: AbortSignal): Promise<void>;
}

/** What every sink has: a name that is not empty, and methods. */
export const SINK_MEMBERS = ['name', 'open', 'write', 'close'] as const;

/** Whether a value of the user's code is a sink. @throws Never */
export function isSink(value: unknown): value is Sink {
  if (!isObject(value)) return false;
  const { name, open, write, close } = value;
  return typeof name === 'string' && name !== '' && [open, write, close].every((each) => typeof each === 'function');
}

/** Creates a sink in memory, limited only by what the crawl emits. `items` has each id once, in order. */
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
