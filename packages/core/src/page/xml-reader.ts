// XML as a stream of small events, in bounded memory: for sitemaps and feeds, which come from anybody and may be large.
// htmlparser2 in its XML mode is the parser: it goes on past mistakes, processes no document type, loads nothing, and
// knows only the five predefined entities and numbers. What an `<!ENTITY>` declares is never expanded (no billion
// laughs).

import { Parser } from 'htmlparser2';
import { MAX_XML_ATTRIBUTES, MAX_XML_DEPTH, MAX_XML_TOKEN_CHARS } from './limits.js';

/** Told of what an XML document holds. Names are as written, prefix included. */
export interface XmlEvents {
  open(name: string): void;
  /** Of the element opened last. */
  attribute(name: string, value: string): void;
  /** A piece of text or CDATA; a text may come in several. */
  text(piece: string): void;
  close(name: string): void;
}

/** Why a document is not read any further. */
export type XmlStop = 'too-deep' | 'too-long-a-token' | 'too-many-attributes';

/** A document as it arrives. */
export interface XmlReader {
  /** Takes the next piece. @returns Why reading has ended; `null`: go on. */
  write(piece: string): XmlStop | null;
  /** No more comes: what is open is closed. */
  end(): void;
  /** Tells nothing any more. */
  stop(): void;
}

/**
 * Makes a reader.
 *
 * @throws Never. Memory is bounded by depth, by the attributes of one tag and by the length of one tag or comment; a
 *   document past one of these is not read any further, and what was told of it stands.
 */
export function createXmlReader(events: XmlEvents): XmlReader {
  let depth = 0;
  let attributes = 0;
  let silentChars = 0;
  let stopped: XmlStop | 'done' | null = null;
  const halt = (why: XmlStop | 'done'): void => {
    stopped ??= why;
    parser.pause();
  };
  const heard = (): boolean => {
    silentChars = 0;
    return stopped === null;
  };
  // No `onopentag`: with it the parser would collect every attribute of a tag into an object.
  const parser = new Parser(
    {
      onopentagname(name) {
        if (!heard()) return;
        depth += 1;
        attributes = 0;
        if (depth > MAX_XML_DEPTH) halt('too-deep');
        else events.open(name);
      },
      onattribute(name, value) {
        if (!heard()) return;
        attributes += 1;
        if (attributes > MAX_XML_ATTRIBUTES) halt('too-many-attributes');
        else events.attribute(name, value);
      },
      ontext(piece) {
        if (heard()) events.text(piece);
      },
      onclosetag(name) {
        depth -= 1;
        if (heard()) events.close(name);
      },
      oncomment: heard,
      onprocessinginstruction: heard,
    },
    { xmlMode: true, decodeEntities: true },
  );
  return {
    write(piece) {
      for (let at = 0; at < piece.length && stopped === null; at += PIECE_CHARS) {
        const part = piece.slice(at, at + PIECE_CHARS);
        silentChars += part.length;
        parser.write(part);
        if (silentChars > MAX_XML_TOKEN_CHARS) halt('too-long-a-token');
      }
      return stopped === 'done' ? null : stopped;
    },
    end() {
      if (stopped === null) parser.end();
    },
    stop: () => halt('done'),
  };
}

/** Characters handed over at once, so that a token without end is noticed soon. */
const PIECE_CHARS = 16_384;
