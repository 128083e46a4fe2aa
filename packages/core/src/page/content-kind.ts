// The kind of a response's content, from its media type and its first bytes, which may disagree. Between kinds of text
// the declaration counts: nothing is treated as HTML against it. Bytes with a signature are what the signature says: a
// PDF declared as HTML goes to the handler for PDFs, and a page declared as a PDF is neither.

import { type HeaderLines, headerValue, headerValues } from '../fetch/outcome.js';
import { SNIFFED_BYTES } from './limits.js';

/** Kinds that handlers can be registered for. */
export type ContentKind = 'html' | 'json' | 'xml' | 'pdf' | 'image' | 'text' | 'other';

export const CONTENT_KINDS: readonly ContentKind[] = ['html', 'json', 'xml', 'pdf', 'image', 'text', 'other'];

export interface Content {
  readonly kind: ContentKind;
  /** Type and subtype, lower case, without parameters; `null` if the response has no valid one. */
  readonly mime: string | null;
  /** What the first bytes look like; `null`: nothing in particular. JSON looks like text. */
  readonly sniffedType: Exclude<ContentKind, 'json'> | null;
}

/**
 * The kind of a response's content.
 * @param headers - The last valid Content-Type counts; with `X-Content-Type-Options: nosniff` it is trusted.
 * @param body - Its first bytes are inspected; an empty body contradicts nothing.
 * @see WHATWG MIME Sniffing, §7 (determining the computed MIME type)
 */
export function contentOf(headers: HeaderLines, body: Uint8Array): Content {
  const mime = mimeOf(headers);
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, SNIFFED_BYTES)).toString('latin1');
  const sniffed = sniff(start);
  if (mime === null || UNKNOWN_TYPES.has(mime)) return { mime, sniffedType: sniffed, kind: sniffed ?? 'other' };
  const declared = kindOfMime(mime);
  const isTrusted = headerValue(headers, 'x-content-type-options')?.trim().toLowerCase() === 'nosniff';
  const kind = isTrusted || sniffed === null ? declared : effectiveKind(declared, mime, sniffed, headers, start);
  return { mime, sniffedType: sniffed, kind };
}

/** Types that servers send when they do not know. */
const UNKNOWN_TYPES: ReadonlySet<string> = new Set(['unknown/unknown', 'application/unknown', '*/*']);

/** Combines the declaration and the first bytes. */
function effectiveKind(
  declared: ContentKind,
  mime: string,
  sniffed: NonNullable<Content['sniffedType']>,
  headers: HeaderLines,
  start: string,
): ContentKind {
  if (sniffed === 'pdf' || sniffed === 'image')
    return declared !== 'other' || BINARY_TYPES.has(mime) ? sniffed : declared;
  if (declared === 'pdf') return 'other';
  if ((declared === 'html' || declared === 'text') && sniffed === 'other' && !isWideText(headers)) return 'other';
  // A feed with the type of pages: the standard has its own section for it (§7.3). Other XML with that type is a page
  // that begins with an XML declaration.
  if (sniffed === 'xml' && mime === 'text/html' && FEED_START.test(withoutMark(start))) return 'xml';
  // Text images (SVG) and images with an unknown signature are trusted.
  const isMarkup = sniffed === 'html' || sniffed === 'xml';
  return declared === 'image' && isMarkup && mime !== 'image/svg+xml' ? 'other' : declared;
}

/** Types that say only that there are bytes. */
const BINARY_TYPES: ReadonlySet<string> = new Set(['application/octet-stream', 'binary/octet-stream']);

