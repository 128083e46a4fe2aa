// What an HTML page or a style sheet needs to be displayed: style sheets, scripts, images, fonts, icons. It is found
// with htmlparser2's tokenizer, which builds no tree, so the time is linear. Documents of frames are pages of their
// own, not requisites; videos and sounds are not requisites either. A style sheet is scanned from one mark to the next,
// also in linear time; comments and other strings are skipped (CSS Syntax 3, §4.3).

import { Tokenizer } from 'htmlparser2';
import { MAX_LINK_URL_CHARS } from '../limits.js';
import { MAX_PAGE_REQUISITES } from './limits.js';
import { type LinkBase, linkBase, resolveHref } from './links.js';

export interface Requisite {
  /** Absolute, without fragment. */
  readonly url: string;
  /** `stylesheet`: it may need more files itself. */
  readonly type: 'stylesheet' | 'script' | 'image' | 'font';
}

type RequisiteType = Requisite['type'];

/** Each requisite once, in page order. @param pageUrl - Absolute; a `base` element counts too. @throws Never */
export function htmlRequisites(html: string, pageUrl: string): Requisite[] {
  const found = new RequisiteCollector(linkBase(pageUrl, null));
  let element = '';
  let sheet = '';
  let name = '';
  let value = '';
  let attributes: Attributes = {};
  let hasBase = false;
  const onTagEnd = (): void => {
    if (element === 'base' && !hasBase && attributes.href !== undefined) {
      hasBase = true;
      found.base = linkBase(pageUrl, attributes.href.trim());
    }
    found.element(element, attributes);
  };
  const tokenizer: Tokenizer = new Tokenizer(
    {},
    {
      onopentagname(start, end) {
        element = html.slice(start, end).toLowerCase();
        attributes = {};
      },
      onattribname(start, end) {
        name = html.slice(start, end).toLowerCase();
        value = '';
      },
      onattribdata(start, end) {
        if (isRead(name)) value += html.slice(start, end);
      },
      onattribentity(code) {
        if (isRead(name)) value += String.fromCodePoint(code);
      },
      onattribend() {
        if (isRead(name)) attributes[name] ??= value;
      },
      onopentagend: onTagEnd,
      onselfclosingtag: onTagEnd,
      ontext(start, end) {
        if (element === 'style') sheet += html.slice(start, end);
      },
      onclosetag() {
        if (element === 'style') found.css(sheet);
        element = '';
        sheet = '';
      },
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onprocessinginstruction: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return found.list();
}

export function cssRequisites(css: string, sheetUrl: string): Requisite[] {
  const found = new RequisiteCollector(linkBase(sheetUrl, null));
  found.css(css);
  return found.list();
}

const READ = ['as', 'background', 'href', 'imagesrcset', 'poster', 'rel', 'src', 'srcset', 'style', 'type'] as const;
const READ_ATTRIBUTES: ReadonlySet<string> = new Set([...READ, 'xlink:href']);
type ReadAttribute = (typeof READ)[number] | 'xlink:href';
type Attributes = { [Name in ReadAttribute]?: string };

function isRead(name: string): name is ReadAttribute {
  return READ_ATTRIBUTES.has(name);
}

const ICON = /^(?:icon|apple-touch-icon(?:-precomposed)?|mask-icon)$/;
const PRELOAD_TYPES: Readonly<Record<string, RequisiteType>> = {
  style: 'stylesheet',
  script: 'script',
  image: 'image',
  font: 'font',
};

class RequisiteCollector {
  base: LinkBase;
  readonly #byUrl = new Map<string, Requisite>();

  constructor(base: LinkBase) {
    this.base = base;
  }

  list(): Requisite[] {
    return [...this.#byUrl.values()];
  }

  element(name: string, attributes: Attributes): void {
    const { src, srcset, href, style } = attributes;
    if (style !== undefined) this.css(style);
    this.#add(attributes.background, 'image');
    if (name === 'link') this.#link(attributes);
    else if (name === 'script') this.#add(src, 'script');
    else if (name === 'video') this.#add(attributes.poster, 'image');
    else if (name === 'image' || name === 'use') this.#add(href ?? attributes['xlink:href'], 'image');
    else if (name === 'img' || (name === 'input' && attributes.type?.toLowerCase() === 'image'))
      this.#add(src, 'image');
    // The `src` of a `source` is a video or a sound.
    if (name === 'img' || name === 'source') this.#candidates(srcset);
  }

  css(text: string): void {
    for (const { url, isImport } of cssUrls(text, MAX_PAGE_REQUISITES))
      this.#add(url, isImport ? 'stylesheet' : /\.(?:woff2?|[ot]tf|eot)(?:[?#]|$)/i.test(url) ? 'font' : 'image');
  }

  #link({ rel: relation = '', href, as: use = '', imagesrcset }: Attributes): void {
    const rel = relation.toLowerCase().split(/\s+/);
    if (rel.includes('stylesheet')) this.#add(href, 'stylesheet');
    else if (rel.includes('modulepreload')) this.#add(href, 'script');
    else if (rel.some((word) => ICON.test(word))) this.#add(href, 'image');
    else if (rel.includes('preload')) {
      const type = PRELOAD_TYPES[use.toLowerCase()];
      if (type !== undefined) this.#add(href, type);
      this.#candidates(imagesrcset);
    }
  }

  /** The URLs of a `srcset`: each is followed by descriptors up to a comma, or ends with one. */
  #candidates(srcset: string | undefined): void {
    let isUrl = true;
    for (const word of srcset?.split(/[\t\n\f\r ]+/) ?? []) {
      if (!isUrl && !word.includes(',')) continue;
      const url: string = (isUrl ? word : word.slice(word.indexOf(',') + 1)).replace(/^,+/, '');
      this.#add(url.replace(/(?<!,),+$/, ''), 'image');
      isUrl = url === '' || url.endsWith(',');
    }
  }

  #add(href: string | undefined, type: RequisiteType): void {
    const text = href?.trim() ?? '';
    // An empty URL is the page itself.
    if (text === '' || text.startsWith('#') || this.#byUrl.size >= MAX_PAGE_REQUISITES) return;
    const url = resolveHref(text, this.base);
    // A style sheet stays one, whatever else its URL is used for.
    if (url !== null && (type === 'stylesheet' || !this.#byUrl.has(url))) this.#byUrl.set(url, { url, type });
  }
}

function ignore(): void {
  // The event says nothing about what a page needs.
}

/** A URL as written in a style sheet, unresolved. */
interface CssUrl {
  readonly url: string;
  readonly isImport: boolean;
}

const SPACE = /[\t\n\f\r ]*/y;

/** Reads a style sheet. @param max - The most URLs to read. @throws Never */
export function cssUrls(css: string, max: number): CssUrl[] {
  const found: CssUrl[] = [];
  const mark = /\/\*|["']|@import(?![\w-])|(?<![\w-])url\(/gi;
  let isImport = false;
  while (found.length < max) {
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
    const { text, end } = isUrl ? urlAt(css, mark.lastIndex) : readUntil(css, mark.lastIndex, word);
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

/** The value after `url(`, as a string or as it is. */
function urlAt(css: string, from: number): Value {
  SPACE.lastIndex = from;
  SPACE.exec(css);
  const start = SPACE.lastIndex;
  const quote = css[start];
  return quote === '"' || quote === "'" ? readUntil(css, start + 1, quote) : readUntil(css, start, ')');
}

/** A string also ends at the end of its line. */
function readUntil(css: string, from: number, terminator: string): Value {
  let at = from;
  for (; at < css.length; at += 1) {
    const character = css[at];
    if (character === '\\') at += 1;
    else if (character === terminator || (terminator !== ')' && character === '\n')) break;
  }
  // Longer URLs are not kept, so they need not be decoded.
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
