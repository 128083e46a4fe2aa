// What a crawl learns about sites and needs again after a stop: where seeds redirect, which moves the scope, and which
// URL spaces are traps. It is kept in records of the store, emitted as events, and listed in the report.

import type { FrontierOptions, PageWork, UrlRecord } from '@mannerly/frontier';
import { parseUrlParts } from '@mannerly/frontier/internal';
import { type NearDuplicate, NearDuplicates } from '../admit/near-duplicates.js';
import type { ScopeMove } from '../admit/scope.js';
import { type TrapFinding, trapText } from '../admit/trap-rules.js';
import { Traps } from '../admit/traps.js';
import { readJson, writeJson } from '../json-record.js';
import type { FetchedPage } from '../page/page.js';
import type { CrawlRun } from './crawl-run.js';
import { MAX_FINDINGS } from './limits.js';

/** What one run knows about sites. The frontier is open before the first call. Promises reject with store errors. */
export class SiteKnowledge {
  readonly #run: CrawlRun;
  /** Admission checks links with it; `null`: traps are not detected. */
  readonly trapDetector: Traps | null;
  /** `null`: texts of pages are not compared. */
  readonly nearDuplicates: NearDuplicates | null;
  readonly moves: SharedList<ScopeMove>;
  readonly knownTraps: SharedList<TrapFinding>;

  constructor(run: CrawlRun) {
    const { traps, nearDuplicates } = run.options;
    this.#run = run;
    this.trapDetector = traps === null ? null : new Traps(traps);
    this.nearDuplicates = nearDuplicates === false ? null : new NearDuplicates();
    this.moves = new SharedList('scope-move', run);
    this.knownTraps = new SharedList('trap', run);
  }

  /** Reads what earlier runs learned. Call it once, before anything is admitted. */
  async open(): Promise<void> {
    this.#run.scope.restore(await this.moves.readNew());
    if (this.trapDetector !== null) this.trapDetector.restore(await this.knownTraps.readNew());
  }

  /** A page's URL redirected. Call it before the target is admitted, since the scope may move. */
  async redirected(work: PageWork, to: string): Promise<void> {
    this.trapDetector?.redirected(work.url, work.record.from);
    await this.#catchUp();
    const { scope, journal } = this.#run;
    const move = scope.redirected(work.url, to);
    if (move === null) return;
    // Stored before the target is queued: a run that continues after a stop must find it in scope.
    scope.restore(await this.moves.append(move));
    journal.emit('scope-moved', move);
  }

  /** A page was fetched. Call it before its links are admitted. */
  async read(work: PageWork, page: FetchedPage): Promise<void> {
    const { from } = work.record;
    // A seed redirected another process here: the page's links belong to the scope that moved.
    if (this.#run.setup.isShared && this.#isOutside(work.url)) await this.#catchUp();
    const traps = this.trapDetector;
    // Most pages need not be compared.
    if (traps === null || page.kind !== 'html' || from === null || !traps.shouldCompare(work.url, from)) return;
    for (const finding of traps.read(work.url, from, await comparedBytes(page))) {
      await this.knownTraps.append(finding);
      this.#run.journal.emit('trap', finding);
    }
  }

  /** Compares a page's text with those of earlier pages; `null`: it is not compared. */
  async findNearDuplicate(page: FetchedPage): Promise<NearDuplicate | null> {
    return this.nearDuplicates !== null && page.kind === 'html'
      ? this.nearDuplicates.compare(page.url, await comparedBytes(page), page.exclusion.storesItems)
      : null;
  }

  /** Why a queued URL is no longer worth a request, or not yet; `null`: it is. */
  whyNot({ url, from, via }: UrlRecord): ReturnType<NonNullable<FrontierOptions['whyNot']>> {
    if (this.trapDetector === null || (via !== 'link' && via !== 'redirect')) return null;
    const trap = this.trapDetector.findTrap(url, from);
    if (trap === null) return null;
    return this.trapDetector.drops
      ? { status: 'dropped', reason: 'trap', detail: trapText(trap) }
      : { status: 'deferred' };
  }

  /** Reads where seeds led other processes. */
  async #catchUp(): Promise<void> {
    if (this.#run.setup.isShared) this.#run.scope.restore(await this.moves.readNew());
  }

  #isOutside(url: string): boolean {
    const parts = parseUrlParts(url);
    return parts !== null && this.#run.scope.outsideReason(parts, 'link') !== null;
  }
}

/** A list in the store, one numbered record per value, so that nothing is rewritten and no record grows too large. */
class SharedList<T> {
  readonly #key: string;
  readonly #run: Pick<CrawlRun, 'frontier'>;
  /** Values of the whole crawl, in order, at most ten thousand. */
  readonly values: T[] = [];

  constructor(key: string, run: Pick<CrawlRun, 'frontier'>) {
    this.#key = key;
    this.#run = run;
  }

  /** @returns The values that are new to this process. Other processes may append too. */
  async readNew(): Promise<T[]> {
    const added: T[] = [];
    while (this.values.length < MAX_FINDINGS) {
      const at = this.values.length;
      const value = await readJson<T>(this.#run.frontier, `${this.#key}/${at}`);
      if (value === null) break;
      // Another call has read it in the meantime.
      if (this.values.length !== at) continue;
      this.values.push(value);
      added.push(value);
    }
    return added;
  }

  /** @returns The values that others added before it. */
  async append(value: T): Promise<T[]> {
    return this.#run.frontier.exclusively(async () => {
      const added = await this.readNew();
      if (this.values.length >= MAX_FINDINGS) return added;
      this.values.push(value);
      await writeJson(this.#run.frontier, `${this.#key}/${this.values.length - 1}`, value);
      return added;
    });
  }
}

/** The rendered text tells pages apart better than the bytes received, which may be the same for a whole site. */
async function comparedBytes(page: Pick<FetchedPage, 'rendering' | 'text' | 'bytes'>): Promise<Uint8Array> {
  return page.rendering === null ? page.bytes() : Buffer.from(await page.text());
}
