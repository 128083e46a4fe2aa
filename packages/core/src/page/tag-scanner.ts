// Finds the tags of a page that the crawl reads, in the way of HTML's tokenizer. It builds no tree and creates nothing
// for other tags: the scan goes from `<` to `<` with the engine's own search. A counter of templates and a short stack
// of SVG and MathML replace what a tree builder would tell the tokenizer. Every search begins where the last one ended,
// so the time is linear in the length of the page.

import {
  ATTRIBUTES,
  declarationEnd,
  ELEMENTS,
  endsName,
  ForeignContext,
  GREATER_THAN,
  indexAfter,
  isLetter,
  isWhiteSpace,
  type KnownElement,
  RAW_TEXT_ELEMENTS,
  REPORTED_ELEMENTS,
  type ReportedElement,
  rawTextEnd,
  SLASH,
  SLOT,
  SLOT_COUNT,
} from './html-syntax.js';

/** The position after a tag that the end of the page cuts off. */
const NO_END = -1;
/** The slot of an attribute that is not read. */
const NO_SLOT = -1;
const LICENSE_TYPE = /rsl\+xml/i;
const BANG = 0x21;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const EQUALS = 0x3d;
const QUESTION = 0x3f;

/** One scan of one page. Content of comments, scripts, styles and `template` is skipped; `noscript` is read. */
export class TagScanner {
  /** Where the value of each attribute of the last element begins, by `SLOT`; -1 when absent. */
  readonly starts = new Int32Array(SLOT_COUNT).fill(-1);
  readonly ends = new Int32Array(SLOT_COUNT);
  /** Where the text of the last title begins and ends. */
  titleStart = 0;
  titleEnd = 0;

  /** Whether a script is a licence (RSL). Its text is not read here. */
  hasLicenseScript = false;

  readonly #html: string;
  readonly #foreign = new ForeignContext();
  #templateDepth = 0;
  /** Depth of the foreign context around the outermost template. */
  #depthAroundTemplate = 0;
  /** Whether the tag read last closes itself with a slash. */
  #isSelfClosing = false;
  #at = 0;

  constructor(html: string) {
    this.#html = html;
  }

