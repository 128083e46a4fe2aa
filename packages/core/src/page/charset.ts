// Decodes bytes to text by byte order mark, by the header, by what the document declares, else as UTF-8, else by what
// the bytes look like. The platform's decoders come first. One library covers old code pages they lack, another
// guesses.

import { isUtf8 } from 'node:buffer';
import { createRequire } from 'node:module';
import { isError } from '../errors.js';
import {
  CHARSET_PRESCAN_BYTES,
  CHARSET_SAMPLE_BYTES,
  CHARSET_SEARCH_BYTES,
  MIN_CHARSET_CONFIDENCE,
  MIN_HIGH_BYTES,
} from './limits.js';

type Decode = (bytes: Buffer) => string;

const require = createRequire(import.meta.url);

/**
 * The text of a body, without byte order mark. Undecodable bytes become U+FFFD. Never throws.
 * @param contentType - The Content-Type field; `null` when absent.
 * @param kind - `html` and `xml` documents may name their own charset; for others only the mark and the header count.
 * @see WHATWG HTML, "determining the character encoding"; WHATWG Encoding (labels); XML 1.0, appendix F
 */
export function decodeText(body: Uint8Array, contentType: string | null, kind: string): string {
  const bytes = bufferOf(body);
  return decoderOf(bytes, contentType, kind)(bytes);
}

/**
 * Where the text of a body begins that {@link decodeText} takes for UTF-8, after its byte order mark. `null` for other
 * charsets. Never throws.
 */
export function utf8Offset(body: Uint8Array, contentType: string | null, kind: string): number | null {
  const bytes = bufferOf(body);
  return decoderOf(bytes, contentType, kind) === decodeUtf8 ? utf8BomLength(bytes) : null;
}

/** Decodes bytes to text as they arrive. */
export type StreamDecoder = Pick<InstanceType<typeof TextDecoder>, 'decode' | 'encoding'>;

/** By byte order mark, header, or XML declaration, else UTF-8. Never throws. @param start - Its first bytes. */
export function createStreamDecoder(start: Uint8Array, contentType: string | null): StreamDecoder {
  const bytes = bufferOf(start);
  for (const label of [bomCharset(bytes), charsetParameter(contentType), xmlCharset(bytes)]) {
    const decoder = label === null ? null : platformDecoder(label.trim());
    if (decoder !== null) return decoder;
  }
  return new TextDecoder();
}

/** Uses the first known label of the byte order mark, the header and the document, else what the bytes look like. */
function decoderOf(bytes: Buffer, contentType: string | null, kind: string): Decode {
  const declared =
    decoderFor(bomCharset(bytes)) ??
    decoderFor(charsetParameter(contentType)) ??
    decoderFor(kind === 'html' ? htmlCharset(bytes) : kind === 'xml' ? xmlCharset(bytes) : null);
  if (declared !== null) return declared;
  // JSON is UTF-8 by definition, and so is XML without a declaration. Other kinds are not guessed at.
  if ((kind !== 'html' && kind !== 'text') || isUtf8Prefix(bytes)) return decodeUtf8;
  return decoderFor(detectCharset(bytes)) ?? decodeUtf8;
}

/** Code pages that the WHATWG encodings lack. The library also has entries that are not charsets, such as base64. */
const OLD_CODE_PAGE = /^(?:cp|ibm|dos|mac|koi8|iso-?8859|windows|armscii|georgian|rk1048|pt154|tcvn|viscii|hp-?roman)/;

/** `null` for an unknown or absent label. */
function decoderFor(label: string | null): Decode | null {
  if (label === null) return null;
  const name = label.trim().toLowerCase();
  // A label of HTML's own: in a page it means the legacy encoding.
  const decoder = platformDecoder(name === 'x-user-defined' ? LEGACY_CHARSET : name);
  if (decoder?.encoding === 'utf-8') return decodeUtf8;
  // Node 20 decodes 0x80 to 0x9F of this charset like ISO 8859-1, as control characters.
  if (decoder?.encoding === 'windows-1252') return (bytes) => iconv().decode(bytes, 'windows-1252');
  if (decoder !== null) return (bytes) => decoder.decode(bytes);
  return OLD_CODE_PAGE.test(name) && iconv().encodingExists(name) ? (bytes) => iconv().decode(bytes, name) : null;
}

