// Header sections of requests and responses as bytes, and back, with names, values and order as received. A prefix
// marks fields that no longer describe the kept body, so that no reader undoes a framing or a coding twice.

import { type HeaderLines, headerValue } from '../fetch/outcome.js';

export interface HttpHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderLines;
}

/** The prefix of fields that no longer describe the body; browser archivers use it too. */
const ORIGINAL_PREFIX = 'X-Orig-';

/** Framing, which every HTTP library undoes. */
const FRAMING: ReadonlySet<string> = new Set(['transfer-encoding']);
/** Fields that do not describe a body with its codings undone. */
const CODING: ReadonlySet<string> = new Set(['transfer-encoding', 'content-encoding', 'content-length']);

/** Includes the empty line. The sending library adds `host` and `connection` itself, with this spelling. */
export function requestHead(url: string, headers: Readonly<Record<string, string>>): Buffer {
  const { pathname, search, host } = new URL(url);
  const own = [['host', host] as const, ['connection', 'keep-alive'] as const];
  return headBytes(`GET ${pathname}${search} HTTP/1.1`, [...own, ...Object.entries(headers)]);
}

/** Includes the empty line. @param isDecoded - Whether the body is kept with its content codings undone. */
export function responseHead({ status, statusText, headers }: HttpHead, isDecoded: boolean): Buffer {
  const changed = isDecoded ? CODING : FRAMING;
  const fields = headers.map(
    ([name, value]) => [`${changed.has(name.toLowerCase()) ? ORIGINAL_PREFIX : ''}${name}`, value] as const,
  );
  return headBytes(`HTTP/1.1 ${status} ${statusText}`, fields);
}

/** Where a header section ends; `null`: not within these bytes. Never throws. */
export function headEnd(block: Buffer): number | null {
  const end = block.indexOf('\r\n\r\n');
  return end < 0 ? null : end + 4;
}

/** Reads what {@link responseHead} wrote, with prefixes; `null` for anything else. Never throws. */
export function parseResponseHead(head: Buffer): HttpHead | null {
  const [statusLine = '', ...lines] = head.toString('latin1').split('\r\n');
  const [, status, statusText = ''] = /^HTTP\/\d(?:\.\d)? (\d{3})(?: (.*))?$/.exec(statusLine) ?? [];
  if (status === undefined) return null;
  return { status: Number(status), statusText, headers: fieldsOf(lines) };
}

/** Reads the fields that {@link requestHead} wrote. Never throws. */
export function parseRequestFields(head: Buffer): HeaderLines {
  return fieldsOf(head.toString('latin1').split('\r\n').slice(1));
}

function fieldsOf(lines: readonly string[]): HeaderLines {
  return lines.flatMap((line): [string, string][] => {
    const colon = line.indexOf(': ');
    return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 2)]] : [];
  });
}

/** The fields as the site sent them, without the archive's prefixes. Never throws. */
export function originalFields(headers: HeaderLines): HeaderLines {
  return headers.map(([name, value]) => [
    name.startsWith(ORIGINAL_PREFIX) ? name.slice(ORIGINAL_PREFIX.length) : name,
    value,
  ]);
}

/** Type and subtype of a response; `null`: it names none. Never throws. */
export function mimeOf(headers: HeaderLines): string | null {
  return (headerValue(headers, 'content-type') ?? '').split(';', 1)[0]?.trim() || null;
}

/** Field values are bytes, one character each. A line break within one would begin another field. */
function headBytes(firstLine: string, fields: HeaderLines): Buffer {
  const lines = [firstLine, ...fields.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.from(`${lines.map((line) => line.replace(/[\r\n]+/g, ' ')).join('\r\n')}\r\n\r\n`, 'latin1');
}
