// What a crawl learns of sites while it runs and must still know when it goes on after a stop: where seeds led and their
// scope with them, and which spaces are endless. Kept in records of the store, told as events, listed in the report.

import type { Frontier, NewUrl, PageWork, UrlRecord } from '@mannerly/frontier';
import { parseUrlParts } from '@mannerly/frontier/internal';
import type { TrapWatch } from '../admit/admit.js';
import type { Scope, ScopeMove } from '../admit/scope.js';
import { type ResolvedTrapOptions, type TrapFinding, trapText } from '../admit/trap-options.js';
import { createTraps } from '../admit/traps.js';
import type { FetchedPage } from '../page/page.js';
import { MAX_LEARNED } from './limits.js';

/** The memory of one run. */
export interface Learned {
  /** What the door asks of traps; `null`: nothing. */
  readonly watch: TrapWatch | null;
  /** Takes up what earlier runs learned. Once, when the frontier is open and before anything is admitted. */
  open(): Promise<void>;
  /** A page's URL led elsewhere: before the target is admitted, since its scope may move. */
  redirected(work: PageWork, to: string): Promise<void>;
  /** A page came: before its links are admitted. */
  read(work: PageWork, page: FetchedPage): Promise<void>;
  /** A URL was queued that was not known before. */
  queued(url: NewUrl): void;
  /** Why a queued URL is not worth asking for any more; `null`: nothing is against it. */
  whyNot(record: UrlRecord): { readonly word: 'dropped'; readonly reason: 'trap'; readonly detail: string } | null;
  /** Of the whole crawl, in the order of finding, ten thousand at most. */
  moves(): readonly ScopeMove[];
  traps(): readonly TrapFinding[];
}

/** What it is made of. */
export interface LearnedParts {
  readonly scope: Scope;
  /** `null`: nothing is taken for a trap. */
  readonly options: ResolvedTrapOptions | null;
  readonly records: Pick<Frontier, 'readRecord' | 'writeRecord' | 'exclusively'>;
  /** Whether other processes learn at the same time. */
  readonly isShared: boolean;
  readonly tell: {
    scopeMoved(move: ScopeMove): void;
    trap(found: TrapFinding): void;
  };
}

const MOVES = 'scope-move';
const TRAPS = 'trap';

/** Makes the memory of one run. @throws Never; its promises reject with what the store throws. */
export function createLearned({ scope, options, records, isShared, tell }: LearnedParts): Learned {
  const traps = options === null ? null : createTraps(options);
  const moves: ScopeMove[] = [];
  const found: TrapFinding[] = [];
  // One small record for each, numbered: nothing is written twice, and nothing outgrows a record.
  const readOn = async <T>(key: string, list: T[]): Promise<T[]> => {
    const news: T[] = [];
    while (list.length < MAX_LEARNED) {
      const at = list.length;
      const kept = await records.readRecord(`${key}/${at}`);
      if (kept === null) break;
      const value = JSON.parse(new TextDecoder().decode(kept)) as T;
      // Somebody else who reads on was here meanwhile.
      if (list.length !== at) continue;
      list.push(value);
      news.push(value);
    }
    return news;
  };
  const append = async <T>(key: string, list: T[], value: T): Promise<T[]> =>
    records.exclusively(async () => {
      const news = await readOn(key, list);
      if (list.length >= MAX_LEARNED) return news;
      list.push(value);
      await records.writeRecord(`${key}/${list.length - 1}`, new TextEncoder().encode(JSON.stringify(value)));
      return news;
    });
  /** Where other processes have seen seeds lead. */
  const catchUp = async (): Promise<void> => {
    if (isShared) scope.restore(await readOn(MOVES, moves));
  };
  const isOutside = (url: string): boolean => {
    const parts = parseUrlParts(url);
    return parts !== null && scope.judge(parts, 'link').kind === 'out';
  };
  return {
    watch: options === null || traps === null ? null : { options, traps },
    async open() {
      scope.restore(await readOn(MOVES, moves));
      if (traps === null) return;
      traps.restore(await readOn(TRAPS, found));
    },
    async redirected(work, to) {
      traps?.redirected(work.url, work.record.from);
      await catchUp();
      const move = scope.redirected(work.url, to);
      if (move === null) return;
      // Before the target is queued: whoever goes on after a stop must find it in scope.
      scope.restore(await append(MOVES, moves, move));
      tell.scopeMoved(move);
    },
    async read(work, page) {
      const { from } = work.record;
      // Another process was led here: its links belong to the scope that moved.
      if (isShared && isOutside(work.url)) await catchUp();
      // Most pages need not be compared.
      if (traps === null || page.kind !== 'html' || from === null || !traps.wants(work.url, from)) return;
      for (const each of traps.read(work.url, from, await contentOf(page))) {
        await append(TRAPS, found, each);
        tell.trap(each);
      }
    },
    queued: (url) => traps?.queued(url),
    whyNot({ url, from, via }) {
      if (traps === null || (via !== 'link' && via !== 'redirect')) return null;
      const trap = traps.judge(url, from);
      return trap === null ? null : { word: 'dropped', reason: 'trap', detail: trapText(trap) };
    },
    moves: () => moves,
    traps: () => found,
  };
}

/** What a browser made of a page says more than the bytes that came, which may be the same for a whole site. */
async function contentOf(page: Pick<FetchedPage, 'rendering' | 'text' | 'bytes'>): Promise<Uint8Array> {
  return page.rendering === null ? page.bytes() : Buffer.from(await page.text());
}
