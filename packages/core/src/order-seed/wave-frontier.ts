// A frontier that is filled in waves, for crawls with an order seed. New URLs wait until everything found before them
// is settled; then they are added together, in the order of the seed. So it does not matter which host answered first:
//
//   seeds ─▶ wave 0 ─▶ all settled ─▶ what they led to, sorted ─▶ wave 1 ─▶ all settled ─▶ …
//
// If a wave is larger than the number of pages left, only that many URLs are added, so that the bound never falls
// between two hosts. Robots.txt, companion files and handlers' own requests do not wait: pages depend on them.

import { hash } from 'node:crypto';
import type { AddAnswer, Frontier, NewUrl, QueuedUrl } from '@mannerly/frontier';
import { recordOf } from '@mannerly/frontier/internal';
import { MAX_REPORTED_WAITS } from '../limits.js';
import { WAVE_BATCH_URLS } from './limits.js';
import { WaitingUrls } from './waiting-urls.js';

interface WaveParts {
  readonly frontier: Frontier;
  readonly seed: string;
  /** The bound on pages; `null` if none. */
  readonly maxPages: number | null;
  /** The most URLs that wait for the next wave: the first ones in the order. */
  readonly maxWaiting: number;
  /** Hosts that wait longer do not delay the next wave, milliseconds. */
  readonly maxIdleMs: number;
  readonly nowMs: () => number;
  /** Called for each URL that the frontier did not queue as new. */
  readonly onAnswer: (url: NewUrl, answer: AddAnswer) => void;
}

/** Puts the waves in front of a frontier, and opens and closes it. Rejects as the frontier does. */
export function createWaveFrontier(parts: WaveParts): Frontier {
  const { frontier, seed, maxPages, maxWaiting, maxIdleMs, nowMs, onAnswer } = parts;
  const records = new WaitingUrls(frontier);
  /** The rest of the current wave, in reverse order. */
  let rest: Ranked[] = [];
  const next = new Map<string, Ranked>();
  /** The rank of the first dropped URL: later ones are dropped too. */
  let firstDroppedRank: string | null = null;
  let settling = 0;

  const waitingCount = (): number => rest.length + next.size;
  const addToNext = (url: NewUrl): boolean => {
    const known = next.get(visitName(url));
    if (known !== undefined && !comesBefore(url, known.url)) return false;
    const rank = rankOf(seed, url);
    if (firstDroppedRank !== null && rank >= firstDroppedRank) {
      onAnswer(url, { kind: 'full' });
      return false;
    }
    next.set(visitName(url), { url, rank });
    return true;
  };
  const trim = (): void => {
    if (next.size <= maxWaiting) return;
    const dropped = [...next.values()].sort(byRank).slice(maxWaiting);
    firstDroppedRank = dropped[0]?.rank ?? null;
    for (const { url } of dropped) {
      next.delete(visitName(url));
      onAnswer(url, { kind: 'full' });
    }
  };
  /** Lets pages wait. @returns What does not wait: companion files */
  const deferPages = async (urls: readonly NewUrl[]): Promise<NewUrl[]> => {
    const newUrls = urls.filter(isPage).filter(addToNext);
    if (newUrls.length > 0) await records.add(newUrls);
    // With a margin of a quarter, so that sorting is rare.
    if (next.size > maxWaiting * 1.25) trim();
    return urls.filter((url) => !isPage(url));
  };
  const beginNextWave = async (): Promise<void> => {
    trim();
    rest = [...next.values()].sort(byRank).reverse();
    next.clear();
    firstDroppedRank = null;
    await records.beginWave();
  };
  /** Pages that may still be requested, without those of long-waiting hosts in the queue. */
  const remainingPages = (): number => {
    if (maxPages === null) return Number.MAX_SAFE_INTEGER;
    const longWaiting = frontier.waits(MAX_REPORTED_WAITS).reduce((sum, { queued }) => sum + queued, 0);
    return maxPages - frontier.counts().pages - longWaiting;
  };
  const releaseWaves = async (): Promise<boolean> => {
    let open = remainingPages();
    let hasAdded = false;
    while (open > 0) {
      if (rest.length === 0 && (hasAdded || next.size === 0)) break;
      if (rest.length === 0) await beginNextWave();
      const batch = rest.splice(-Math.min(open, WAVE_BATCH_URLS)).reverse();
      const urls = batch.map(({ url }) => url);
      const added = await addAll(frontier, urls, onAnswer);
      open -= added;
      hasAdded ||= added > 0;
    }
    return hasAdded;
  };
  const withWaiting = <T extends { readonly queued: number }>(counts: T): T => ({
    ...counts,
    queued: counts.queued + waitingCount(),
  });

  return {
    ...frontier,
    async open(part) {
      await frontier.open(part);
      const stored = await records.read();
      const current = stored.current.map((url) => ({ url, rank: rankOf(seed, url) }));
      rest = current.sort(byRank).reverse();
      stored.next.filter(addToNext);
    },
    async add(urls) {
      const others = await deferPages(urls);
      const answers = others.length === 0 ? [] : await frontier.add(others);
      let at = 0;
      return urls.map((url): AddAnswer => (isPage(url) ? { kind: 'new' } : (answers[at++] ?? { kind: 'full' })));
    },
    async settle(work, settlement) {
      settling += 1;
      try {
        if (settlement.kind !== 'done') return await frontier.settle(work, settlement);
        // First, because a page is never done without its links.
        const links = await deferPages(settlement.links);
        return await frontier.settle(work, { ...settlement, links });
      } finally {
        settling -= 1;
      }
    },
    async nextAt() {
      const atMs = await frontier.nextAt();
      const isUnderWay = settling > 0 || frontier.counts().inFlight > 0;
      if (waitingCount() === 0 || isUnderWay || frontier.isPaused() || frontier.reachedBound() !== null) return atMs;
      if (atMs !== null && atMs - nowMs() <= maxIdleMs) return atMs;
      return (await releaseWaves()) ? frontier.nextAt() : atMs;
    },
    async inspectUrl(url) {
      const inspected = await frontier.inspectUrl(url);
      const isWaiting =
        next.has(visitName({ url, depth: 0, via: 'link' })) || rest.some((each) => each.url.url === url);
      return isWaiting ? { ...inspected, isKnown: true } : inspected;
    },
    async list(request = {}) {
      const { cursor = null, limit = WAVE_BATCH_URLS, host, authority } = request;
      const [, inWaves] = WAITING_CURSOR.exec(cursor ?? '') ?? [];
      const listing = inWaves === undefined ? await frontier.list(request) : { cursor: null, items: [] };
      if (listing.cursor !== null || listing.items.length >= limit) return listing;
      const waiting = [...rest, ...next.values()]
        .map(({ url }) => queuedUrl(url))
        .filter((each) => (host ?? each.host) === each.host && (authority ?? each.authority) === each.authority);
      const from = Number(inWaves ?? 0);
      const to = from + limit - listing.items.length;
      const items = [...listing.items];
      for (const each of waiting.slice(from, to)) {
        // Links wait, known or not.
        const isKnown = each.record.visit === undefined && (await frontier.inspectUrl(each.record.url)).isKnown;
        if (!isKnown) items.push(each);
      }
      return { cursor: to < waiting.length ? `waiting ${to}` : null, items };
    },
    counts: () => withWaiting(frontier.counts()),
    recount: async () => withWaiting(await frontier.recount()),
  };
}

