// Records of which each process of a crawl writes one of its own, so that none overwrites another's and all of them together
// say how much the crawl has come to. A part is a name that outlives its process: whoever goes on under it goes on with its
// numbers. The first part has the plain key, so a crawl of one process has one record.

import { FrontierError } from '../errors.js';
import type { FrontierStore } from '../store.js';
import type { CrawlLock } from './crawl-lock.js';
import { PARTS_MOST } from './limits.js';

/** The part of a process that has the crawl for itself. */
export const MAIN_PART = 'main';

/** Records in parts. */
export interface PartRecords {
  /**
   * Joins the crawl.
   *
   * @param named - The name of our part; `null`: one that is free.
   * @param over - Parts that nobody uses any more; one of them is taken over where no name was given.
   */
  join(named: string | null, over: (parts: readonly string[]) => Promise<readonly string[]>): Promise<void>;
  /** Ours. */
  name(): string;
  /** Names of all parts there were, ours among them; read from the store. */
  list(): Promise<string[]>;
  /** What a part has under a key; `null`: nothing. */
  read(part: string, key: string): Promise<Uint8Array | null>;
  /** What all parts have under a key, by their names. */
  readAll(key: string): Promise<Map<string, Uint8Array>>;
  /** Whether processes have met here: the lock is a host of the store then. */
  isMet(): Promise<boolean>;
  /** Writes ours. */
  write(key: string, value: Uint8Array): Promise<void>;
}

const INDEX = 'parts';

/**
 * The parts of a crawl.
 *
 * @param fresh - A name that nobody has.
 * @throws Never; its promises reject with what the store throws.
 */
export function createPartRecords(store: FrontierStore, lock: CrawlLock, fresh: () => string): PartRecords {
  let own = MAIN_PART;
  const list = async (): Promise<string[]> => {
    const bytes = store.capabilities.shared ? await store.readRecord(INDEX) : null;
    return bytes === null ? [MAIN_PART] : (JSON.parse(new TextDecoder().decode(bytes)) as string[]);
  };
  return {
    async join(named, over) {
      own = named ?? MAIN_PART;
      if (!store.capabilities.shared) return;
      await lock.exclusively(async () => {
        const bytes = await store.readRecord(INDEX);
        const parts = bytes === null ? [] : (JSON.parse(new TextDecoder().decode(bytes)) as string[]);
        if (named === null) own = (await over(parts))[0] ?? (parts.length === 0 ? MAIN_PART : fresh());
        if (bytes !== null && parts.includes(own)) return;
        const all = parts.includes(own) ? parts : [...parts, own];
        if (all.length > PARTS_MOST) {
          throw new FrontierError('store-failed', `more than ${PARTS_MOST} processes have worked on this crawl`, {
            hint: 'Give each a part of its own that it takes up again when it is restarted, such as a crawl directory.',
          });
        }
        await store.writeRecord(INDEX, new TextEncoder().encode(JSON.stringify(all)));
      });
    },
    name: () => own,
    list,
    async readAll(key) {
      const names = await list();
      const values = await Promise.all(names.map((name) => store.readRecord(keyOf(name, key))));
      return new Map(names.flatMap((name, at) => (values[at] == null ? [] : [[name, values[at]] as const])));
    },
    isMet: async () => store.capabilities.shared && (await store.readRecord(INDEX)) !== null,
    read: (part, key) => store.readRecord(keyOf(part, key)),
    write: (key, value) => store.writeRecord(keyOf(own, key), value),
  };
}

function keyOf(part: string, key: string): string {
  return part === MAIN_PART ? key : `part/${part}/${key}`;
}
