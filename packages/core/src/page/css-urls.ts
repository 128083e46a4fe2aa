// The URLs of a style sheet: what it imports, and what its `url()` name. A scan from one mark to the next that takes
// linear time; what is inside comments and other strings does not count. (CSS Syntax 3, §4.3; a parser of CSS would be
// larger than the rest of this folder.)

import { MAX_LINK_URL_CHARS } from '../limits.js';

/** A URL as a style sheet has it, unresolved. */
export interface CssUrl {
  readonly url: string;
  readonly isImport: boolean;
}

const SPACE = /[\t\n\f\r ]*/y;

/** Reads a style sheet. @param most - URLs that are read; the rest is left out. @throws Never */
export function cssUrls(css: string, most: number): CssUrl[] {
  const found: CssUrl[] = [];
  const mark = /\/\*|["']|@import(?![\w-])|(?<![\w-])url\(/gi;
  let isImport = false;
  while (found.length < most) {
    const at = mark.exec(css);
    if (at === null) return found;
    const [word] = at;
    if (word === '/*') {
      const end = css.indexOf('*/', mark.lastIndex);
      if (end < 0) return found;
      mark.lastIndex = end + 2;
      continue;
    }
    if (word.startsWith('@')) {
      isImport = true;
      continue;
    }
    const isUrl = word.length > 1;
    const { text, end } = isUrl ? urlAt(css, mark.lastIndex) : stringAt(css, mark.lastIndex, word);
    mark.lastIndex = end;
    if ((isUrl || isImport) && text !== '' && text.length <= MAX_LINK_URL_CHARS) found.push({ url: text, isImport });
    isImport = false;
  }
  return found;
}

interface Value {
  readonly text: string;
  readonly end: number;
}

/** What stands behind `url(`. */
function urlAt(css: string, from: number): Value {
  SPACE.lastIndex = from;
  SPACE.exec(css);
  const start = SPACE.lastIndex;
  const quote = css[start];
  if (quote === '"' || quote === "'") return stringAt(css, start + 1, quote);
  return endingAt(css, start, ')', false);
}

function stringAt(css: string, from: number, quote: string): Value {
  return endingAt(css, from, quote, true);
}

/** @param isString - It ends with its line too. */
function endingAt(css: string, from: number, last: string, isString: boolean): Value {
  let at = from;
  for (; at < css.length; at += 1) {
    const character = css[at];
    if (character === '\\') at += 1;
    else if (character === last || (isString && character === '\n')) break;
  }
  // Longer ones are not kept, so they need not be read either.
  const text = at - from > 2 * MAX_LINK_URL_CHARS ? '' : unescaped(css.slice(from, at)).trim();
  return { text, end: Math.min(at + 1, css.length) };
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:([0-9a-f]{1,6})[\t\n\f\r ]?|\n|([\s\S]))/gi, (_, hex?: string, character?: string) => {
    if (hex === undefined) return character ?? '';
    const code = Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : '\ufffd';
  });
}
