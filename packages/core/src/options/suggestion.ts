// The option that was probably meant by a name that is none: one of the same name elsewhere, one that other crawlers
// call so, or one that is spelled nearly so.

import type { Rows } from './row.js';
import { placedRows } from './table.js';

/** What is meant by the names of Crawlee and Scrapy, in the spelling of both, and by words that come to mind first. */
const ELSEWHERE = new Map(
  Object.entries({
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
    requesthandler: "crawler.on('html', …)",
    failedrequesthandler: "crawler.events.on('decision', …)",
    prenavigationhooks: 'hooks.beforeFetch',
    beforerequest: 'hooks.beforeFetch',
    out: 'crawler.run({ out })',
    headers: 'network.headers',
    timeout: 'network.requestTimeoutMs',
    maxpages: 'bounds.pages',
    maxdepth: 'bounds.depth',
    delay: 'politeness.profile',
    interval: 'politeness.profile',
  }),
);
/** Letters that may be wrong, and of how many. */
const MOST_WRONG = 2;
const MAX_NAME_CHARS = 40;

/** The path of that option; `null`: none comes near. @param path - Of the group, with a dot at its end, or empty. */
export function suggestionFor(unknown: string, path: string, rows: Rows): string | null {
  const known = placedRows(rows, path).map((placed) => placed.path);
  const nameOf = (each: string): string => each.slice(each.lastIndexOf('.') + 1);
  const same = known.find((each) => nameOf(each) === unknown);
  const elsewhere = ELSEWHERE.get(unknown.replaceAll(/[_-]/g, '').toLowerCase());
  if (elsewhere?.startsWith(path) === true) return elsewhere;
  if (same !== undefined) return same;
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
