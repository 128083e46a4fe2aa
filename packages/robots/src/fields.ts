// The fields that are known, their numbers in packed records, their scope and the closed list of misspellings (robots
// §3.4, R11). A list of whole names, not of prefixes: a prefix would swallow fields to come.

// A number for each kind of record; fits five bits. Constants of their own, because a bundler writes them as digits.
export const BAD = 1;
export const UNKNOWN = 2;
export const USER_AGENT = 3;
export const DISALLOW = 4;
export const ALLOW = 5;
export const CRAWL_DELAY = 6;
export const REQUEST_RATE = 7;
export const VISIT_TIME = 8;
export const CACHE_DELAY = 9;
export const CONTENT_SIGNAL = 10;
export const CONTENT_USAGE = 11;
export const COMMENT = 12;
export const NOINDEX = 13;
export const ROBOT_VERSION = 14;
export const LICENSE = 15;
export const SITEMAP = 16;
export const HOST = 17;
export const CLEAN_PARAM = 18;
export const PLEASE_VISIT = 19;
/** A line without content that has something to tell: NUL bytes, say. */
export const REMARK = 20;

/** The canonical names from `USER_AGENT` on, and behind two blanks what else is read as them. */
const FIELDS: readonly (readonly string[])[] = `user-agent  user([ -]?agents|[ _\u2011\u2013]?agent)
disallow  dis(alow|sall?ow|allaw|allows|allowed|[- ]allow|alllow|llow)|diasllow|diallow|dsallow
allow
crawl-delay  crawl([ _]?delay|-dealy)|craw-delay
request-rate  request[ _]?rate
visit-time  visit([ _]?time|-times)
cache-delay
content-signal  content(_?signal|-signals)
content-usage  content_?usage
comment
noindex
robot-version  robot([ _]?version|s-version)
license  licen(ce|ses)
sitemap  site([ _-]map|maps)
host
clean-param  clean_?param
pleasevisit  please[ -]visit`
  .split('\n')
  .map((row) => row.split('  '));

const KINDS: ReadonlyMap<string, number> = new Map(FIELDS.map(([known], row) => [known as string, row + USER_AGENT]));
/** One group for each field; `[]` matches nothing. */
const MISSPELT = new RegExp(
  `^(?:${FIELDS.map(([, others = '[]']) => `(${others.replaceAll('(', '(?:')})`).join('|')})$`,
);
/** Characters of the shortest name, and of names that are misspelt. */
export const MIN_NAME = 4;
const MAX_NAME = 16;

/** The canonical lower-case name of a known field; `''` for the other kinds. */
export function fieldName(kind: number): string {
  return FIELDS[kind - USER_AGENT]?.[0] ?? '';
}

/** The field of a lower-case name with single blanks; `UNKNOWN` for an unknown one. */
export function fieldKind(name: string, repair: boolean): number {
  const known = KINDS.get(name);
  if (known !== undefined || !repair || name.length > MAX_NAME || name.length < MIN_NAME) return known ?? UNKNOWN;
  const row = MISSPELT.exec(name)?.lastIndexOf(name) ?? -1;
  return row < 0 ? UNKNOWN : row - 1 + USER_AGENT;
}

/** Two letters as an index; other bytes share those of letters. */
function pairIndex(first: number, second: number): number {
  return ((first & 31) << 5) | (second & 31);
}

/** How names that are known or misspelt begin, and how a URL begins. */
const STARTS = new Uint8Array(1024);
for (const [pair] of 'usdidsalcrrevicaconorosihoclplhtli'.matchAll(/../g)) {
  STARTS[pairIndex(pair.charCodeAt(0), pair.charCodeAt(1))] = 1;
}

/** Whether a line whose first two bytes these are may begin with the name of a known field. */
export function mayBeginField(first: number, second: number): boolean {
  return STARTS[pairIndex(first, second)] === 1;
}

/** The known field that `bytes[start, end)` names, in any case, without making a string; else `UNKNOWN`. */
export function bytesKind(bytes: Uint8Array, start: number, end: number): number {
  if (!mayBeginField(bytes[start] as number, bytes[start + 1] as number)) return UNKNOWN;
  for (let row = 0; row < FIELDS.length; row++) {
    const name = FIELDS[row]?.[0] as string;
    if (name.length !== end - start) continue;
    let i = 0;
    while (i < name.length && ((bytes[start + i] as number) | 0x20) === name.charCodeAt(i)) i++;
    if (i === name.length) return row + USER_AGENT;
  }
  return UNKNOWN;
}

/** Whether a field applies to the crawlers of its group, not to all crawlers; License does where it is in a group. */
export function isGroupField(kind: number): boolean {
  return kind >= CRAWL_DELAY && kind <= LICENSE;
}

/** Whether a kind is a field that is known. */
export function isKnownField(kind: number): boolean {
  return kind > UNKNOWN && kind < REMARK;
}
