// The URLs of a seeded crawl that wait for their wave, kept in records of the store, so that a killed run loses none of them: they
// are written before the page that they stand on is done.
//
//   head ──▶ first … boundary … end      numbered records, each a list of URLs
//            └ this wave ┘└ next ┘

import type { Frontier, NewUrl } from '@mannerly/frontier';
import { WAITING_RECORD_CHARS } from './limits.js';

/** The two waves that there are at a time. */
export interface WaitingUrls {
  /** Of the wave that is under way; some may be in the frontier by now. */
  readonly current: readonly NewUrl[];
  readonly next: readonly NewUrl[];
}

/** Where they are kept. */
export interface WaitingRecords {
  /** What an earlier run left. Once, before anything else. */
  read(): Promise<WaitingUrls>;
  /** Keeps URLs for the next wave; in the order of the calls. */
  keep(urls: readonly NewUrl[]): Promise<void>;
  /** The next wave begins: what was kept for the one before is removed. */
  turn(): Promise<void>;
  /** Removes everything. */
  clear(): Promise<void>;
}

interface Head {
  readonly first: number;
  readonly boundary: number;
}

const HEAD = 'order/head';

/** Makes the keeping of one run. @throws Never; its promises reject with what the store throws. */
export function createWaitingRecords(store: Pick<Frontier, 'readRecord' | 'writeRecord'>): WaitingRecords {
  let head: Head = { first: 0, boundary: 0 };
  let end = 0;
  /** One write after another: what is read on ends at the first number that is absent. */
  let tail: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const done = tail.then(act);
    tail = done.catch(() => undefined);
    return done;
  };
  const write = (key: string, value: unknown): Promise<void> =>
    store.writeRecord(key, new TextEncoder().encode(JSON.stringify(value)));
  const moveHead = async (to: Head): Promise<void> => {
    const before = head;
    head = to;
    await write(HEAD, head);
    for (let at = before.first; at < to.first; at += 1) await store.writeRecord(`order/${at}`, null);
  };
  return {
    read: () =>
      inTurn(async () => {
        const kept = await store.readRecord(HEAD);
        if (kept === null) return { current: [], next: [] };
        head = JSON.parse(new TextDecoder().decode(kept)) as Head;
        const current: NewUrl[] = [];
        const next: NewUrl[] = [];
        for (end = head.first; ; end += 1) {
          const record = await store.readRecord(`order/${end}`);
          if (record === null) break;
          const urls = JSON.parse(new TextDecoder().decode(record)) as NewUrl[];
          for (const url of urls) (end < head.boundary ? current : next).push(url);
        }
        return { current, next };
      }),
    keep: (urls) =>
      inTurn(async () => {
        // Without a head nobody looks for records.
        if (end === 0) await write(HEAD, head);
        for (const part of inParts(urls)) {
          await write(`order/${end}`, part);
          end += 1;
        }
      }),
    turn: () => inTurn(() => moveHead({ first: head.boundary, boundary: end })),
    clear: () => inTurn(() => moveHead({ first: end, boundary: end })),
  };
}

/** Lists that fit into records. */
function* inParts(urls: readonly NewUrl[]): Generator<NewUrl[]> {
  let part: NewUrl[] = [];
  let chars = 0;
  for (const url of urls) {
    part.push(url);
    chars += JSON.stringify(url).length;
    if (chars < WAITING_RECORD_CHARS) continue;
    yield part;
    part = [];
    chars = 0;
  }
  if (part.length > 0) yield part;
}
