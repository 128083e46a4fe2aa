// The few elements and attributes of a page that anybody asks for, found by length and first letter before a name is cut
// out of the page and compared: most tags of a page are none of them, and this is asked for every tag.

/** Elements whose attributes are wanted. */
export type WantedElement = 'a' | 'area' | 'base' | 'frame' | 'iframe' | 'link' | 'meta';
/** Elements whose content is text, whatever it looks like. `iframe` is one too. */
export type RawElement = 'noembed' | 'noframes' | 'plaintext' | 'script' | 'style' | 'textarea' | 'title' | 'xmp';
/** All that change how what follows is read. */
export type KnownElement = WantedElement | RawElement | 'math' | 'svg' | 'template';

const ELEMENTS: readonly KnownElement[] = [
  ...(['a', 'area', 'base', 'frame', 'iframe', 'link', 'math', 'meta', 'noembed', 'noframes', 'plaintext'] as const),
  ...(['script', 'style', 'svg', 'template', 'textarea', 'title', 'xmp'] as const),
];

/** Attributes that are wanted, as places in a list of spans. */
export const SLOT = { href: 0, src: 1, rel: 2, name: 3, content: 4, value: 5, httpEquiv: 6, xlinkHref: 7 } as const;
/** How many there are. */
export const SLOTS = 8;
/** The place of an attribute that nobody wants. */
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
/** What tells a small letter from a large one in ASCII. */
const CASE = 0x20;

/** Whether a code unit is white space to HTML. A carriage return is: HTML makes a line feed of it. @throws Never */
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

/** Whether a name stands here, in any case, whatever follows. @param name - ASCII letters, dashes and colons, lower case. @throws Never */
export function hasNameAt(html: string, at: number, name: string): boolean {
  if (at + name.length > html.length) return false;
  for (let index = 0; index < name.length; index += 1) {
    // No character but the letter itself becomes one of a name's letters by this. A control character may become a dash or
    // a colon: no name that anybody means holds one.
    if ((html.charCodeAt(at + index) | CASE) !== name.charCodeAt(index)) return false;
  }
  return true;
}

/** Which known element's name stands at this place of the page; `undefined` for all others. @throws Never */
export function elementAt(html: string, start: number, end: number): KnownElement | undefined {
  const length = end - start;
  const letter = html.charCodeAt(start) | CASE;
  if (length === 1) return letter === LETTER_A ? 'a' : undefined;
  if (length >= FIRST_LETTERS.length || ((FIRST_LETTERS[length]! >>> (letter - LETTER_A)) & 1) === 0) return undefined;
  // A loop: a closure would be made for every tag of the page.
  for (const name of BY_LENGTH[length]!) if (hasNameAt(html, start, name)) return name;
  return undefined;
}

/** The place of the attribute whose name stands here; `NO_SLOT` for those that nobody wants. @throws Never */
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

const LONGEST = Math.max(...ELEMENTS.map(({ length }) => length));
/** The known elements by the length of their names. */
const BY_LENGTH: readonly (readonly KnownElement[])[] = Array.from({ length: LONGEST + 1 }, (_, length) =>
  ELEMENTS.filter((name) => name.length === length),
);
/** Their first letters as bits, from `a` on. */
const FIRST_LETTERS = Int32Array.from(BY_LENGTH, (names) =>
  names.reduce((bits, name) => bits | (1 << (name.charCodeAt(0) - LETTER_A)), 0),
);
