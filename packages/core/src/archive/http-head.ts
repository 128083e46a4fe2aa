// Header sections of requests and responses as bytes, and back. Names, values and order are kept as they came; what the
// fetcher undid by itself (the framing of the transfer, and the coding of a body that was kept decoded) is said by a
// prefix, so that no reader undoes it a second time.

import type { HeaderLines } from '../fetch/outcome.js';

/** A response's status line and fields. */
export interface HttpHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderLines;
}

/** Before the names of fields that are no longer true of the body as it is kept; what browsers' archivers write. */
export const ORIGINAL_PREFIX = 'X-Orig-';

/** Framing: undone by every HTTP library before anybody sees the body. */
const FRAMING: ReadonlySet<string> = new Set(['transfer-encoding']);
/** What is no longer true of a body whose codings were undone. */
const CODING: ReadonlySet<string> = new Set(['transfer-encoding', 'content-encoding', 'content-length']);

/**
 * The header section of a request, empty line included.
 *
 * `host` and `connection` are written by the library that sends, in these words; the other fields are given.
 *
 * @throws Never, for a URL that was asked for.
 */
export function requestHead(url: string, headers: Readonly<Record<string, string>>): Buffer {
  const { pathname, search, host } = new URL(url);
  const lines = [`GET ${pathname}${search} HTTP/1.1`, `host: ${host}`, 'connection: keep-alive'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return bytes(lines);
}

/**
 * The header section of a response, empty line included.
 *
 * @param isDecoded - Whether the body is kept with its content codings undone.
 * @throws Never.
 */
export function responseHead({ status, statusText, headers }: HttpHead, isDecoded: boolean): Buffer {
  const changed = isDecoded ? CODING : FRAMING;
  const lines = [`HTTP/1.1 ${status} ${statusText}`];
  for (const [name, value] of headers) {
    lines.push(`${changed.has(name.toLowerCase()) ? ORIGINAL_PREFIX : ''}${name}: ${value}`);
  }
  return bytes(lines);
}

/** The bytes after a header section, `null` where it does not end within them. Never throws. */
export function headEnd(block: Buffer): number | null {
  const end = block.indexOf('\r\n\r\n');
  return end < 0 ? null : end + 4;
}

/** Reads what {@link responseHead} wrote; prefixed fields keep their prefix. `null` for anything else. Never throws. */
export function parseResponseHead(head: Buffer): HttpHead | null {
  const [statusLine = '', ...lines] = head.toString('latin1').split('\r\n');
  const [, status, statusText = ''] = /^HTTP\/\d(?:\.\d)? (\d{3})(?: (.*))?$/.exec(statusLine) ?? [];
  if (status === undefined) return null;
  const headers: [string, string][] = [];
  for (const line of lines) {
    const colon = line.indexOf(': ');
    if (colon > 0) headers.push([line.slice(0, colon), line.slice(colon + 2)]);
  }
  return { status: Number(status), statusText, headers };
}

/** The fields as the site sent them: without the prefixes that the archive put before them. Never throws. */
export function originalFields(headers: HeaderLines): HeaderLines {
  return headers.map(([name, value]) => [
    name.startsWith(ORIGINAL_PREFIX) ? name.slice(ORIGINAL_PREFIX.length) : name,
    value,
  ]);
}

/** Field values are bytes, one character each; a line break within one would be a line of its own. */
function bytes(lines: readonly string[]): Buffer {
  return Buffer.from(`${lines.map((line) => line.replace(/[\r\n]+/g, ' ')).join('\r\n')}\r\n\r\n`, 'latin1');
}
