// Records of which each process of a crawl writes one of its own, so that none overwrites another's and all of them
// together say how much the crawl has done. A part is a name that outlives its process: a process that takes the name
// goes on with its numbers. The first part has the plain key, so a crawl of one process has one record.

import { FrontierError } from '../errors.js';
import type { FrontierStore } from '../store.js';
import type { CrawlLock } from './crawl-lock.js';
import { PARTS_MOST } from './limits.js';

/** The part of a process that has the crawl for itself. */
const MAIN_PART = 'main';
const INDEX = 'parts';

/** Records in parts. Its promises reject with what the store throws. */
export class PartRecords {
  readonly #store: FrontierStore;
  readonly #lock: CrawlLock;
  /** A name that no other part has. */
  readonly #fresh: string;
  #own = MAIN_PART;

  constructor(store: FrontierStore, lock: CrawlLock, fresh: string) {
    this.#store = store;
    this.#lock = lock;
    this.#fresh = fresh;
  }

  get name(): string {
    return this.#own;
  }

  /**
   * Joins the crawl. In a store that is not shared, the part is always the main one.
   *
   * @param named - The name of our part; `null`: one that is free.
   * @param over - Which parts no process uses any more; one of them is taken where no name was given.
   */
  async join(named: string | null, over: (parts: readonly string[]) => Promise<readonly string[]>): Promise<void> {
    if (!this.#store.capabilities.shared) return;
    this.#own = named ?? MAIN_PART;
    await this.#lock.exclusively(async () => {
      const known = await this.#index();
      const parts = known ?? [];
      if (named === null) this.#own = (await over(parts))[0] ?? (known === null ? MAIN_PART : this.#fresh);
      if (parts.includes(this.#own)) return;
      if (parts.length >= PARTS_MOST) {
        throw new FrontierError('store-failed', `more than ${PARTS_MOST} processes have worked on this crawl`, {
          hint: 'Give each process a part that it takes again when it is restarted, such as a crawl directory.',
        });
      }
      await this.#store.writeRecord(INDEX, new TextEncoder().encode(JSON.stringify([...parts, this.#own])));
    });
  }

  /** Whether several processes have joined: then the lock is a host of the store. */
  async isShared(): Promise<boolean> {
    return (await this.#index()) !== null;
  }

  /** Names of all parts, ours among them. */
  async list(): Promise<readonly string[]> {
    return (await this.#index()) ?? [MAIN_PART];
  }

  /** What a part has under a key; `null`: nothing. */
  read(part: string, key: string): Promise<Uint8Array | null> {
    return this.#store.readRecord(keyOf(part, key));
  }

  /** What all parts have under a key, by their names. */
  async readAll(key: string): Promise<Map<string, Uint8Array>> {
    const names = await this.list();
    const values = await Promise.all(names.map((name) => this.read(name, key)));
    return new Map(names.flatMap((name, at) => (values[at] == null ? [] : [[name, values[at]] as const])));
  }

  write(key: string, value: Uint8Array): Promise<void> {
    return this.#store.writeRecord(keyOf(this.#own, key), value);
  }

  async #index(): Promise<readonly string[] | null> {
    const bytes = this.#store.capabilities.shared ? await this.#store.readRecord(INDEX) : null;
    return bytes === null ? null : (JSON.parse(new TextDecoder().decode(bytes)) as string[]);
  }
}

function keyOf(part: string, key: string): string {
  return part === MAIN_PART ? key : `part/${part}/${key}`;
}
