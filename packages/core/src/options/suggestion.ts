// The option that was probably meant by a name that is none: one of the same name elsewhere, one that other crawlers
// call so, or one that is spelled nearly so.

import type { Rows } from './row.js';
import { placedRows } from './table.js';

/** What is meant by the names of Crawlee and Scrapy, in the spelling of both, and by words that come to mind first. */
const ELSEWHERE = new Map(
  Object.entries({
    starturls: 'scope.seeds',
    inputfile: 'scope.seeds',
    accept: 'scope.include',
    reject: 'scope.exclude',
    noparent: 'scope.prefixes',
    domains: 'scope.hosts',
    alloweddomains: 'scope.within',
    maxrequestspercrawl: 'bounds.pages',
    maxcrawldepth: 'bounds.depth',
    depthlimit: 'bounds.depth',
    level: 'bounds.depth',
    pagelimit: 'bounds.pages',
    closespiderpagecount: 'bounds.pages',
    maxdocumentsdownload: 'bounds.pages',
    maxtimeseconds: 'bounds.minutes',
    maxtime: 'bounds.minutes',
    quota: 'bounds.bytes',
    maxconcurrency: 'network.concurrency',
    concurrentrequests: 'network.concurrency',
    threads: 'network.concurrency',
    maxrequestsperminute: 'politeness.requestsPerSecond',
    rate: 'politeness.requestsPerSecond',
    downloaddelay: 'politeness.profile',
    samedomaindelaysecs: 'politeness.profile',
    maxrequestretries: 'retries.failureWaitsMs',
    requesthandlertimeoutsecs: 'handlerTimeoutMs',
    proxyconfiguration: 'network.proxy',
    proxyurl: 'network.proxy',
    useragent: 'identity.name',
    requesthandler: 'handlers',
    parse: 'handlers',
    failedrequesthandler: "crawler.events.on('decision', …)",
    prenavigationhooks: 'hooks.beforeFetch',
    beforerequest: 'hooks.beforeFetch',
    out: 'out',
    output: 'out',
    outputdir: 'out',
    directoryprefix: 'out',
    pagerequisites: 'archive.requisites',
    warcfile: 'archive',
    loglevel: 'log',
    verbose: 'log',
    headers: 'network.headers',
    timeout: 'network.requestTimeoutMs',
    maxpages: 'bounds.pages',
    limit: 'bounds.pages',
    maxdepth: 'bounds.depth',
    delay: 'politeness.profile',
    wait: 'politeness.profile',
    waitseconds: 'politeness.profile',
    interval: 'politeness.profile',
    headless: 'browser',
    launchcontext: 'browser',
  }),
);
/** Keys of a configuration file, and what a program has instead. */
const CALLS = new Map([
  ['out', 'crawler.run({ out })'],
  ['handlers', "crawler.on('html', …)"],
]);
/** What other crawlers call obeying robots.txt, or not. */
const OBEYING = /^(?:(?:dis|no|ignore)?obey|robotstxtobey|(?:respect|ignore|no|obey)robots(?:txt)?(?:file)?)$/;
const OBEYED =
  'robots.txt is always obeyed. To crawl a site of your own that excludes crawlers, let its robots.txt name yours: ' +
  '"User-agent: <your name>", and below it "Allow: /".';
/** Letters that may be wrong, and of how many. */
const MOST_WRONG = 2;
const MAX_NAME_CHARS = 40;

/** What to say of an unknown name; `null`: nothing comes near. @param path - Of the group, with a dot, or empty. */
export function hintFor(unknown: string, path: string, rows: Rows): string | null {
  if (OBEYING.test(plainName(unknown))) return OBEYED;
  const meant = suggestionFor(unknown, path, rows);
  return meant === null ? null : `Did you mean \`${meant}\`?`;
}

/** The path of the option that was meant; `null`: none comes near. */
export function suggestionFor(unknown: string, path: string, rows: Rows): string | null {
  const known = placedRows(rows, path).map((placed) => placed.path);
  const nameOf = (each: string): string => each.slice(each.lastIndexOf('.') + 1);
  const same = known.find((each) => nameOf(each) === unknown);
  const elsewhere = ELSEWHERE.get(plainName(unknown));
  if (elsewhere?.startsWith(path) === true)
    return known.includes(elsewhere) ? elsewhere : (CALLS.get(elsewhere) ?? elsewhere);
  if (same !== undefined) return same;
  return spelledNearly(unknown, known, nameOf);
}

/** The one whose name is spelled nearly so; `null`: none is. */
export function spelledNearly(
  unknown: string,
  known: readonly string[],
  nameOf = (each: string): string => each,
): string | null {
  if (unknown.length > MAX_NAME_CHARS) return null;
  const near = known.map((each) => ({ each, wrong: lettersWrong(unknown, nameOf(each)) }));
  const [nearest] = near.sort((a, b) => a.wrong - b.wrong);
  return nearest !== undefined && nearest.wrong <= Math.min(MOST_WRONG, unknown.length / 3) ? nearest.each : null;
}

/** A name in whatever spelling, in small letters alone. */
function plainName(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
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
