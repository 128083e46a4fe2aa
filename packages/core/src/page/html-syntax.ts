// The lexical rules of HTML that the scanner needs: characters, the names it looks for, and where comments and the text
// of elements such as `script` end. Pure functions over the page, linear in what they pass.

/** Elements whose attributes the crawl reads. */
export type WantedElement = 'a' | 'area' | 'base' | 'frame' | 'iframe' | 'link' | 'meta';
/** Elements whose content is text, whatever it looks like. `iframe` is one too. */
type RawElement = 'noembed' | 'noframes' | 'plaintext' | 'script' | 'style' | 'textarea' | 'title' | 'xmp';
/** All elements that change how the page after them is read. */
export type KnownElement = WantedElement | RawElement | 'math' | 'svg' | 'template';

const ELEMENTS: readonly KnownElement[] = [
  ...(['a', 'area', 'base', 'frame', 'iframe', 'link', 'math', 'meta', 'noembed', 'noframes', 'plaintext'] as const),
  ...(['script', 'style', 'svg', 'template', 'textarea', 'title', 'xmp'] as const),
];

/** Attributes that the crawl reads, as indexes of their values. */
export const SLOT = { href: 0, src: 1, rel: 2, name: 3, content: 4, value: 5, httpEquiv: 6, xlinkHref: 7 } as const;
export const SLOTS = 8;
/** The index of every other attribute. */
export const NO_SLOT = -1;

/** `>` */
export const GREATER = 0x3e;
/** `/` */
export const SLASH = 0x2f;
const SPACE = 0x20;
const LETTER_A = 0x61;
const LETTER_Z = 0x7a;
const LETTER_H = 0x68;
const LETTER_N = 0x6e;
const LETTER_R = 0x72;
/** The bit that makes an ASCII letter lower case. */
const CASE = 0x20;

/** Whether a code unit is HTML white space. A carriage return is: HTML turns it into a line feed. @throws Never */
export function isWhiteSpace(code: number): boolean {
  return code === SPACE || code === 0x0a || code === 0x0d || code === 0x09 || code === 0x0c;
}

/** Whether a code unit ends the name of a tag. @throws Never */
export function endsName(code: number): boolean {
  return code <= GREATER && (code === GREATER || code === SLASH || isWhiteSpace(code));
}

/** Whether a code unit is an ASCII letter. @throws Never */
export function isLetter(code: number): boolean {
  const small = code | CASE;
  return small >= LETTER_A && small <= LETTER_Z;
}

/** Whether this name stands at a place, in any case. `name`: lower-case ASCII letters, dashes and colons. */
function hasNameAt(html: string, at: number, name: string): boolean {
  if (at + name.length > html.length) return false;
  for (let index = 0; index < name.length; index += 1) {
    // Only the letter itself becomes a letter of a name by this. A control character may become a dash or a colon,
    // which no real name contains.
    if ((html.charCodeAt(at + index) | CASE) !== name.charCodeAt(index)) return false;
  }
  return true;
}

const LONGEST = Math.max(...ELEMENTS.map(({ length }) => length));
const BY_LENGTH: readonly (readonly KnownElement[])[] = Array.from({ length: LONGEST + 1 }, (_, length) =>
  ELEMENTS.filter((name) => name.length === length),
);
/** First letters of the names of each length, as bits from `a` on: most tags are ruled out by this alone. */
const FIRST_LETTERS = Int32Array.from(BY_LENGTH, (names) =>
  names.reduce((bits, name) => bits | (1 << (name.charCodeAt(0) - LETTER_A)), 0),
);

/**
 * The known element whose name stands here. Called for every tag, so it makes no string and no closure. @throws Never
 */
export function elementAt(html: string, start: number, end: number): KnownElement | undefined {
  const length = end - start;
  const letter = html.charCodeAt(start) | CASE;
  if (length === 1) return letter === LETTER_A ? 'a' : undefined;
  if (length > LONGEST || ((FIRST_LETTERS[length]! >>> (letter - LETTER_A)) & 1) === 0) return undefined;
  for (const name of BY_LENGTH[length]!) if (hasNameAt(html, start, name)) return name;
  return undefined;
}

