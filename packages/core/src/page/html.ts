// One pass over a page: its title, base, links, metas and link elements as plain facts, nothing resolved or decided.
// The scanner finds the elements; here their values become text.

import { SLOT } from './html-names.js';
import type { HtmlSummary, LinkElement, LinkTag, MetaTag } from './html-summary.js';
import {
  MAX_ATTRIBUTE_CHARS,
  MAX_PAGE_LINK_ELEMENTS,
  MAX_PAGE_LINKS,
  MAX_PAGE_METAS,
  MAX_TITLE_CHARS,
} from './limits.js';
import { decodedPage, type PageUnits } from './page-units.js';
import { decodeAttribute, decodeText } from './references.js';
import { MARKS, type TagAttributes } from './tag-attributes.js';
import { type FoundElement, TagScanner } from './tag-scanner.js';

/** The bounds of one page's facts. */
export interface HtmlLimits {
  readonly links: number;
  readonly metas: number;
  readonly linkElements: number;
  /** Characters (of a page in UTF-8: bytes) of an attribute as written: a longer href is dropped and counted, a longer content is cut. */
  readonly attributeChars: number;
  readonly titleChars: number;
}

/** The bounds used by default. */
export const HTML_LIMITS: HtmlLimits = Object.freeze({
  links: MAX_PAGE_LINKS,
  metas: MAX_PAGE_METAS,
  linkElements: MAX_PAGE_LINK_ELEMENTS,
  attributeChars: MAX_ATTRIBUTE_CHARS,
  titleChars: MAX_TITLE_CHARS,
});

/**
 * Reads the facts of an HTML page.
 *
 * What stands in comments, scripts, styles and `template` is not part of the page. `noscript` is: nothing runs scripts
 * here. Metas count wherever they stand, head or body (page-level §2). The title is the first one that is not blank.
 *
 * @param page - The page, decoded or in UTF-8.
 * @param limits - What lies past them is not kept; links are counted (`linksDropped`).
 * @throws Never. The time is linear in the length of the page.
 * @see page-level §2, §4
 */
export function readHtml(page: string | PageUnits, limits: HtmlLimits = HTML_LIMITS): HtmlSummary {
  return new HtmlReader(typeof page === 'string' ? decodedPage(page) : page, limits).read();
}

/** How many times as much of the page as a title may have characters is looked at for it. */
const TITLE_WINDOW = 4;
const SPACE = 0x20;
const WHITE_SPACE = '\t\n\f\r ';
const WORD = /[^\t\n\f\r ]+/g;
const NO_WORDS: readonly string[] = Object.freeze([]);

class HtmlReader {
  readonly #page: PageUnits;
  readonly #limits: HtmlLimits;
  readonly #scanner: TagScanner;
  readonly #attributes: TagAttributes;

  #title: string | null = null;
  #baseHref: string | null = null;
  #refresh: string | null = null;
  #linksDropped = 0;
  readonly #links: LinkTag[] = [];
  readonly #metas: MetaTag[] = [];
  readonly #linkElements: LinkElement[] = [];

  constructor(page: PageUnits, limits: HtmlLimits) {
    this.#page = page;
    this.#limits = limits;
    this.#scanner = new TagScanner(page.units);
    this.#attributes = this.#scanner.attributes;
  }

  read(): HtmlSummary {
    for (let found = this.#scanner.next(); found !== null; found = this.#scanner.next()) this.#take(found);
    return {
      title: this.#title,
      baseHref: this.#baseHref,
      links: this.#links,
      metas: this.#metas,
      linkElements: this.#linkElements,
      refresh: this.#refresh,
      linksDropped: this.#linksDropped,
    };
  }

  #take(element: FoundElement): void {
    switch (element) {
      case 'a':
      case 'area':
        this.#takeLink(element, SLOT.href);
        return;
      case 'frame':
      case 'iframe':
        this.#takeLink(element, SLOT.src);
        return;
      case 'base':
        this.#baseHref ??= this.#url(SLOT.href);
        return;
      case 'link':
        this.#takeLinkElement();
        return;
      case 'meta':
        this.#takeMeta();
        return;
      case 'title':
        this.#takeTitle();
    }
  }

  #takeLink(element: 'a' | 'area' | 'frame' | 'iframe', slot: number): void {
    if (this.#attributes.starts[slot]! < 0) return;
    const href = this.#links.length < this.#limits.links ? this.#url(slot) : null;
    if (href === null) this.#linksDropped += 1;
    else this.#links.push({ href, rel: this.#words(SLOT.rel), element });
  }

  #takeMeta(): void {
    if (this.#refresh === null && this.#text(SLOT.httpEquiv)?.trim().toLowerCase() === 'refresh') {
      this.#refresh = this.#text(SLOT.content);
    }
    const name = this.#text(SLOT.name);
    if (name === null || this.#metas.length >= this.#limits.metas) return;
    this.#metas.push({ name, content: this.#text(SLOT.content), value: this.#text(SLOT.value) });
  }

  #takeLinkElement(): void {
    if (this.#linkElements.length >= this.#limits.linkElements) return;
    const name = this.#text(SLOT.name);
    const rel = this.#words(SLOT.rel);
    if (name === null && rel.length === 0) return;
    this.#linkElements.push({ rel, name, href: this.#url(SLOT.href), content: this.#text(SLOT.content) });
  }

  #takeTitle(): void {
    if (this.#title !== null) return;
    const { titleStart, titleEnd } = this.#scanner;
    // White space collapses, so that a title may need more of the page than it has characters.
    const end = Math.min(titleEnd, titleStart + TITLE_WINDOW * this.#limits.titleChars);
    const text = decodeText(this.#page.text(titleStart, end));
    const title = (text.match(WORD) ?? NO_WORDS).join(' ').slice(0, this.#limits.titleChars);
    if (title !== '') this.#title = title;
  }

  /** The value of an attribute, cut at the cap, references decoded; `null` when absent. */
  #text(slot: number): string | null {
    const start = this.#attributes.starts[slot]!;
    if (start < 0) return null;
    return this.#value(slot, start, Math.min(this.#attributes.ends[slot]!, start + this.#limits.attributeChars));
  }

  /** The value of an attribute that holds a URL, trimmed; `null` when absent or past the cap: half a URL is another URL. */
  #url(slot: number): string | null {
    const start = this.#attributes.starts[slot]!;
    const end = this.#attributes.ends[slot]!;
    if (start < 0 || end - start > this.#limits.attributeChars) return null;
    return trimAscii(this.#value(slot, start, end));
  }

  #value(slot: number, start: number, end: number): string {
    const marks = this.#attributes.marks[slot]!;
    const raw = (marks & MARKS.beyondAscii) === 0 ? this.#page.units.slice(start, end) : this.#page.text(start, end);
    return (marks & MARKS.reference) === 0 ? raw : decodeAttribute(raw);
  }

  #words(slot: number): readonly string[] {
    const text = this.#text(slot);
    if (text === null) return NO_WORDS;
    return text.toLowerCase().match(WORD) ?? NO_WORDS;
  }
}

/** Without ASCII white space at its ends, which is what HTML strips; other spaces belong to the value. */
function trimAscii(text: string): string {
  if (text.charCodeAt(0) > SPACE && text.charCodeAt(text.length - 1) > SPACE) return text;
  let start = 0;
  let end = text.length;
  while (start < end && WHITE_SPACE.includes(text.charAt(start))) start += 1;
  while (end > start && WHITE_SPACE.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