  /** The next wanted element, or `null` at the end of the page. @throws Never */
  next(): ReportedElement | 'title' | null {
    const html = this.#html;
    for (;;) {
      const open = html.indexOf('<', this.#at);
      if (open < 0 || open + 1 >= html.length) return null;
      const code = html.charCodeAt(open + 1);
      if (isLetter(code)) {
        const found = this.#startTag(open + 1);
        if (found !== null) return found;
      } else if (code === SLASH) {
        this.#endTag(open + 2);
      } else if (code === BANG) {
        this.#at = declarationEnd(html, open + 2, this.#foreign.isForeign);
      } else if (code === QUESTION) {
        this.#at = indexAfter(html, '>', open + 2);
      } else {
        this.#at = open + 1;
      }
    }
  }

  #startTag(start: number): ReportedElement | 'title' | null {
    const nameEnd = this.#nameEnd(start);
    const element = ELEMENTS.at(this.#html, start, nameEnd);
    const foreign = this.#foreign;
    if (element === undefined && foreign.depth === 0) {
      this.#advanceTo(this.#skipTag(nameEnd));
      return null;
    }
    const reported = this.#templateDepth === 0 && REPORTED_ELEMENTS.has(element) ? (element as ReportedElement) : null;
    if (reported !== null) this.starts.fill(-1);
    this.#isSelfClosing = false;
    // A tag that the end of the page cuts off does not count.
    if (!this.#advanceTo(this.#readTag(nameEnd, reported !== null))) return null;
    if (element === 'script') this.hasLicenseScript ||= LICENSE_TYPE.test(this.#html.slice(nameEnd, this.#at));
    if (foreign.depth > 0 || element === 'svg' || element === 'math') {
      const name = element ?? this.#html.slice(start, nameEnd).toLowerCase();
      if (foreign.open(name, this.#isSelfClosing)) {
        // SVG before version 2 has a link's address in another namespace.
        if (reported !== null && this.starts[SLOT.href]! < 0) {
          this.#setSlot(SLOT.href, this.starts[SLOT['xlink:href']]!, this.ends[SLOT['xlink:href']]!);
        }
        return reported;
      }
    }
    return element === undefined ? null : (this.#enterContent(element) ?? reported);
  }

  /** Skips content that is not markup. Returns a title that counts. */
  #enterContent(element: KnownElement): 'title' | null {
    const from = this.#at;
    if (element === 'template') {
      if (this.#templateDepth === 0) this.#depthAroundTemplate = this.#foreign.depth;
      this.#templateDepth += 1;
    } else if (element === 'plaintext') {
      this.#at = this.#html.length;
    } else if (RAW_TEXT_ELEMENTS.has(element)) {
      const end = rawTextEnd(this.#html, from, element);
      const nameEnd = end + 2 + element.length;
      this.#advanceTo(nameEnd < this.#html.length ? this.#skipTag(nameEnd) : NO_END);
      if (element === 'title' && this.#templateDepth === 0 && this.#foreign.depth === 0) {
        this.titleStart = from;
        this.titleEnd = end;
        return 'title';
      }
    }
    return null;
  }

  #endTag(start: number): void {
    const html = this.#html;
    if (this.#templateDepth === 0 && this.#foreign.depth === 0) {
      // It does not matter which element ends. Nearly always there is only a name, and nothing hides the `>`.
      let end = start;
      while (end < html.length && html.charCodeAt(end) > GREATER_THAN) end += 1;
      if (end < html.length && html.charCodeAt(end) === GREATER_THAN) {
        this.#at = end + 1;
        return;
      }
    }
    if (start >= html.length || !isLetter(html.charCodeAt(start))) {
      // `</>` is nothing and `</ ` begins a comment: both end at the next `>`.
      this.#at = indexAfter(html, '>', start);
      return;
    }
    const nameEnd = this.#nameEnd(start);
    if (!this.#advanceTo(this.#skipTag(nameEnd))) return;
    if (this.#templateDepth > 0 && ELEMENTS.at(html, start, nameEnd) === 'template') {
      this.#templateDepth -= 1;
      if (this.#templateDepth === 0) this.#foreign.closeTo(this.#depthAroundTemplate);
    } else if (this.#foreign.depth > 0) {
      this.#foreign.close(html.slice(start, nameEnd).toLowerCase());
    }
  }

  #nameEnd(start: number): number {
    let at = start + 1;
    while (at < this.#html.length && !endsName(this.#html.charCodeAt(at))) at += 1;
    return at;
  }

  /** Continues at a position; `false` if the page has ended. */
  #advanceTo(index: number): boolean {
    this.#at = index === NO_END ? this.#html.length : index;
    return index !== NO_END;
  }

  /**
   * The position after the tag whose name ends here. Only a quoted value can hide a `>`, and nearly every one comes
   * right after `name=`. A tag written in another way is read in full.
   */
  #skipTag(nameEnd: number): number {
    const html = this.#html;
    const { length } = html;
    let at = nameEnd;
    while (at < length) {
      const code = html.charCodeAt(at);
      at += 1;
      if (code > GREATER_THAN) continue;
      if (code === GREATER_THAN) return at;
      if (code !== EQUALS) continue;
      if (at >= length || !isPlain(html.charCodeAt(at - 2))) return this.#readTag(nameEnd, false);
      const quote = html.charCodeAt(at);
      if (quote === DOUBLE_QUOTE) at = indexAfter(html, '"', at + 1);
      else if (quote === SINGLE_QUOTE) at = indexAfter(html, "'", at + 1);
      else if (!isPlain(quote)) return this.#readTag(nameEnd, false);
      else at = this.#unquotedEnd(at);
    }
    return NO_END;
  }

  /** The same; takes the attributes if they are wanted. */
  #readTag(nameEnd: number, isReported: boolean): number {
    const html = this.#html;
    const { length } = html;
    let at = nameEnd;
    while (at < length) {
      const code = html.charCodeAt(at);
      if (code === GREATER_THAN) return at + 1;
      if (code === SLASH) {
        at += 1;
        this.#isSelfClosing = at < length && html.charCodeAt(at) === GREATER_THAN;
      } else if (isWhiteSpace(code)) {
        at += 1;
      } else {
        at = this.#attribute(at, isReported);
      }
    }
    return NO_END;
  }

  /** Passes one attribute, and takes its value if it is wanted. Returns the position after it. */
  #attribute(start: number, isReported: boolean): number {
    const html = this.#html;
    const { length } = html;
    // A `=` at the very beginning is part of the name.
    let at = start + 1;
    while (at < length) {
      const code = html.charCodeAt(at);
      if (code === EQUALS || endsName(code)) break;
      at += 1;
    }
    const nameEnd = at;
    const name = isReported ? ATTRIBUTES.at(html, start, nameEnd) : undefined;
    const slot = name === undefined ? NO_SLOT : SLOT[name];
    at = this.#spaceEnd(at);
    if (at >= length || html.charCodeAt(at) !== EQUALS) {
      this.#setSlot(slot, nameEnd, nameEnd);
      return at;
    }
    at = this.#spaceEnd(at + 1);
    if (at >= length) return at;
    const quote = html.charCodeAt(at);
    if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) {
      const end = this.#unquotedEnd(at);
      this.#setSlot(slot, at, end);
      return end;
    }
    const end = html.indexOf(quote === DOUBLE_QUOTE ? '"' : "'", at + 1);
    this.#setSlot(slot, at + 1, end < 0 ? length : end);
    return end < 0 ? length : end + 1;
  }

  #spaceEnd(from: number): number {
    let at = from;
    while (at < this.#html.length && isWhiteSpace(this.#html.charCodeAt(at))) at += 1;
    return at;
  }

  #unquotedEnd(from: number): number {
    const html = this.#html;
    let at = from;
    for (; at < html.length; at += 1) {
      const code = html.charCodeAt(at);
      if (code <= GREATER_THAN && (code === GREATER_THAN || isWhiteSpace(code))) break;
    }
    return at;
  }

  /** The first attribute with a name counts. */
  #setSlot(slot: number, start: number, end: number): void {
    if (slot === NO_SLOT || this.starts[slot]! >= 0) return;
    this.starts[slot] = start;
    this.ends[slot] = end;
  }
}

/** Whether a code unit has no special meaning in an attribute name or an unquoted value. */
function isPlain(code: number): boolean {
  return code > GREATER_THAN || (code > SINGLE_QUOTE && code < EQUALS && code !== SLASH);
}