/** The index of the attribute whose name stands here, or `NO_SLOT`. @throws Never */
export function slotAt(html: string, start: number, end: number): number {
  const letter = html.charCodeAt(start) | CASE;
  switch (end - start) {
    case 3:
      if (letter === LETTER_R) return hasNameAt(html, start, 'rel') ? SLOT.rel : NO_SLOT;
      return hasNameAt(html, start, 'src') ? SLOT.src : NO_SLOT;
    case 4:
      if (letter === LETTER_H) return hasNameAt(html, start, 'href') ? SLOT.href : NO_SLOT;
      return letter === LETTER_N && hasNameAt(html, start, 'name') ? SLOT.name : NO_SLOT;
    case 5:
      return hasNameAt(html, start, 'value') ? SLOT.value : NO_SLOT;
    case 7:
      return hasNameAt(html, start, 'content') ? SLOT.content : NO_SLOT;
    case 10:
      if (letter === LETTER_H) return hasNameAt(html, start, 'http-equiv') ? SLOT.httpEquiv : NO_SLOT;
      return hasNameAt(html, start, 'xlink:href') ? SLOT.xlinkHref : NO_SLOT;
    default:
      return NO_SLOT;
  }
}

/** The place behind the next occurrence of `what`, or the end of the page. @throws Never */
export function behind(html: string, what: string, from: number): number {
  const at = html.indexOf(what, from);
  return at < 0 ? html.length : at + what.length;
}

/** The place behind what begins with `<!` before `at`. In SVG and MathML, `<![CDATA[` is a section. @throws Never */
export function declarationEnd(html: string, at: number, isForeign: boolean): number {
  if (html.startsWith('--', at)) return commentEnd(html, at + 2);
  if (isForeign && html.startsWith('[CDATA[', at)) return behind(html, ']]>', at + 7);
  return behind(html, '>', at);
}

/** A comment ends with `-->` or `--!>`, and with `>` or `->` right at its beginning. */
function commentEnd(html: string, from: number): number {
  if (html.startsWith('>', from)) return from + 1;
  if (html.startsWith('->', from)) return from + 2;
  for (let at = html.indexOf('>', from); at >= 0; at = html.indexOf('>', at + 1)) {
    const bang = html.charAt(at - 1) === '!' ? 1 : 0;
    const dashes = at - bang - 2;
    if (dashes >= from && html.startsWith('--', dashes)) return at + 1;
  }
  return html.length;
}

/** The place of the end tag of an element whose content is text, or the end of the page. @throws Never */
export function rawTextEnd(html: string, from: number, name: KnownElement): number {
  if (name === 'script') return scriptEnd(html, from);
  for (let at = html.indexOf('</', from); at >= 0; at = html.indexOf('</', at + 2)) {
    if (isTagOf(html, at + 2, name)) return at;
  }
  return html.length;
}

/**
 * Behind `<!--`, a `<script` begins a script inside the script, whose end tag does not end the outer one, until `-->`.
 *
 * @see HTML, "script data escaped state"
 */
function scriptEnd(html: string, from: number): number {
  let at = html.indexOf('<', from);
  while (at >= 0) {
    if (isTagOf(html, at + 2, 'script') && html.charCodeAt(at + 1) === SLASH) return at;
    if (html.startsWith('!--', at + 1)) {
      // The dashes that begin the escape may also end it.
      const { place, isEnd } = escapeEnd(html, at + 2);
      if (isEnd) return place;
      at = html.indexOf('<', place);
    } else {
      at = html.indexOf('<', at + 1);
    }
  }
  return html.length;
}

const IN_ESCAPE = /-->|<\/?script[\t\n\f\r />]/gi;
const IN_INNER_SCRIPT = /-->|<\/script[\t\n\f\r />]/gi;

/** From behind `<!` in a script: the place of the script's end tag (`isEnd`), or the place behind `-->`. */
function escapeEnd(html: string, from: number): { place: number; isEnd: boolean } {
  let pattern = IN_ESCAPE;
  let place = from;
  for (;;) {
    pattern.lastIndex = place;
    const match = pattern.exec(html);
    if (match === null) return { place: html.length, isEnd: true };
    place = match.index + match[0].length;
    if (match[0] === '-->') return { place, isEnd: false };
    if (pattern === IN_ESCAPE && match[0].charCodeAt(1) === SLASH) return { place: match.index, isEnd: true };
    pattern = pattern === IN_ESCAPE ? IN_INNER_SCRIPT : IN_ESCAPE;
  }
}

function isTagOf(html: string, at: number, name: string): boolean {
  const end = at + name.length;
  return end < html.length && hasNameAt(html, at, name) && endsName(html.charCodeAt(end));
}