/** UTF-16 and UTF-32 are full of NULs, but are text. */
function isWideText(headers: HeaderLines): boolean {
  const type = headerValue(headers, 'content-type') ?? '';
  return /charset\s{0,9}=\s{0,9}["']?(?:utf-?(?:16|32)|ucs-?2|unicode)/i.test(type);
}

const MIME = /^[\t ]*([\w!#$&^.+*-]{1,127}\/[\w!#$&^.+*-]{1,127})[\t ]*(?:;|,|$)/;

function mimeOf(headers: HeaderLines): string | null {
  for (const value of headerValues(headers, 'content-type').reverse()) {
    const mime = MIME.exec(value)?.[1];
    if (mime !== undefined) return mime.toLowerCase();
  }
  return null;
}

const KIND_OF_TYPE: Readonly<Record<string, ContentKind>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/json': 'json',
  'text/json': 'json',
  'application/xml': 'xml',
  'text/xml': 'xml',
  'application/pdf': 'pdf',
  'application/x-pdf': 'pdf',
};

function kindOfMime(mime: string): ContentKind {
  if (Object.hasOwn(KIND_OF_TYPE, mime)) return KIND_OF_TYPE[mime]!;
  if (mime.startsWith('image/')) return 'image';
  if (mime.endsWith('+json')) return 'json';
  if (mime.endsWith('+xml')) return 'xml';
  return mime.startsWith('text/') ? 'text' : 'other';
}

/** The kinds that content of a media type may turn out to be; `null` if only the body can tell. @throws Never */
export function possibleKinds(mime: string | null): readonly ContentKind[] | null {
  if (mime === null || UNKNOWN_TYPES.has(mime) || BINARY_TYPES.has(mime)) return null;
  const kind = kindOfMime(mime);
  if (kind === 'pdf' || kind === 'image') return ['pdf', 'image', 'other'];
  return kind === 'other' ? ['other'] : null;
}

const EXTENSIONS = {
  'application/pdf': 'pdf',
  'image/*': 'avif bmp gif ico jpeg jpg png tif tiff webp',
  'application/*':
    '7z aac apk avi bz2 deb dmg doc docx epub exe flac flv gz iso jar m4a m4v mkv mov mp3 mp4 mpeg mpg msi ods odt ' +
    'oga ogg ogv ppt pptx rar rpm tar tgz wav webm whl wmv xls xlsx xz zip',
};
const TYPE_OF_EXTENSION = new Map(
  Object.entries(EXTENSIONS).flatMap(([type, names]) => names.split(' ').map((name) => [name, type] as const)),
);

const DOT = 0x2e;

/**
 * The media type, with `*` for what varies, of the extension in a URL's path; `null`: unknown. Extensions have two to
 * four characters. @param url - Without fragment.
 */
export function typeByExtension(url: string): string | null {
  // Runs for every link of a page, so it uses no regular expression.
  const query = url.indexOf('?');
  const end = query < 0 ? url.length : query;
  for (let dot = end - 3; dot >= end - 5; dot -= 1) {
    if (url.charCodeAt(dot) === DOT) return TYPE_OF_EXTENSION.get(url.slice(dot + 1, end).toLowerCase()) ?? null;
  }
  return null;
}

/** The standard's table of tags (§7.1), each before a blank or `>`. */
const HTML_START =
  /^(?:<!--|<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta|link|ul)[\s/>])/i;
/** After declarations, comments and a document type (§7.3). */
const FEED_START =
  /^(?:<\?[^>]{0,256}\?>\s*|<!--(?:(?!-->)[\s\S]){0,512}-->\s*|<!doctype[^>]{0,256}>\s*)*<(?:rss|feed|rdf:RDF)[\s/>]/;
const IMAGE_START =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: signatures have them.
  /^(?:\x89PNG\r\n\x1a\n|GIF8[79]a|\xff\xd8\xff|RIFF[\s\S]{4}WEBPVP|BM[\s\S]{4}\0\0\0\0|\0\0[\x01\x02]\0|[\s\S]{4}ftyp(?:avif|avis|heic|mif1))/;
// Control characters that are not in text: all but tab, line ends, form feed and escape (§3, "binary data byte").
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for.
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;
const BYTE_ORDER_MARK = /^(?:\xef\xbb\xbf|\xfe\xff|\xff\xfe)/;

/** JSON is not guessed: its beginning looks like text. @param bytes - The first ones, one character each. */
function sniff(bytes: string): Content['sniffedType'] {
  if (bytes === '') return null;
  if (bytes.startsWith('%PDF-')) return 'pdf';
  if (IMAGE_START.test(bytes)) return 'image';
  const text = withoutMark(bytes);
  if (FEED_START.test(text)) return 'xml';
  if (HTML_START.test(text)) return 'html';
  if (text.startsWith('<?xml')) return 'xml';
  return BINARY.test(bytes) && !BYTE_ORDER_MARK.test(bytes) ? 'other' : 'text';
}

/** The text after the byte order mark and blanks. */
function withoutMark(bytes: string): string {
  return bytes.replace(/^\xef\xbb\xbf/, '').trimStart();
}