/**
 * Adds the URLs that a run with an order seed left waiting to the frontier of one without. @throws The store's error.
 */
export async function releaseAllWaiting(frontier: Frontier, onAnswer: WaveParts['onAnswer']): Promise<void> {
  const records = new WaitingUrls(frontier);
  const { current, next } = await records.read();
  const urls = [...current, ...next];
  for (let at = 0; at < urls.length; at += WAVE_BATCH_URLS)
    await addAll(frontier, urls.slice(at, at + WAVE_BATCH_URLS), onAnswer);
  if (urls.length > 0) await records.clear();
}

/** @returns How many were queued as new; `onAnswer` gets the others. */
async function addAll(frontier: Frontier, urls: readonly NewUrl[], onAnswer: WaveParts['onAnswer']): Promise<number> {
  const answers = await frontier.add(urls);
  const others = [...answers.entries()].filter(([, { kind }]) => kind !== 'new');
  for (const [at, answer] of others) onAnswer(urls[at] as NewUrl, answer);
  return answers.length - others.length;
}

/** Companion files do not wait. */
function isPage({ via }: NewUrl): boolean {
  return via !== 'companion';
}

/** A URL with its rank: the smaller one goes first. */
interface Ranked {
  readonly url: NewUrl;
  readonly rank: string;
}

/** Characters of a hash that are compared; if they are equal, the URL decides. */
const RANK_CHARS = 16;
const DEFAULT_PRIORITY = 4;

/** By priority, one digit, then by a keyed hash, independent of where and when the URL was found. */
function rankOf(seed: string, { url, visit = 0, priority = DEFAULT_PRIORITY }: NewUrl): string {
  return `${priority} ${hash('sha256', `${seed}\n${visit}\n${url}`).slice(0, RANK_CHARS)} ${url}`;
}

function byRank(one: Ranked, other: Ranked): number {
  return compareTexts(one.rank, other.rank);
}

/** The cursor of a listing that has reached the waiting URLs. */
const WAITING_CURSOR = /^waiting (\d+)$/;

function queuedUrl(url: NewUrl): QueuedUrl {
  const { hostname: host, origin: authority } = new URL(url.url);
  return { host, authority, priority: url.priority ?? DEFAULT_PRIORITY, record: recordOf(url, url.url) };
}

/** One name for all finds of the same visit of a URL. */
function visitName({ url, visit = 0 }: NewUrl): string {
  return `${visit} ${url}`;
}

/**
 * If a URL was found several times, the same find always counts, so that neither depth nor label depends on which came
 * first: the one nearer to a seed, then by its content without times, which differ between runs.
 */
function comesBefore(one: NewUrl, other: NewUrl): boolean {
  const nearer = one.depth - other.depth || (one.hops ?? 0) - (other.hops ?? 0);
  return nearer < 0 || (nearer === 0 && compareTexts(contentOf(one), contentOf(other)) < 0);
}

function contentOf({ via, from = '', label = '', userData = null, priority = DEFAULT_PRIORITY }: NewUrl): string {
  return JSON.stringify([via, from, label, userData, priority]);
}

/** By code units: a locale would make two machines differ. */
function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
