// The rules of HTML that the scanner needs: characters, the names it looks for, where comments and the text of elements
// such as `script` end, and where SVG and MathML apply. Linear in what they pass.

import { MAX_FOREIGN_DEPTH } from './limits.js';

const REPORTED = ['a', 'area', 'base', 'frame', 'iframe', 'link', 'meta'] as const;
const RAW_TEXT = ['noembed', 'noframes', 'script', 'style', 'textarea', 'title', 'xmp'] as const;

/** Elements whose attributes the crawl reads. */
export type ReportedElement = (typeof REPORTED)[number];
/** All elements that change how the page after them is read. */
export type KnownElement = ReportedElement | (typeof RAW_TEXT)[number] | 'math' | 'plaintext' | 'svg' | 'template';
export const REPORTED_ELEMENTS: ReadonlySet<KnownElement | undefined> = new Set(REPORTED);
/** Elements whose content is always text. */
export const RAW_TEXT_ELEMENTS: ReadonlySet<KnownElement> = new Set([...RAW_TEXT, 'iframe']);

/** Attributes that the crawl reads, as indexes of their values. */
export const SLOT = {
  href: 0,
  src: 1,
  rel: 2,
  name: 3,
  content: 4,
  value: 5,
  'http-equiv': 6,
  'xlink:href': 7,
  type: 8,
  hreflang: 9,
} as const;
export const SLOT_COUNT = 10;

export const GREATER_THAN = 0x3e;
export const SLASH = 0x2f;
const SPACE = 0x20;
const LETTER_A = 0x61;
const LETTER_Z = 0x7a;
/** The bit that makes an ASCII letter lower case. */
const CASE_BIT = 0x20;

/** A carriage return is white space: HTML turns it into a line feed. @throws Never */
export function isWhiteSpace(code: number): boolean {
  return code === SPACE || code === 0x0a || code === 0x0d || code === 0x09 || code === 0x0c;
}

/** Whether a code unit ends the name of a tag. @throws Never */
export function endsName(code: number): boolean {
  return code <= GREATER_THAN && (code === GREATER_THAN || code === SLASH || isWhiteSpace(code));
}

export function isLetter(code: number): boolean {
  const lower = code | CASE_BIT;
  return lower >= LETTER_A && lower <= LETTER_Z;
}

/** Whether this name is at a position, in any case. `name`: lower-case ASCII letters, dashes and colons. */
function hasNameAt(html: string, at: number, name: string): boolean {
  if (at + name.length > html.length) return false;
  for (let index = 0; index < name.length; index += 1) {
    // Only a letter itself can match a letter of a name this way. A control character may match a dash or a colon, but
    // no real name contains one.
    if ((html.charCodeAt(at + index) | CASE_BIT) !== name.charCodeAt(index)) return false;
  }
  return true;
}

/** Names to look for. Used for every tag and attribute, so a search allocates no string and no closure. */
class NameTable<Name extends string> {
  readonly #byLength: readonly (readonly Name[])[];
  /** First letters of the names of each length, as bits starting at `a`. This alone rules out most names. */
  readonly #firstLetters: Int32Array;

  constructor(names: readonly Name[]) {
    const longest = Math.max(...names.map(({ length }) => length));
    this.#byLength = Array.from({ length: longest + 1 }, (_, length) => names.filter((name) => name.length === length));
    this.#firstLetters = Int32Array.from(this.#byLength, (each) =>
      each.reduce((bits, name) => bits | (1 << (name.charCodeAt(0) - LETTER_A)), 0),
    );
  }

  /** The name at a position. @throws Never */
  at(html: string, start: number, end: number): Name | undefined {
    const length = end - start;
    const letter = html.charCodeAt(start) | CASE_BIT;
    if (length >= this.#byLength.length || ((this.#firstLetters[length]! >>> (letter - LETTER_A)) & 1) === 0) {
      return undefined;
    }
    for (const name of this.#byLength[length]!) if (hasNameAt(html, start, name)) return name;
    return undefined;
  }
}

export const ELEMENTS = new NameTable<KnownElement>([...REPORTED, ...RAW_TEXT, 'math', 'plaintext', 'svg', 'template']);
export const ATTRIBUTES = new NameTable(Object.keys(SLOT) as (keyof typeof SLOT)[]);

/** The position after the next occurrence of `what`, or the end of the page. @throws Never */
export function indexAfter(html: string, what: string, from: number): number {
  const at = html.indexOf(what, from);
  return at < 0 ? html.length : at + what.length;
}

/** The position after what begins with `<!` before `at`. In SVG and MathML, `<![CDATA[` is a section. @throws Never */
export function declarationEnd(html: string, at: number, isForeign: boolean): number {
  if (html.startsWith('--', at)) return commentEnd(html, at + 2);
  if (isForeign && html.startsWith('[CDATA[', at)) return indexAfter(html, ']]>', at + 7);
  return indexAfter(html, '>', at);
}

const COMMENT_END = /--!?>/g;

