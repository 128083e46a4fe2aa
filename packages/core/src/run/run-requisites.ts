// What fetches the files that archived pages need, made of the parts of a run.

import type { Requisites } from '../crawl/requisites.js';
import type { Run } from './run.js';

/** Makes what fetches the files that archived pages need; `null`: they are not wanted. */
export async function createRequisites(run: Run): Promise<Requisites | null> {
  const { archive, pageRequests, frontier, scope, journal, stop, totals } = run;
  const options = run.options.archive?.requisites ?? null;
  if (archive === null || options === null) return null;
  const { Requisites } = await import('../crawl/requisites.js');
  const isArchived = (url: string): boolean => archive.knows(url);
  const isOver = (): boolean => ['bytes', 'minutes'].includes(frontier.reachedBound() ?? '');
  const nowMs = (): number => run.nowMs();
  return new Requisites({ options, requests: pageRequests, isArchived, totals, isOver, scope, journal, nowMs, stop });
}
