// The URLs of a crawl with an order seed that wait for their wave, in records of the store. They are written before the
// page that links to them is done, so that a killed run does not lose them.
//
//   head ──▶ first … boundary … end      numbered records, each a list of URLs
//            └ this wave ┘└ next ┘

import type { NewUrl } from '@mannerly/frontier';
import PQueue from 'p-queue';
import { type RecordStore, readJson, writeJson } from '../json-record.js';
import { WAITING_RECORD_CHARS } from './limits.js';

interface Head {
  readonly first: number;
  readonly boundary: number;
}

const HEAD = 'order/head';

/** The waiting URLs in the store. Calls take effect one after another, and reject with what the store throws. */
export class WaitingUrls {
  readonly #store: RecordStore;
  #head: Head = { first: 0, boundary: 0 };
  #end = 0;
  readonly #queue = new PQueue({ concurrency: 1 });

  constructor(store: RecordStore) {
    this.#store = store;
  }

  /**
   * The URLs of an earlier run: its wave (part of it may be in the frontier), and the next. Called once, before all
   * else.
   */
  read(): Promise<{ readonly current: readonly NewUrl[]; readonly next: readonly NewUrl[] }> {
    return this.#queue.add(async () => {
      const current: NewUrl[] = [];
      const next: NewUrl[] = [];
      const head = await readJson<Head>(this.#store, HEAD);
      if (head === null) return { current, next };
      this.#head = head;
      for (this.#end = head.first; ; this.#end += 1) {
        const urls = await readJson<NewUrl[]>(this.#store, `order/${this.#end}`);
        if (urls === null) return { current, next };
        for (const url of urls) (this.#end < head.boundary ? current : next).push(url);
      }
    });
  }

  add(urls: readonly NewUrl[]): Promise<void> {
    return this.#queue.add(async () => {
      // Records are not read unless there is a head.
      if (this.#end === 0) await writeJson(this.#store, HEAD, this.#head);
      for (const part of splitIntoRecords(urls)) {
        await writeJson(this.#store, `order/${this.#end}`, part);
        this.#end += 1;
      }
    });
  }

  /** Begins the next wave: removes the URLs of the one before. */
  beginWave(): Promise<void> {
    return this.#queue.add(() => this.#moveHead({ first: this.#head.boundary, boundary: this.#end }));
  }

  clear(): Promise<void> {
    return this.#queue.add(() => this.#moveHead({ first: this.#end, boundary: this.#end }));
  }

  async #moveHead(to: Head): Promise<void> {
    const before = this.#head;
    this.#head = to;
    await writeJson(this.#store, HEAD, to);
    for (let at = before.first; at < to.first; at += 1) await this.#store.writeRecord(`order/${at}`, null);
  }
}

function* splitIntoRecords(urls: readonly NewUrl[]): Generator<readonly NewUrl[]> {
  let from = 0;
  let chars = 0;
  for (const [at, url] of urls.entries()) {
    chars += JSON.stringify(url).length;
    if (chars < WAITING_RECORD_CHARS && at < urls.length - 1) continue;
    yield urls.slice(from, at + 1);
    from = at + 1;
    chars = 0;
  }
}
