// One process of a simulated crawl: the project's own frontier, driven as `core/run/crawl-loop.ts` drives it. Requests
// take time on the web, pages take CPU time of this process, both in virtual time.

import { createFrontier } from '@mannerly/frontier';
import { createPageTurns } from './page-turns.mjs';

/**
 * How many requests are prepared at a time, and how long one of several processes sleeps at most:
 * `core/crawl/limits.ts` and `core/run/limits.ts`.
 */
const [PREPARED_REQUESTS, MAX_SLEEP_MS] = [16, 250];
/** How many pages are handled besides those that are fetched: `core/run/limits.ts`. */
const HANDLED_PAGES = 64;
/** How often the crawl's own totals are written: `core/run/limits.ts`. */
const TOTALS_EVERY_MS = 1_000;

/**
 * @param parts `clock`; `process` and `helper` (of a machine; the helper stands for its threads of garbage collection,
 *   compiler and decompression) with `mainShare` of the work for the first; `store`; `web`; `pageUs`: the crawler's own
 *   work for a page, by the number of pages before it; `name`; `concurrency`; `maxHosts`; `politeness`; `bounds`;
 *   `random`; `onPage`; `onEarly`
 * @returns `{ open(), add(urls), crawl(isOver), frontier }`
 */
export function createCrawlProcess(parts) {
  const { clock, store, web, pageUs, name, concurrency, politeness, onPage } = parts;
  const frontier = createFrontier({
    store,
    robots: { tokens: ['simulated'] },
    ...(politeness === null ? {} : { politeness }),
    bounds: parts.bounds,
    maxHosts: parts.maxHosts,
    maxQueued: 1_000_000_000,
    part: name,
    clock,
    random: parts.random,
  });
  const turns = createPageTurns(clock, parts);
  let worked = 0;
  let fetching = 0;
  let inFlight = 0;
  let broken = null;
  let isWoken = false;
  let wakeUp = null;
  const wake = () => {
    isWoken = true;
    wakeUp?.();
  };

  /** From the request to the end of its exchange. @returns Whether a request was made. */
  const send = async (work) => {
    if (frontier.mayStart(work).kind !== 'go') return false;
    const startedAtMs = clock.nowMs();
    web.started(work, clock.timeMs());
    await web.exchange(work);
    const endedAtMs = clock.nowMs();
    web.ended(work, clock.timeMs());
    const bytes = work.kind === 'robots' ? 200 : web.bytes;
    frontier.exchanged(work, { startedAtMs, endedAtMs, status: 200, retryAfter: null, failure: null, bytes });
    return true;
  };
  const perform = async (work) => {
    const isAnswered = await send(work);
    fetching -= 1;
    wake();
    if (!isAnswered) return frontier.settle(work, { kind: 'returned', untilMs: null });
    const workUs = pageUs(worked);
    if (work.kind === 'page') worked += 1;
    await turns.next(work.kind === 'robots' ? workUs / 3 : workUs);
    if (work.kind === 'robots') {
      const { url } = work;
      const answer = {
        kind: 'response',
        status: 200,
        headers: {},
        body: web.robotsOf(url),
        robotsUrl: url,
        finalUrl: url,
      };
      return frontier.settle(work, { kind: 'robots', answer });
    }
    // Links that the frontier is known to have are skipped.
    const links = web.linksOf(work.url).filter((url) => !frontier.isRecent(url));
    const news = links.map((url) => ({ url, depth: work.record.depth + 1, via: 'link', from: work.url }));
    const kept = await frontier.settle(work, { kind: 'done', countsAsPage: true, links: news });
    if (kept === 'ok') onPage(work.url);
  };
  const start = (work) => {
    fetching += 1;
    inFlight += 1;
    perform(work)
      .catch((error) => {
        broken ??= error;
      })
      .finally(() => {
        inFlight -= 1;
        wake();
      });
  };
  const sleep = async (untilMs) => {
    if (!isWoken) {
      const soonMs = MAX_SLEEP_MS;
      const waitMs = untilMs === null ? soonMs : Math.min(soonMs, Math.max(untilMs - clock.timeMs(), 0.05));
      await new Promise((resolve) => {
        const cancel = clock.after(waitMs, resolve);
        wakeUp = () => {
          cancel();
          resolve();
        };
      });
      wakeUp = null;
    }
    isWoken = false;
  };
  const tell = (isOver) => {
    if (isOver()) return;
    frontier.writePart('totals', new Uint8Array(400)).catch((error) => {
      broken ??= error;
    });
    clock.after(TOTALS_EVERY_MS, () => tell(isOver));
  };

  return {
    frontier,
    open: () => frontier.open(),
    add: (urls) => frontier.add(urls.map((url) => ({ url, depth: 0, via: 'seed' }))),
    async crawl(isOver) {
      tell(isOver);
      while (!isOver()) {
        if (broken !== null) throw broken;
        const free = Math.min(concurrency - fetching, concurrency + HANDLED_PAGES - inFlight);
        const works = free > 0 ? await frontier.take(Math.min(free, PREPARED_REQUESTS)) : [];
        for (const work of works) start(work);
        if (works.length > 0) continue;
        const dueAtMs = free > 0 ? await frontier.nextAt() : null;
        turns.requestDueAt(dueAtMs);
        await sleep(dueAtMs);
      }
    },
  };
}
