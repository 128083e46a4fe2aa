// Where the parts of a page end in which tags are not tags: comments, CDATA sections, and the text of elements such as
// `script`. Pure functions over the page's text, each linear: what one call has passed, no later call looks at again.

import { GREATER, hasNameAt, isWhiteSpace, SLASH } from './html-names.js';

/**
 * The place behind a comment, a doctype or whatever else begins with `<!`.
 *
 * @param at - The place behind `<!`.
 * @param isForeign - Whether SVG or MathML holds here: only there is `<![CDATA[` a section of its own.
 * @throws Never
 */
export function declarationEnd(text: string, at: number, isForeign: boolean): number {
  if (text.startsWith('--', at)) return commentEnd(text, at + 2);
  if (isForeign && text.startsWith('[CDATA[', at)) return behind(text, ']]>', at + 7);
  return behind(text, '>', at);
}

/** The place behind the next occurrence of something; the end of the page when there is none. @throws Never */
export function behind(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at + what.length;
}

/** A comment ends with `-->` or `--!>`, and with `>` or `->` right at its beginning. */
function commentEnd(text: string, from: number): number {
  if (text.startsWith('>', from)) return from + 1;
  if (text.startsWith('->', from)) return from + 2;
  for (let at = text.indexOf('>', from); at >= 0; at = text.indexOf('>', at + 1)) {
    const bang = text.charAt(at - 1) === '!' ? 1 : 0;
    const dashes = at - bang - 2;
    if (dashes >= from && text.startsWith('--', dashes)) return at + 1;
  }
  return text.length;
}

/**
 * Where the text of an element ends that holds no tags: the place of its end tag's `<`, or the end of the page.
 *
 * @param from - The place behind the start tag.
 * @param name - Of the element, lower case. `script` has rules of its own: {@link scriptEnd}.
 * @throws Never
 */
export function rawTextEnd(text: string, from: number, name: string): number {
  for (let at = text.indexOf('</', from); at >= 0; at = text.indexOf('</', at + 2)) {
    if (isTagOf(text, at + 2, name)) return at;
  }
  return text.length;
}

/**
 * Where the text of a script ends. Behind `<!--` a `<script` begins a script in the script, whose end tag does not end
 * the outer one, until `-->`.
 *
 * @see HTML, "script data escaped state" and those around it
 * @throws Never
 */
export function scriptEnd(text: string, from: number): number {
  let at = text.indexOf('<', from);
  while (at >= 0) {
    if (isTagOf(text, at + 2, 'script') && text.charCodeAt(at + 1) === SLASH) return at;
    if (text.startsWith('!--', at + 1)) {
      // The dashes that begin it may be those that end it.
      const { place, isEnd } = escapedEnd(text, at + 2);
      if (isEnd) return place;
      at = text.indexOf('<', place);
    } else {
      at = text.indexOf('<', at + 1);
    }
  }
  return text.length;
}

const IN_ESCAPED = /-->|<\/?script[\t\n\f\r />]/gi;
const IN_DOUBLE_ESCAPED = /-->|<\/script[\t\n\f\r />]/gi;

/** From behind `<!` of a script: the end tag of the script, or the place behind `-->`. */
function escapedEnd(text: string, from: number): { place: number; isEnd: boolean } {
  let pattern = IN_ESCAPED;
  let place = from;
  for (;;) {
    pattern.lastIndex = place;
    const match = pattern.exec(text);
    if (match === null) return { place: text.length, isEnd: true };
    place = match.index + match[0].length;
    if (match[0] === '-->') return { place, isEnd: false };
    if (pattern === IN_ESCAPED && match[0].charCodeAt(1) === SLASH) return { place: match.index, isEnd: true };
    pattern = pattern === IN_ESCAPED ? IN_DOUBLE_ESCAPED : IN_ESCAPED;
  }
}

/** Whether a tag of this name stands here, its name ended by white space, a slash or the end of the tag. */
function isTagOf(text: string, at: number, name: string): boolean {
  const end = at + name.length;
  if (end >= text.length || !hasNameAt(text, at, name)) return false;
  const code = text.charCodeAt(end);
  return code === GREATER || code === SLASH || isWhiteSpace(code);
}
