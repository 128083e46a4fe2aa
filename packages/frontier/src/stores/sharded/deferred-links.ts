// Links to a shard that is silent. A page is done only when its links are stored (C5). So the links are stored as
// records of another shard, and any process that notices that their shard answers again adds them: the process that
// deferred them may be gone.

import { randomUUID } from 'node:crypto';
import { unreadable } from '../../errors.js';
import type { NewEntry, RecordListing } from '../../store.js';
import { bufferOf } from '../checked-store.js';
import type { Shard } from './shard.js';

const PREFIX = 'deferred/';
/** The most links that one process defers at a time. Beyond it, pages wait for the shard. */
const MAX_DEFERRED_LINKS = 100_000;
/** The most characters of one record, the last link not counted. */
const MAX_RECORD_CHARS = 500_000;
/** The number of records that are read at a time. */
const RECORDS_PER_PAGE = 16;

export class DeferredLinks {
  readonly #shards: readonly Shard[];
  #count = 0;
  #adding: Promise<boolean> | null = null;

  constructor(shards: readonly Shard[]) {
    this.#shards = shards;
  }

  hasCapacityFor(links: number): boolean {
    return this.#count + links <= MAX_DEFERRED_LINKS;
  }

  /** Stores links to one shard in another one. */
  async defer(at: number, links: readonly NewEntry[]): Promise<void> {
    this.#count += links.length;
    const keeper = this.#shards.find((shard) => !shard.isSilent) ?? this.#shards[0]!;
    for (let from = 0; from < links.length; ) {
      let text = '';
      for (; from < links.length && text.length < MAX_RECORD_CHARS; from += 1) text += `${encodeLink(links[from]!)}\n`;
      const key = `${PREFIX}${at}/${randomUUID()}`;
      await keeper.call((verbs) => verbs.writeRecord(key, new TextEncoder().encode(text)));
    }
  }

  /** Adds the links that any process has deferred and whose shards answer. @returns Whether there were any. */
  add(): Promise<boolean> {
    this.#adding ??= this.#addAll().finally(() => {
      this.#adding = null;
    });
    return this.#adding;
  }

  async #addAll(): Promise<boolean> {
    const added = await Promise.all(this.#shards.map((keeper) => this.#addFrom(keeper)));
    if (!this.#shards.some(({ isSilent }) => isSilent)) this.#count = 0;
    return added.includes(true);
  }

  async #addFrom(keeper: Shard): Promise<boolean> {
    let hasAdded = false;
    let from: string | null = null;
    for (;;) {
      const listing: RecordListing | null = await this.#list(keeper, from);
      if (listing === null) return hasAdded;
      for (const { key, value } of listing.items) {
        const shard = this.#shards[Number(key.slice(PREFIX.length).split('/')[0])];
        const links = decodeLinks(key, value);
        const committed = await shard?.callUnlessSilent((verbs) => verbs.commit([], links));
        if (committed == null) continue;
        await keeper.call((verbs) => verbs.writeRecord(key, null));
        hasAdded = true;
      }
      from = listing.cursor;
      if (from === null) return hasAdded;
    }
  }

  async #list(keeper: Shard, from: string | null): Promise<RecordListing | null> {
    const answered = await keeper.callUnlessSilent((verbs) => verbs.listRecords(PREFIX, from, RECORDS_PER_PAGE));
    return answered?.answer ?? null;
  }
}

function encodeLink({ fingerprint, body, ...rest }: NewEntry): string {
  return JSON.stringify({ ...rest, f: bufferOf(fingerprint).toString('base64'), b: bufferOf(body).toString('base64') });
}

function decodeLinks(key: string, value: Uint8Array): NewEntry[] {
  const decode = (line: string): NewEntry => {
    const { f, b, ...rest } = JSON.parse(line) as Omit<NewEntry, 'fingerprint' | 'body'> & { f: string; b: string };
    return { ...rest, fingerprint: Buffer.from(f, 'base64'), body: Buffer.from(b, 'base64') };
  };
  try {
    return new TextDecoder().decode(value).split('\n').slice(0, -1).map(decode);
  } catch (cause) {
    throw unreadable(`the record ${key}`, cause);
  }
}
