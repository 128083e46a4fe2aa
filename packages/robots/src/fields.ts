// The known fields, their numbers in packed records, their scope and the closed list of misspellings (robots §3.4,
// R11). The list has whole names, not prefixes: a prefix would match future fields.

// A number for each kind of record; fits five bits. Those of fields follow the rows of `FIELDS`; some have no constant,
// since nothing asks for them. Separate constants, because a bundler inlines them as digits.
export const BAD = 1;
export const UNKNOWN = 2;
export const USER_AGENT = 3;
export const DISALLOW = 4;
export const ALLOW = 5;
export const CRAWL_DELAY = 6;
export const COMMENT = 12;
export const NOINDEX = 13;
export const ROBOT_VERSION = 14;
export const LICENSE = 15;
export const SITEMAP = 16;
/** A line without content that has a note, for example about NUL bytes. */
export const REMARK = 22;
/** Added to the kind of a misspelt name. */
export const MISSPELLED = 32;

/**
 * From `USER_AGENT` on: the canonical name, and its misspellings. `!` stands for a hyphen, a blank, an underscore or
 * nothing. The last two dashes are U+2011 and U+2013.
 */
const FIELDS: readonly (readonly string[])[] = `user!agent,user-agents,useragents,\
user agents,user\xe2\x80\x91agent,user\xe2\x80\x93agent
disallow,disalow,dissallow,dissalow,diasllow,disallaw,disallows,disallowed,dis-allow,dis allow,disalllow,disllow,\
diallow,dsallow
allow
crawl!delay,crawl-dealy,craw-delay
request!rate
visit!time,visit-times
cache-delay
content-signal,contentsignal,content_signal,content-signals
content-usage,contentusage,content_usage
comment
noindex
robot!version,robots-version
license,licence,licenses
sitemap,site-map,site map,site_map,sitemaps
host
clean-param,cleanparam,clean_param
pleasevisit,please-visit,please visit`
  .split('\n')
  .map((row) =>
    row
      .split(',')
      .flatMap((name) => (name.includes('!') ? ['-', '', ' ', '_'].map((blank) => name.replace('!', blank)) : name)),
  );

/** The bytes of names, each letter in both cases and both blanks as one symbol; other bytes are 0. */
const SYMBOLS = new Uint8Array(256);
const BLANK = 1;
/** The number of symbols, 0 included. */
const WIDTH = 33;
for (const [at, char] of [...' -_abcdefghijklmnopqrstuvwxyz\xe2\x80\x91\x93'].entries()) {
  SYMBOLS[char.charCodeAt(0)] = at + 1;
  if (char >= 'a' && char <= 'z') SYMBOLS[char.charCodeAt(0) & 0x5f] = at + 1;
}
SYMBOLS[0x09] = BLANK;

/**
 * The names as a tree: for each node and each symbol the next node, 0 for none, so that a name is recognised in one
 * pass and without a string. A blank after a blank stays at its node.
 */
const TREE = new Uint16Array(WIDTH * 400);
/** The kind of the name that ends at a node. */
const KINDS = new Uint8Array(400);
let nodes = 1;
const addName = (name: string, kind: number): void => {
  let node = 0;
  for (const char of name) {
    const symbol = SYMBOLS[char.charCodeAt(0)] as number;
    const edge = node * WIDTH + symbol;
    TREE[edge] ||= nodes++;
    node = TREE[edge] as number;
    if (symbol === BLANK) TREE[node * WIDTH + BLANK] = node;
  }
  KINDS[node] = kind;
};
for (const [row, names] of FIELDS.entries()) {
  for (const [at, name] of names.entries()) addName(name, row + USER_AGENT + (at && MISSPELLED));
}
// A URL on a line of its own may be a sitemap.
addName('http', UNKNOWN);

/** The field that `bytes[from, to)` names, in any case and with a run of blanks as one; else `UNKNOWN`. */
export function fieldKind(bytes: Uint8Array, from: number, to: number): number {
  return KINDS[nodeOf(bytes, from, to)] || UNKNOWN;
}

/** Whether the first two bytes of `bytes[from, to)` begin the name of a field or `http`. */
export function beginsField(bytes: Uint8Array, from: number, to: number): boolean {
  return to > from + 1 && nodeOf(bytes, from, from + 2) > 0;
}

function nodeOf(bytes: Uint8Array, from: number, to: number): number {
  let node = 0;
  for (let i = from; i < to; i++) {
    node = TREE[node * WIDTH + (SYMBOLS[bytes[i] as number] as number)] as number;
    if (node === 0) break;
  }
  return node;
}

/** The canonical lower-case name of a known field; `''` for the other kinds. */
export function fieldName(kind: number): string {
  return FIELDS[kind - USER_AGENT]?.[0] ?? '';
}

/** Whether a field applies to the crawlers of its group only. License does if it is in a group. */
export function isGroupField(kind: number): boolean {
  return kind >= CRAWL_DELAY && kind <= LICENSE;
}

export function isKnownField(kind: number): boolean {
  return kind > UNKNOWN && kind < REMARK;
}