function decodeUtf8(bytes: Buffer): string {
  return bytes.toString('utf8', utf8BomLength(bytes));
}

function bufferOf(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

function utf8BomLength(bytes: Buffer): 0 | 3 {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

function bomCharset(bytes: Buffer): string | null {
  if (utf8BomLength(bytes) > 0) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : null;
}

function charsetParameter(text: string | null): string | null {
  return text === null ? null : (/charset\s{0,9}=\s{0,9}["']?([^\s"';,]{1,40})/i.exec(text)?.[1] ?? null);
}

/** A document whose `meta` can be read as ASCII is not UTF-16, whatever it says (WHATWG HTML, prescan). */
function htmlCharset(bytes: Buffer): string | null {
  const start = bytes.toString('latin1', 0, CHARSET_PRESCAN_BYTES).replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  for (const [tag] of start.matchAll(/<meta[\s/][^>]*/gi)) {
    const label = charsetParameter(tag);
    if (label !== null) return /^utf-?16/i.test(label) ? 'utf-8' : label;
  }
  return null;
}

function xmlCharset(bytes: Buffer): string | null {
  const start = bytes.toString('latin1', 0, 256);
  return /^<\?xml\s[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([^"']{1,40})["']/.exec(start)?.[1] ?? null;
}

/** Loaded on first use: a crawl of UTF-8 pages never needs it. */
function iconv(): typeof import('iconv-lite') {
  return require('iconv-lite');
}

function platformDecoder(label: string): StreamDecoder | null {
  try {
    return new TextDecoder(label);
  } catch (error) {
    if (isError(error) && error.name === 'RangeError') return null;
    throw error;
  }
}

/** A limit may have cut the body inside a character, so an incomplete character at its end still counts as UTF-8. */
function isUtf8Prefix(bytes: Buffer): boolean {
  const end = bytes.toString('latin1', Math.max(0, bytes.length - 3));
  const cut = /(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})$/.exec(end)?.[0].length ?? 0;
  return isUtf8(bytes.subarray(0, bytes.length - cut));
}

/** The guess if there is too little text: the legacy encoding of the web. */
const LEGACY_CHARSET = 'windows-1252';

/** Pages declared with the ISO name use bytes that only the Windows charset has, 0x80 to 0x9F. */
const WINDOWS_EQUIVALENTS: Readonly<Record<string, string>> = {
  'ISO-8859-1': LEGACY_CHARSET,
  'ISO-8859-7': 'windows-1253',
  'ISO-8859-8': 'windows-1255',
  'ISO-8859-9': 'windows-1254',
  ASCII: LEGACY_CHARSET,
  'UTF-8': LEGACY_CHARSET,
};

/** A label for bytes that are not UTF-8, from the first text outside markup: tags are ASCII in every charset. */
function detectCharset(bytes: Buffer): string {
  const text = bytes.toString('latin1', 0, CHARSET_SEARCH_BYTES).replace(/<[^<>]{0,4096}>/g, ' ');
  // Starts shortly before the first non-ASCII byte: the English menu of a Russian page is no evidence.
  const start = Math.max(0, text.search(/[\x80-\xff]/) - 64);
  const sample = text.slice(start, start + CHARSET_SAMPLE_BYTES);
  if ((sample.match(/[\x80-\xff]/g)?.length ?? 0) < MIN_HIGH_BYTES) return LEGACY_CHARSET;
  // Loaded on first use: it is two megabytes, and most crawls never need it.
  const { analyse } = require('chardet') as typeof import('chardet');
  const [best] = analyse(Buffer.from(sample, 'latin1'));
  if (best === undefined || best.confidence < MIN_CHARSET_CONFIDENCE) return LEGACY_CHARSET;
  const equivalent = WINDOWS_EQUIVALENTS[best.name];
  return equivalent !== undefined && (equivalent === LEGACY_CHARSET || /[\x80-\x9f]/.test(text))
    ? equivalent
    : best.name;
}
