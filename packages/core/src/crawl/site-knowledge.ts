// What a crawl learns of sites and needs again after a stop: where seeds redirect, which moves the scope, and which URL
// spaces are traps. Kept in records of the store, emitted as events, listed in the report.

import type { Frontier, FrontierOptions, NewUrl, PageWork, UrlRecord } from '@mannerly/frontier';
import { parseUrlParts } from '@mannerly/frontier/internal';
import { type NearDuplicate, NearDuplicates } from '../admit/near-duplicates.js';
import type { Scope, ScopeMove } from '../admit/scope.js';
import { type ResolvedTrapOptions, type TrapFinding, trapText } from '../admit/trap-rules.js';
import { Traps } from '../admit/traps.js';
import type { Journal } from '../journal/journal.js';
import { readJson, writeJson } from '../json-record.js';
import type { FetchedPage } from '../page/page.js';
import { MAX_LEARNED } from './limits.js';

type KnowledgeStore = Pick<Frontier, 'readRecord' | 'writeRecord' | 'exclusively'>;

interface KnowledgeOptions {
  /** `null`: nothing is taken for a trap. */
  readonly traps: ResolvedTrapOptions | null;
  readonly nearDuplicates: false | 'tell' | 'drop';
}

/** What one run knows of sites. Its promises reject with what the store throws. */
export class SiteKnowledge {
  readonly #scope: Scope;
  /** What admission checks links with; `null`: nothing is taken for a trap. */
  readonly watch: Traps | null;
  /** `null`: the texts of pages are not compared. */
  readonly texts: NearDuplicates | null;
  readonly #isShared: boolean;
  readonly #journal: Pick<Journal, 'emit'>;
  /** Both are set by `open`. */
  #moves: RecordList<ScopeMove> | null = null;
  #found: RecordList<TrapFinding> | null = null;
  /** @param isShared - Whether other processes learn at the same time. */
  constructor(scope: Scope, options: KnowledgeOptions, isShared: boolean, journal: Pick<Journal, 'emit'>) {
    this.#scope = scope;
    this.watch = options.traps === null ? null : new Traps(options.traps);
    this.texts = options.nearDuplicates === false ? null : new NearDuplicates();
    this.#isShared = isShared;
    this.#journal = journal;
  }

  /** Reads what earlier runs learned. Once, when the store is open and before anything is admitted. */
  async open(store: KnowledgeStore): Promise<void> {
    this.#moves = new RecordList('scope-move', store);
    this.#found = new RecordList('trap', store);
    this.#scope.restore(await this.#moves.readNew());
    if (this.watch !== null) this.watch.restore(await this.#found.readNew());
  }

  /** A page's URL redirected. Before the target is admitted, since the scope may move. */
  async redirected(work: PageWork, to: string): Promise<void> {
    this.watch?.redirected(work.url, work.record.from);
    await this.#catchUp();
    const move = this.#scope.redirected(work.url, to);
    if (move === null) return;
    // Before the target is queued: a run that continues after a stop must find it in scope.
    this.#scope.restore((await this.#moves?.append(move)) ?? []);
    this.#journal.emit('scope-moved', move);
  }

  /** A page came. Before its links are admitted. */
  async read(work: PageWork, page: FetchedPage): Promise<void> {
    const { from } = work.record;
    // Another process was led here: its links belong to the scope that moved.
    if (this.#isShared && this.#isOutside(work.url)) await this.#catchUp();
    const traps = this.watch;
    // Most pages need not be compared.
    if (traps === null || page.kind !== 'html' || from === null || !traps.wants(work.url, from)) return;
    for (const finding of traps.read(work.url, from, await contentOf(page))) {
      await this.#found?.append(finding);
      this.#journal.emit('trap', finding);
    }
  }

  /** Compares the text of a page with those before it; `null`: it is not compared. */
  async compared(page: FetchedPage): Promise<NearDuplicate | null> {
    return this.texts !== null && page.kind === 'html' ? this.texts.read(page.url, await contentOf(page)) : null;
  }

  queued(url: NewUrl): void {
    this.watch?.queued(url);
  }

  /** Why a queued URL is not worth a request any more, or not yet; `null`: it is. */
  whyNot({ url, from, via }: UrlRecord): ReturnType<NonNullable<FrontierOptions['whyNot']>> {
    if (this.watch === null || (via !== 'link' && via !== 'redirect')) return null;
    const trap = this.watch.judge(url, from);
    if (trap === null) return null;
    return this.watch.drops ? { status: 'dropped', reason: 'trap', detail: trapText(trap) } : { status: 'deferred' };
  }

  /** Of the whole crawl in order, at most ten thousand. */
  moves(): readonly ScopeMove[] {
    return this.#moves?.values ?? [];
  }

  /** Of the whole crawl in order, at most ten thousand. */
  traps(): readonly TrapFinding[] {
    return this.#found?.values ?? [];
  }

  /** Reads where other processes have seen seeds lead. */
  async #catchUp(): Promise<void> {
    if (this.#isShared && this.#moves !== null) this.#scope.restore(await this.#moves.readNew());
  }

  #isOutside(url: string): boolean {
    const parts = parseUrlParts(url);
    return parts !== null && this.#scope.judge(parts, 'link').kind === 'out';
  }
}

/** A list in the store, one numbered record for each value: nothing is written twice, and nothing outgrows a record. */
class RecordList<T> {
  readonly #key: string;
  readonly #store: KnowledgeStore;
  readonly values: T[] = [];

  constructor(key: string, store: KnowledgeStore) {
    this.#key = key;
    this.#store = store;
  }

  /** @returns The values that are new to us: this process may not be the only one that appends. */
  async readNew(): Promise<T[]> {
    const added: T[] = [];
    while (this.values.length < MAX_LEARNED) {
      const at = this.values.length;
      const value = await readJson<T>(this.#store, `${this.#key}/${at}`);
      if (value === null) break;
      // Another call has read it meanwhile.
      if (this.values.length !== at) continue;
      this.values.push(value);
      added.push(value);
    }
    return added;
  }

  /** @returns What others have added before it. */
  async append(value: T): Promise<T[]> {
    return this.#store.exclusively(async () => {
      const added = await this.readNew();
      if (this.values.length >= MAX_LEARNED) return added;
      this.values.push(value);
      await writeJson(this.#store, `${this.#key}/${this.values.length - 1}`, value);
      return added;
    });
  }
}

/** A page in a browser differs more than the bytes that came, which may be the same for a whole site. */
async function contentOf(page: Pick<FetchedPage, 'rendering' | 'text' | 'bytes'>): Promise<Uint8Array> {
  return page.rendering === null ? page.bytes() : Buffer.from(await page.text());
}
