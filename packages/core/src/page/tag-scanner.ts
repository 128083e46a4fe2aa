// The tags of a page that anybody asks for, one after the other, found as HTML's tokenizer finds them, with nothing made
// for those that nobody asks for: no object, no name, no value.
//
// From `<` to `<` by the engine's own search; text is never looked at. A tag that is not wanted is passed character by
// character, quoted values by search, since only its end matters. What a tree builder would tell a tokenizer (whether a
// `<style>` swallows text, what lies in a `template`) is known from a counter and a short stack, never from a tree, so that
// a page of a million open tags costs what any page of its length does. Every search goes on from where the last one ended:
// the time is linear.

import { ForeignContext } from './foreign-context.js';
import { elementAt, endsName, GREATER, isLetter, type KnownElement, SLASH, type WantedElement } from './html-names.js';
import { behind, declarationEnd, rawTextEnd, scriptEnd } from './raw-text.js';
import { NO_END, TagAttributes } from './tag-attributes.js';

/** What a scanner stops at. */
export type FoundElement = WantedElement | 'title';

const LESS = '<';
const BANG = 0x21;
const QUESTION = 0x3f;

/** The scan of one page. Elements in comments, scripts, styles and `template` are not part of it; those in `noscript` are. */
export class TagScanner {
  /** Of the element found last. */
  readonly attributes: TagAttributes;
  /** Of the title found last: where its text begins and ends. */
  titleStart = 0;
  titleEnd = 0;

  readonly #units: string;
  readonly #foreign = new ForeignContext();
  #templates = 0;
  /** How much foreign context lay around the outermost template. */
  #depthAroundTemplate = 0;
  /** Where the scan goes on. */
  #at = 0;

  constructor(units: string) {
    this.#units = units;
    this.attributes = new TagAttributes(units);
  }

  /** The next element that is wanted, its attributes in the spans; `null` at the end of the page. @throws Never */
  next(): FoundElement | null {
    const units = this.#units;
    for (;;) {
      const open = units.indexOf(LESS, this.#at);
      if (open < 0 || open + 1 >= units.length) return null;
      const code = units.charCodeAt(open + 1);
      if (isLetter(code)) {
        const found = this.#startTag(open + 1);
        if (found !== null) return found;
      } else if (code === SLASH) {
        this.#endTag(open + 2);
      } else if (code === BANG) {
        this.#at = declarationEnd(units, open + 2, this.#foreign.isForeign);
      } else if (code === QUESTION) {
        this.#at = behind(units, '>', open + 2);
      } else {
        this.#at = open + 1;
      }
    }
  }

  #startTag(start: number): FoundElement | null {
    const nameEnd = this.#nameEnd(start);
    const element = elementAt(this.#units, start, nameEnd);
    if (element === undefined && !this.#foreign.isUsed) {
      this.#passTag(nameEnd);
      return null;
    }
    const isWanted = element !== undefined && this.#templates === 0 && isWantedElement(element);
    // A tag that the page's end cuts off is none.
    if (!this.#goOn(this.attributes.read(nameEnd, isWanted))) return null;
    const isForeign = this.#openForeign(element, start, nameEnd);
    if (element === undefined) return null;
    if (isForeign) {
      if (!isWanted) return null;
      this.attributes.takeXlink();
      return element;
    }
    if (element === 'template') this.#openTemplate();
    return this.#content(element) && (isWanted || element === 'title') ? (element as FoundElement) : null;
  }

  /** Tells the foreign context of an element, where it matters; whether the element is foreign. */
  #openForeign(element: KnownElement | undefined, start: number, nameEnd: number): boolean {
    const foreign = this.#foreign;
    if (!foreign.isUsed && element !== 'svg' && element !== 'math') return false;
    return foreign.open(element ?? this.#units.slice(start, nameEnd).toLowerCase(), this.attributes.closesItself);
  }

  #openTemplate(): void {
    if (this.#templates === 0) this.#depthAroundTemplate = this.#foreign.depth;
    this.#templates += 1;
  }

  /** Passes the text of an element whose content is no markup. Whether the element counts: a title in a template does not. */
  #content(element: KnownElement): boolean {
    const units = this.#units;
    const from = this.#at;
    switch (element) {
      case 'script':
        this.#passEndTag(scriptEnd(units, from), element);
        return true;
      case 'plaintext':
        this.#at = units.length;
        return true;
      case 'title':
        this.titleStart = from;
        this.titleEnd = rawTextEnd(units, from, element);
        this.#passEndTag(this.titleEnd, element);
        return this.#templates === 0 && !this.#foreign.isUsed;
      case 'iframe':
      case 'noembed':
      case 'noframes':
      case 'style':
      case 'textarea':
      case 'xmp':
        this.#passEndTag(rawTextEnd(units, from, element), element);
        return true;
      default:
        return true;
    }
  }

  /** The end tag that ends a text without tags; at the end of the page there is none. */
  #passEndTag(start: number, element: KnownElement): void {
    const nameEnd = start + 2 + element.length;
    if (nameEnd < this.#units.length) this.#passTag(nameEnd);
    else this.#at = this.#units.length;
  }

  #endTag(start: number): void {
    const units = this.#units;
    if (this.#templates === 0 && !this.#foreign.isUsed) {
      // Nobody asks which element ends. Nearly always its name is all there is: nothing in it can hide the end of the tag.
      let end = start;
      while (end < units.length && units.charCodeAt(end) > GREATER) end += 1;
      if (end < units.length && units.charCodeAt(end) === GREATER) {
        this.#at = end + 1;
        return;
      }
    }
    if (start >= units.length || !isLetter(units.charCodeAt(start))) {
      // `</>` is nothing, `</ ` begins a comment: both end at the next `>`.
      this.#at = behind(units, '>', start);
      return;
    }
    const nameEnd = this.#nameEnd(start);
    if (!this.#passTag(nameEnd)) return;
    if (this.#templates > 0 && elementAt(units, start, nameEnd) === 'template') {
      this.#templates -= 1;
      if (this.#templates === 0) this.#foreign.leave(this.#depthAroundTemplate);
    } else if (this.#foreign.isUsed) {
      this.#foreign.close(units.slice(start, nameEnd).toLowerCase());
    }
  }

  #nameEnd(start: number): number {
    const units = this.#units;
    let at = start + 1;
    while (at < units.length && !endsName(units.charCodeAt(at))) at += 1;
    return at;
  }

  /** Goes on behind the tag whose name ends here; `false` when the page ends first. */
  #passTag(nameEnd: number): boolean {
    return this.#goOn(this.attributes.skip(nameEnd));
  }

  #goOn(place: number): boolean {
    this.#at = place === NO_END ? this.#units.length : place;
    return place !== NO_END;
  }
}

function isWantedElement(element: KnownElement): element is WantedElement {
  switch (element) {
    case 'a':
    case 'area':
    case 'base':
    case 'frame':
    case 'iframe':
    case 'link':
    case 'meta':
      return true;
    default:
      return false;
  }
}
