// The option that an unknown name probably means: one of the same name elsewhere, one that other crawlers call so, or
// one with similar spelling.

import type { Rows } from './row.js';
import { placedRows } from './table.js';

/** Names of options in Crawlee, Scrapy, wget and first guesses, reduced to lower-case letters. */
const FOREIGN_NAMES: readonly (readonly [option: string, names: string])[] = [
  ['scope.seeds', 'starturls inputfile'],
  ['scope.include', 'accept'],
  ['scope.exclude', 'reject'],
  ['scope.prefixes', 'noparent'],
  ['scope.hosts', 'domains'],
  ['scope.within', 'alloweddomains'],
  ['bounds.pages', 'maxrequestspercrawl pagelimit closespiderpagecount maxdocumentsdownload maxpages limit'],
  ['bounds.depth', 'maxcrawldepth depthlimit level maxdepth'],
  ['bounds.minutes', 'maxtimeseconds maxtime closespidertimeout'],
  ['bounds.bytes', 'quota'],
  ['network.concurrency', 'maxconcurrency concurrentrequests threads'],
  ['politeness.requestsPerSecond', 'maxrequestsperminute rate'],
  ['politeness.profile', 'downloaddelay samedomaindelaysecs delay delayms crawldelay wait waitseconds interval'],
  ['retries.failureWaitsMs', 'maxrequestretries maxretries retrytimes'],
  ['handlerTimeoutMs', 'requesthandlertimeoutsecs'],
  ['network.proxy', 'proxyconfiguration proxyurl proxyurls proxies'],
  ['identity.name', 'useragent'],
  ['handlers', 'requesthandler parse'],
  ["crawler.events.on('decision', …)", 'failedrequesthandler'],
  ['hooks.beforeFetch', 'prenavigationhooks beforerequest middlewares downloadermiddlewares'],
  ['items', 'pipelines itempipelines'],
  ['csv', 'feeds feeduri feedformat'],
  ['out', 'output outputdir directoryprefix jobdir'],
  ['archive.requisites', 'pagerequisites'],
  ['archive', 'warcfile'],
  ['log', 'loglevel verbose'],
  ['network.headers', 'headers'],
  ['network.requestTimeoutMs', 'timeout'],
  ['browser', 'headless launchcontext'],
];
/** Keys of a configuration file, and their counterparts in a program. */
const CODE_EQUIVALENTS = new Map([
  ['out', 'crawler.run({ out })'],
  ['handlers', "crawler.on('html', …)"],
  ['browser', 'fetcher: browserFetcher({ launch })'],
  ['csv', 'sinks: [csvSink({ path })]'],
  ['sqlite', 'sinks: [sqliteSink({ path })]'],
  ['postgres', 'sinks: [postgresSink({ pool })]'],
  ['webhook', 'sinks: [webhookSink({ url })]'],
  ['s3', 'sinks: [s3Sink({ client, bucket })]'],
]);
const OPTION_BY_FOREIGN_NAME = new Map([
  ...[...CODE_EQUIVALENTS.keys()].map((name) => [name, name] as const),
  ...FOREIGN_NAMES.flatMap(([option, names]) => names.split(' ').map((name) => [name, option] as const)),
]);
/** Words for purposes in standards and first guesses, reduced likewise. */
const FOREIGN_PURPOSES: readonly (readonly [purpose: string, words: RegExp])[] = [
  ['ai-train', /^(?:ai)?training$|^train|^genai|^finetun/],
  ['ai-input', /^rag$|^retriev|^grounding$|^ai(?:index|search)$/],
  ['ai-train` or `ai-input', /^ai(?:all)?$|^llms?$/],
  ['tdm', /mining$|^tdm|^research$/],
  ['search', /^search|^index/],
  ['archive', /archiv|^preserv/],
];
/** Names in other crawlers, and in the group `robots`, for obeying robots.txt, or not. */
const OBEY_NAME = /^(?:(?:dis|no|ignore)?obey|robotstxtobey|(?:respect|ignore|no|obey)robots(?:txt)?(?:file)?)$/;
const OBEY_NAME_IN_ROBOTS = /^robots\.(?:respect|ignore|enabled?|disabled?|follow)$/;
/** The hint for options that would ignore robots.txt. */
export const OBEY_HINT =
  'robots.txt is always obeyed. To crawl a site of your own that excludes crawlers, let its robots.txt name yours: ' +
  '"User-agent: <your name>", and below it "Allow: /".';
/** How many letters may be wrong, and of how many. */
const MAX_EDITS = 2;
const MAX_NAME_CHARS = 40;

/** The hint for an unknown name; `null` if no option is similar. @param path - Of the group, with a dot, or empty. */
export function hintFor(unknown: string, path: string, rows: Rows): string | null {
  if (OBEY_NAME.test(plainName(unknown)) || OBEY_NAME_IN_ROBOTS.test(path + unknown)) return OBEY_HINT;
  const suggestion = suggestionFor(unknown, path, rows);
  return suggestion === null ? null : `Did you mean \`${suggestion}\`?`;
}

/** The hint for a wrong value of a choice; `undefined` if no value is similar. */
export function choiceHint(value: unknown, values: readonly unknown[]): string | undefined {
  if (typeof value !== 'string') return undefined;
  const purposes = values.includes('ai-train') ? FOREIGN_PURPOSES : [];
  const [purpose] = purposes.find(([, words]) => words.test(plainName(value.slice(0, MAX_NAME_CHARS)))) ?? [];
  const meant = purpose ?? closestName(value, values.map(String));
  return meant === null ? undefined : `Did you mean \`${meant}\`?`;
}

/** The path of the option that was meant; `null` if none is similar. */
export function suggestionFor(unknown: string, path: string, rows: Rows): string | null {
  const known = placedRows(rows, path).map((placed) => placed.path);
  const nameOf = (each: string): string => each.slice(each.lastIndexOf('.') + 1);
  const same = known.find((each) => nameOf(each) === unknown);
  const foreign = OPTION_BY_FOREIGN_NAME.get(plainName(unknown));
  if (foreign?.startsWith(path) === true)
    return known.includes(foreign) ? foreign : (CODE_EQUIVALENTS.get(foreign) ?? foreign);
  if (same !== undefined) return same;
  return closestName(unknown, known, nameOf);
}

/** The known name or path with similar spelling; `null` if there is none. @param nameOf - The name in a path. */
export function closestName(
  unknown: string,
  known: readonly string[],
  nameOf = (path: string): string => path,
): string | null {
  if (unknown.length > MAX_NAME_CHARS) return null;
  const candidates = known.map((each) => ({ each, distance: editDistance(unknown, nameOf(each)) }));
  const [nearest] = candidates.sort((a, b) => a.distance - b.distance);
  return nearest !== undefined && nearest.distance <= Math.min(MAX_EDITS, unknown.length / 3) ? nearest.each : null;
}

function plainName(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

/** Letters to add, remove, replace or swap with the next one (Levenshtein distance), a row of the table at a time. */
function editDistance(one: string, other: string): number {
  let previousRow: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length; at += 1) {
    const next = [at + 1];
    for (let to = 1; to <= other.length; to += 1) {
      const replaced = (row[to - 1] ?? 0) + (other[to - 1] === one[at] ? 0 : 1);
      const isSwapped = at > 0 && to > 1 && one[at] === other[to - 2] && one[at - 1] === other[to - 1];
      const swapped = isSwapped ? (previousRow[to - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    previousRow = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
