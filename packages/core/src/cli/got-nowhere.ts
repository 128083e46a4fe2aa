// Why a crawl came to nothing: said at its end where it fetched no page, or none beyond the one it began with.

import { type CrawlReport, reasonOf } from 'mannerly';

/** Reasons of pages that were fetched, and came to nothing all the same. */
const EMPTY_HANDED: readonly string[] = ['no-handler'];

/**
 * What stood in the way, a line for each reason with what can be done; `null` for a crawl that got somewhere, that was ended from
 * outside, or that was over before.
 *
 * @throws Never
 */
export function gotNowhereText({ pages, state, alreadyFinished, outcomes }: CrawlReport): string | null {
  if (pages > 1 || alreadyFinished || (state !== 'finished' && state !== 'waiting')) return null;
  const head = pages === 0 ? 'No page was fetched:' : 'Only one page was fetched:';
  const reasons = Object.entries(outcomes).flatMap(([word, counts]) =>
    Object.entries(counts).filter(([reason]) => word !== 'fetched' || EMPTY_HANDED.includes(reason)),
  );
  if (reasons.length === 0) return pages === 0 ? null : `${head} no link was found on it that could be followed.`;
  return [head, ...reasons.map(([reason, count]) => `  ${reason} (${count}): ${meaningOf(reason)}`)].join('\n');
}

function meaningOf(reason: string): string {
  const row = reasonOf(reason);
  if (row === null) return 'see the decision log.';
  return row.todo === '' ? row.means : `${row.means} ${row.todo}`;
}
