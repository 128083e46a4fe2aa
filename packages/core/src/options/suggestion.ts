// The option that was probably meant by a name that is none: one of the same name elsewhere, one that other crawlers
// call so, or one that is spelled nearly so.

import type { Rows } from './row.js';
import { placedRows } from './table.js';

/** What Crawlee and Scrapy call an option, in the spelling of both. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  starturls: 'scope.seeds',
  alloweddomains: 'scope.within',
  maxrequestspercrawl: 'bounds.pages',
  maxcrawldepth: 'bounds.depth',
  depthlimit: 'bounds.depth',
  maxconcurrency: 'network.concurrency',
  concurrentrequests: 'network.concurrency',
  maxrequestsperminute: 'politeness.requestsPerSecond',
  downloaddelay: 'politeness.profile',
  samedomaindelaysecs: 'politeness.profile',
  maxrequestretries: 'retries.failureWaitsMs',
  requesthandlertimeoutsecs: 'handlerTimeoutMs',
  proxyconfiguration: 'network.proxy',
  useragent: 'identity.name',
};
/** Letters that may be wrong, and of how many. */
const MOST_WRONG = 2;
const MAX_NAME_CHARS = 40;

/** The path of that option; `null`: none comes near. @param path - Of the group, with a dot at its end, or empty. */
export function suggestionFor(unknown: string, path: string, rows: Rows): string | null {
  const known = placedRows(rows, path).map((placed) => placed.path);
  const nameOf = (each: string): string => each.slice(each.lastIndexOf('.') + 1);
  const same = known.find((each) => nameOf(each) === unknown);
  const elsewhere = path === '' ? ELSEWHERE[unknown.replaceAll(/[_-]/g, '').toLowerCase()] : undefined;
  if (same !== undefined || elsewhere !== undefined) return same ?? elsewhere ?? null;
  if (unknown.length > MAX_NAME_CHARS) return null;
  const near = known.map((each) => ({ each, wrong: lettersWrong(unknown, nameOf(each)) }));
  const [nearest] = near.sort((a, b) => a.wrong - b.wrong);
  return nearest !== undefined && nearest.wrong <= Math.min(MOST_WRONG, unknown.length / 3) ? nearest.each : null;
}

/** Letters to add, take away or replace (Levenshtein's distance), a row of the table at a time. */
function lettersWrong(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let to = 1; to <= other.length; to += 1) {
      const replaced = (row[to - 1] ?? 0) + (other[to - 1] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