/** A comment ends with `-->` or `--!>`, and with `>` or `->` right at its beginning. */
function commentEnd(html: string, from: number): number {
  if (html.startsWith('>', from)) return from + 1;
  if (html.startsWith('->', from)) return from + 2;
  COMMENT_END.lastIndex = from;
  return COMMENT_END.test(html) ? COMMENT_END.lastIndex : html.length;
}

/** The position of the end tag of an element whose content is text, or the end of the page. @throws Never */
export function rawTextEnd(html: string, from: number, name: KnownElement): number {
  if (name === 'script') return scriptEnd(html, from);
  for (let at = html.indexOf('</', from); at >= 0; at = html.indexOf('</', at + 2)) {
    if (isTagOf(html, at + 2, name)) return at;
  }
  return html.length;
}

const IN_ESCAPE = /-->|<\/?script[\t\n\f\r />]/gi;

/** After `<!--`, `<script` begins an inner script; its end tag ends only that (HTML, "script data escaped state"). */
function scriptEnd(html: string, from: number): number {
  for (let at = html.indexOf('<', from); at >= 0; at = html.indexOf('<', at + 1)) {
    if (html.charCodeAt(at + 1) === SLASH && isTagOf(html, at + 2, 'script')) return at;
    if (!html.startsWith('!--', at + 1)) continue;
    // The dashes that begin the escape may also end it.
    IN_ESCAPE.lastIndex = at + 2;
    for (let isInner = false; ; ) {
      const match = IN_ESCAPE.exec(html);
      if (match === null) return html.length;
      if (match[0] === '-->') break;
      const isEnd = match[0].charCodeAt(1) === SLASH;
      if (isEnd && !isInner) return match.index;
      isInner = !isEnd;
    }
    at = IN_ESCAPE.lastIndex - 1;
  }
  return html.length;
}

function isTagOf(html: string, at: number, name: string): boolean {
  const end = at + name.length;
  return end < html.length && hasNameAt(html, at, name) && endsName(html.charCodeAt(end));
}

function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** Elements inside SVG and inside MathML whose content is HTML again. */
const INTEGRATION_POINTS: Readonly<Record<'svg' | 'math', ReadonlySet<string>>> = {
  svg: wordSet('foreignobject desc title'),
  math: wordSet('mi mo mn ms mtext annotation-xml'),
};

/** HTML elements that end SVG and MathML (HTML, "the rules for parsing tokens in foreign content"). */
const BREAKOUT = wordSet(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
);

/**
 * End tags that end SVG and MathML unless they close an element inside: a page that forgets `</svg>` goes on to close
 * the elements around it. (HTML would ignore an end tag that closes nothing; here it is assumed to close something.)
 */
const CLOSING = wordSet(
  'a article aside b big blockquote br button caption center code dd details dialog div dl dt em fieldset figcaption ' +
    'figure font footer form h1 h2 h3 h4 h5 h6 header i label legend li listing main menu nav nobr noscript ol option ' +
    'p pre ruby s section select small span strike strong sub summary sup table tbody td tfoot th thead tr tt u ul var',
);

/**
 * Tracks where SVG or MathML applies instead of HTML: there `<title>` is no page title, `<style>` and `<script>`
 * contain markup, and `<x/>` closes itself. Only the open SVG and MathML elements are kept. Elements deeper than the
 * limit count as content of the deepest kept one.
 */
export class ForeignContext {
  readonly #open: { readonly name: string; readonly context: 'svg' | 'math' | 'html' }[] = [];

  /** The number of open elements. While it is 0, only `svg` and `math` need to be passed to `open`. */
  get depth(): number {
    return this.#open.length;
  }

  get isForeign(): boolean {
    return this.#open.length > 0 && this.#context() !== 'html';
  }

  /** An element opens. `name`: lower case. Returns whether it is SVG or MathML. */
  open(name: string, isSelfClosing: boolean): boolean {
    if (this.isForeign && BREAKOUT.has(name)) this.#breakOut();
    const outer = this.#context();
    if (outer === 'html' && name !== 'svg' && name !== 'math') return false;
    if (isSelfClosing || this.#open.length >= MAX_FOREIGN_DEPTH) return true;
    const language = outer === 'html' ? (name as 'svg' | 'math') : outer;
    this.#open.push({ name, context: outer !== 'html' && INTEGRATION_POINTS[outer].has(name) ? 'html' : language });
    return true;
  }

  /** An element closes, with everything left open inside it. `name`: lower case. */
  close(name: string): void {
    const index = this.#open.findLastIndex((each) => each.name === name);
    if (!this.isForeign) {
      // Of the end tags in HTML inside SVG, only those of SVG matter.
      if (index >= 0 && (index === this.#open.length - 1 || name === 'svg' || name === 'math')) this.closeTo(index);
    } else if (index >= 0) {
      this.closeTo(index);
    } else if (CLOSING.has(name)) {
      this.#breakOut();
    }
  }

  /** Returns to an earlier depth. */
  closeTo(depth: number): void {
    if (depth < this.#open.length) this.#open.length = depth;
  }

  #context(): 'svg' | 'math' | 'html' {
    return this.#open.at(-1)?.context ?? 'html';
  }

  #breakOut(): void {
    while (this.isForeign) this.#open.pop();
  }
}
