// `page.fetch` in a replay: the archive answers with the exchange that the crawl made. Nothing is requested.

import { type ExchangePlace, readExchangeAt, readExchanges } from '../archive/read-archive.js';
import type { OwnFetcher } from '../page/own-fetch.js';
import { type ReplayedBodies, replayedOutcome } from './replayed-outcome.js';

/** The page of the handler. */
interface Asked {
  readonly startedAtMs: number;
}

/**
 * Makes the answers of an archive. It is read once, at the first request of a handler; what is remembered are
 * the places of such exchanges, some 200 bytes each.
 *
 * @param pageNow - The current page: an answer that came after it is preferred to one from before.
 */
export function replayedRequests(
  folders: readonly string[],
  bodies: () => ReplayedBodies,
  pageNow: () => Asked,
): OwnFetcher {
  let known: Promise<ReadonlyMap<string, readonly KnownAnswer[]>> | null = null;
  return async (_page, url) => {
    known ??= answersOf(folders);
    const answers = (await known).get(url) ?? [];
    const { startedAtMs } = pageNow();
    const answer = answers.find((each) => each.startedAtMs >= startedAtMs) ?? answers.at(-1);
    if (answer === undefined) return { kind: 'dropped', url, reason: 'not-archived' };
    for await (const exchange of readExchangeAt(answer.folder, answer.place)) {
      return replayedOutcome(exchange, { ...bodies(), largeBody: () => null });
    }
    return { kind: 'dropped', url, reason: 'not-archived' };
  };
}

interface KnownAnswer {
  readonly startedAtMs: number;
  readonly folder: string;
  readonly place: ExchangePlace;
}

async function answersOf(folders: readonly string[]): Promise<ReadonlyMap<string, readonly KnownAnswer[]>> {
  const answers = new Map<string, KnownAnswer[]>();
  for (const folder of folders) {
    for await (const { purpose, url, startedAtMs, place } of readExchanges(folder)) {
      if (purpose !== 'handler') continue;
      const known = answers.get(url);
      if (known === undefined) answers.set(url, [{ startedAtMs, folder, place }]);
      else known.push({ startedAtMs, folder, place });
    }
  }
  return answers;
}
