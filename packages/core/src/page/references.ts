// Character references of HTML (`&amp;`, `&#228;`, `&copy`) in a piece of raw text.
// htmlparser2's tokenizer knows them; it is run over the few values of a page that contain any, since letting it decode
// everywhere makes it look at every character of the page's text.

import { Tokenizer } from 'htmlparser2';

/** Decodes character references; holds one tokenizer for as long as it is used. */
export interface ReferenceDecoder {
  /** The value of an attribute: `&copy=1` stays as it is there. Never throws. */
  attribute(raw: string): string;
  /** The text of a title. Never throws. */
  text(raw: string): string;
}

/** Makes a decoder. Cheap until the first value that needs one. */
export function createReferenceDecoder(): ReferenceDecoder {
  let scanner: ReferenceScanner | null = null;
  const decode = (raw: string, wrap: (text: string) => string): string => {
    const text = preprocessed(raw);
    if (!text.includes('&')) return text;
    // Nearly every reference in a link is `&amp;`.
    if (!text.replaceAll('&amp;', '').includes('&')) return text.replaceAll('&amp;', '&');
    scanner ??= new ReferenceScanner();
    return scanner.read(wrap(text));
  };
  return {
    attribute: (raw) => decode(raw, (text) => `<a a="${text.replaceAll('"', '&quot;')}">`),
    text: (raw) => decode(raw, (text) => text.replaceAll('<', '&lt;')),
  };
}

/** NUL becomes the replacement character, and every line ends with a line feed, as HTML says of its input. */
function preprocessed(raw: string): string {
  const text = raw.includes('\0') ? raw.replaceAll('\0', '\uFFFD') : raw;
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** The tokenizer's events about one value, put together again. */
class ReferenceScanner {
  readonly #tokenizer = new Tokenizer({ decodeEntities: true }, this);
  #source = '';
  #decoded = '';

  read(source: string): string {
    this.#source = source;
    this.#decoded = '';
    this.#tokenizer.reset();
    this.#tokenizer.write(source);
    this.#tokenizer.end();
    return this.#decoded;
  }

  onattribdata(start: number, end: number): void {
    this.#decoded += this.#source.slice(start, end);
  }
  onattribentity(codePoint: number): void {
    this.#decoded += String.fromCodePoint(codePoint);
  }
  ontext(start: number, end: number): void {
    this.#decoded += this.#source.slice(start, end);
  }
  ontextentity(codePoint: number): void {
    this.#decoded += String.fromCodePoint(codePoint);
  }

  // What else a tokenizer tells does not concern a value.
  onattribend = ignore;
  onattribname = ignore;
  oncdata = ignore;
  onclosetag = ignore;
  oncomment = ignore;
  ondeclaration = ignore;
  onend = ignore;
  onopentagend = ignore;
  onopentagname = ignore;
  onprocessinginstruction = ignore;
  onselfclosingtag = ignore;
}

function ignore(): void {
  // Not wanted.
}
