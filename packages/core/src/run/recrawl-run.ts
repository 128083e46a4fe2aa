// A run that crawls again. Its bounds count from its start, and known pages are queued for another visit. If it is
// stopped, the next run continues it.

import type { Frontier } from '@mannerly/frontier';
import { MannerlyError } from '../errors.js';
import { readJson, writeJson } from '../json-record.js';
import { MAX_SITEMAPS_WAIT_MS, OFFER_BATCH_URLS } from './limits.js';
import type { Run } from './run.js';

interface LatestRecrawl {
  /** What the crawl had used up before this recrawl. */
  readonly used: ReturnType<Frontier['used']>;
  /** When the recrawl began, epoch milliseconds. */
  readonly startedAtMs: number;
  readonly isOver: boolean;
}

const KEY = 'again';

/** Begins a recrawl if requested; bounds count from its start. @returns That, epoch milliseconds; `null`: never. */
export async function countFromRecrawl(frontier: Frontier, again: boolean, nowMs: number): Promise<number | null> {
  const stored = await readJson<LatestRecrawl>(frontier, KEY);
  const isNew = again && (stored === null || stored.isOver);
  const latest = isNew ? { used: frontier.used(), startedAtMs: nowMs, isOver: false } : stored;
  if (latest === null) return null;
  if (isNew) await writeJson(frontier, KEY, latest);
  frontier.countFrom(latest.used, latest.startedAtMs);
  return latest.startedAtMs;
}

/** Marks the recrawl as over, so that the next one starts anew. */
export async function endRecrawl(frontier: Frontier): Promise<void> {
  const stored = await readJson<LatestRecrawl>(frontier, KEY);
  if (stored !== null) await writeJson(frontier, KEY, { ...stored, isOver: true });
}

/**
 * The choice of the known pages that a recrawl visits. It is made once the due sitemaps have been read, at most a
 * minute after the start, and before new pages have used up their share. Queues these sitemaps. @throws What the store
 * throws.
 */
export async function createPageChoice(run: Run, sinceMs: number): Promise<NonNullable<Run['pageChoice']>> {
  const { recrawl, journal, frontier, options, setup } = run;
  const latestMs = run.nowMs() + MAX_SITEMAPS_WAIT_MS;
  const pagesBefore = frontier.counts().pages;
  const { pages } = options.bounds;
  const newPages = pages === null ? Number.POSITIVE_INFINITY : pages * (options.recrawl?.newShare ?? 0);
  let isChosen = false;
  if (recrawl !== null) {
    const { sitemaps, feeds, sitemapUrls } = options;
    journal.addListener(recrawl.sitemaps);
    if (sitemaps || feeds || sitemapUrls.length > 0) await run.offer({ candidates: await recrawl.sitemaps.due() });
  }
  return {
    untilMs: () => (isChosen ? null : latestMs),
    async choose(isIdle) {
      if (isChosen) return false;
      if (setup.isShared) await recrawl?.sitemaps.dropReadByOthers(latestMs - MAX_SITEMAPS_WAIT_MS);
      isChosen =
        isIdle ||
        recrawl?.sitemaps.isReading() !== true ||
        run.nowMs() >= latestMs ||
        frontier.counts().pages - pagesBefore >= newPages;
      if (isChosen) await offerKnownPages(run, sinceMs, pagesBefore);
      return isChosen;
    },
  };
}

/**
 * Queues the known pages that are worth another visit. A crawl that has no page yet, such as one whose site was down,
 * begins or goes on as a first run.
 * @throws MannerlyError `option-invalid`: the crawl has pages, but no visits were kept.
 */
async function offerKnownPages(run: Run, sinceMs: number, pagesBefore: number): Promise<void> {
  const { recrawl, options } = run;
  if (recrawl === null) return;
  const { pages, known } = await recrawl.knownPages.choose(options.bounds.pages, sinceMs);
  if (known === 0 && pagesBefore > 0) {
    throw new MannerlyError('option-invalid', 'there is nothing to crawl again: no visits of this crawl were kept', {
      hint:
        'First run it with `recrawl: true` (--recrawl); then `again` (--again) revisits the fetched pages. ' +
        'If none could be fetched, `retry` (--retry) requests them once more.',
    });
  }
  for (let at = 0; at < pages.length; at += OFFER_BATCH_URLS)
    await run.offer({ candidates: pages.slice(at, at + OFFER_BATCH_URLS) });
}
