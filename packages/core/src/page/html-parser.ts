// parse5 for the documents of `page.$`. It takes a run of ordinary characters at once instead of one by one, which
// makes the same tree at less cost, and it counts the work (`lean-tree.ts`).

import type { Document } from 'domhandler';
import type { ParserOptions } from 'parse5';
import type { Htmlparser2TreeAdapterMap as Tree } from 'parse5-htmlparser2-tree-adapter';
import type { TreeWork } from './lean-tree.js';

const LF = 10;
const CR = 13;
const QUOTE = 34;
const AMPERSAND = 38;
const APOSTROPHE = 39;
const DASH = 45;
const LESS_THAN = 60;

/** A substring of at least this many characters keeps the whole text in memory. */
const MIN_SLICED_CHARS = 13;

/** As cheerio calls it: for a document, or for a fragment in a `context`. `treeAdapter` is one of `lean-tree.ts`. */
type ParseHtml = (
  text: string,
  options: ParserOptions<Tree>,
  isDocument: boolean,
  context: Tree['parentNode'] | null,
) => Document;

/** @param work - The work of the tree being made. For a document it has already begun. */
export function createHtmlParser({ Parser, Tokenizer, Token }: typeof import('parse5'), work: TreeWork): ParseHtml {
  const { CHARACTER, WHITESPACE_CHARACTER } = Token.TokenType;

  class RunTokenizer extends Tokenizer {
    /** In framesets, text is dropped but the space between its words is kept, so characters are taken one by one. */
    #hasFrames = false;

    protected override emitCurrentTagToken(): void {
      work.tag();
      const token = this.currentToken;
      if (token !== null && 'tagName' in token && token.tagName === 'frameset') this.#hasFrames = true;
      super.emitCurrentTagToken();
    }

    protected override _leaveAttrName(): void {
      const token = this.currentToken;
      if (token !== null && 'attrs' in token) work.attribute(token.attrs.length);
      super._leaveAttrName();
    }

    protected override _stateData(cp: number): void {
      if (!this.#consumesText(cp, AMPERSAND)) super._stateData(cp);
    }

    protected override _stateRcdata(cp: number): void {
      if (!this.#consumesText(cp, AMPERSAND)) super._stateRcdata(cp);
    }

    protected override _stateRawtext(cp: number): void {
      if (!this.#consumesText(cp, LESS_THAN)) super._stateRawtext(cp);
    }

    protected override _stateScriptData(cp: number): void {
      if (!this.#consumesText(cp, LESS_THAN)) super._stateScriptData(cp);
    }

    protected override _stateTagName(cp: number): void {
      const name = isNameCharacter(cp) ? this.#consume(this.#endOf(isNameCharacter)) : '';
      if (name !== '' && this.currentToken !== null && 'tagName' in this.currentToken)
        this.currentToken.tagName += name;
      else super._stateTagName(cp);
    }

    protected override _stateAttributeName(cp: number): void {
      if (isNameCharacter(cp)) this.currentAttr.name += this.#consume(this.#endOf(isNameCharacter));
      else super._stateAttributeName(cp);
    }

    protected override _stateAttributeValueDoubleQuoted(cp: number): void {
      const run = this.#run(cp, QUOTE, AMPERSAND);
      if (run === '') super._stateAttributeValueDoubleQuoted(cp);
      else this.currentAttr.value += run;
    }

    protected override _stateAttributeValueSingleQuoted(cp: number): void {
      const run = this.#run(cp, APOSTROPHE, AMPERSAND);
      if (run === '') super._stateAttributeValueSingleQuoted(cp);
      else this.currentAttr.value += run;
    }

    protected override _stateComment(cp: number): void {
      const run = this.#run(cp, DASH, LESS_THAN);
      if (run !== '' && this.currentToken !== null && 'data' in this.currentToken) this.currentToken.data += run;
      else super._stateComment(cp);
    }

    /** Takes text up to a `<` or `other`, or the space before it. */
    #consumesText(cp: number, other: number): boolean {
      const isSpace = isWhitespace(cp);
      if (this.#hasFrames && !isSpace) return false;
      const run = isSpace ? this.#consume(this.#endOf(isWhitespace)) : this.#run(cp, LESS_THAN, other);
      if (run === '') return false;
      this._appendCharToCurrentCharacterToken(isSpace ? WHITESPACE_CHARACTER : CHARACTER, run);
      return true;
    }

    /** The characters from the current one up to either of the two, or to one with a special meaning; may be empty. */
    #run(cp: number, one: number, other: number): string {
      const { html, pos } = this.preprocessor;
      // At a surrogate pair, the second unit is the current character.
      const from = cp > 0xffff ? pos - 1 : pos;
      let end = from;
      for (; end < html.length; end += 1) {
        const unit = html.charCodeAt(end);
        if (unit === one || unit === other || unit === 0 || unit === CR) break;
      }
      return this.#consume(end, from);
    }

    /** Where a run of characters of one kind ends, starting at the current one. */
    #endOf(matches: (unit: number) => boolean): number {
      const { html, pos } = this.preprocessor;
      let end = pos;
      while (end < html.length && matches(html.charCodeAt(end))) end += 1;
      return end;
    }

    #consume(end: number, from = this.preprocessor.pos): string {
      if (end <= from) return '';
      this.preprocessor.pos = end - 1;
      return copyString(this.preprocessor.html.slice(from, end));
    }
  }

  class RunParser extends Parser<Tree> {
    constructor(...args: ConstructorParameters<typeof Parser<Tree>>) {
      super(...args);
      const { inForeignNode } = this.tokenizer;
      this.tokenizer = new RunTokenizer(this.options, this);
      this.tokenizer.inForeignNode = inForeignNode;
    }
  }

  return (text, options, isDocument, context) => {
    if (isDocument) return RunParser.parse(text, options);
    work.begin('the markup');
    const parser = RunParser.getFragmentParser(context, options);
    parser.tokenizer.write(text, true);
    return parser.getFragment();
  };
}

function isWhitespace(cp: number): boolean {
  return cp === 32 || cp === LF || cp === 9 || cp === 12;
}

/** Whether it is a character of a name in its stored, lower-case form. */
function isNameCharacter(cp: number): boolean {
  return (cp >= 97 && cp <= 122) || cp === DASH || (cp >= 48 && cp <= 57);
}

/** A copy of the string that keeps nothing else in memory. */
function copyString(text: string): string {
  return text.length < MIN_SLICED_CHARS ? text : ` ${text}`.slice(1);
}
