// The answers of a fake web: the short forms that a test writes, and the complete answers.

import { STATUS_CODES } from 'node:http';
import { type CallOptions, checkOptions } from '../call-options.js';
import { invalidOption } from '../errors.js';
import { type FailureCode, type HeaderLines, isFailureCode } from '../fetch/outcome.js';

/** A request as a route sees it. */
export interface FakeRequest {
  readonly url: string;
  /** Host name without port. */
  readonly host: string;
  /** With query. */
  readonly path: string;
  /** As sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a login form. Absent if it is not a POST. */
  readonly body?: string;
  /** How often this URL was requested before. */
  readonly before: number;
  /** When it arrived, epoch milliseconds. */
  readonly atMs: number;
}

/** The parts of an answer; all may be left out. */
export interface FakeAnswerParts {
  /** @default 200 */
  readonly status?: number;
  /** @default the usual text for the status */
  readonly statusText?: string;
  /** By name: `Content-Type` and `Content-Length` are added if they are absent. Or lines, which are not changed. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | HeaderLines;
  /** Bytes as transferred: encoded as `Content-Encoding` says. @default '' */
  readonly body?: string | Uint8Array;
  /** Milliseconds from the request to the header section. @default the host's `delayMs` */
  readonly delayMs?: number;
  /** Milliseconds from there to the last byte. @default 0 */
  readonly bodyMs?: number;
  /** The connection ends after half of the body. @default false */
  readonly isCut?: boolean;
  /**
   * No response arrives, for this reason. `dns`, `refused`, `unreachable-network`, `tls` and `timeout-connect` happen
   * before the request is sent (if a function answers: after it), the others after it. Timeouts take their time.
   */
  readonly failure?: FailureCode;
}

/** An answer: a body with status 200, or its parts. */
export type FakeAnswer = string | FakeAnswerParts;

/** Makes an answer; `null`: 404. Its error fails the request as `internal`, and is kept in `web.errors`. */
export type FakeRouteFunction = (request: FakeRequest) => FakeAnswer | null | Promise<FakeAnswer | null>;

/** An answer, or a function that makes one. */
export type FakeRoute = FakeAnswer | FakeRouteFunction;

export type CompleteAnswer = ReturnType<typeof completeAnswer>;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv; charset=utf-8',
  gif: 'image/gif',
  gz: 'application/gzip',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  xml: 'application/xml',
  zip: 'application/zip',
};

/** The media type for the extension of a path; HTML if there is none. Never throws. */
export function mediaTypeOf(path: string): string {
  const extension = /\.([a-z0-9]+)(?:\?.*)?$/i.exec(path)?.[1]?.toLowerCase() ?? 'html';
  if (/^x?html?$/.test(extension)) return 'text/html; charset=utf-8';
  return MEDIA_TYPES[extension] ?? (path.includes('?') ? 'text/html; charset=utf-8' : 'application/octet-stream');
}

const ANSWER_OPTIONS: CallOptions<FakeAnswerParts> = {
  status: 'number',
  statusText: 'string',
  headers: 'object',
  body: 'any',
  delayMs: 'number',
  bodyMs: 'number',
  isCut: 'boolean',
  failure: 'any',
};

/** @throws MannerlyError `option-invalid` */
export function checkFailure(call: string, { failure }: { readonly failure?: FailureCode }): void {
  if (failure !== undefined && !isFailureCode(failure))
    throw invalidOption(`${call}.failure`, 'a failure code, such as refused', failure);
}

/** @param call - The name of the answer in messages. @throws MannerlyError `option-invalid`, `option-unknown` */
export function checkAnswer(call: string, route: FakeRoute): void {
  if (typeof route === 'string' || typeof route === 'function') return;
  checkOptions(call, route, ANSWER_OPTIONS, 'An answer is a text, its parts, or a function.');
  const { body } = route;
  if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array))
    throw invalidOption(`${call}.body`, 'a text or bytes, such as JSON.stringify(value)', body);
  checkFailure(call, route);
}

const NO_BODY: ReadonlySet<number> = new Set([204, 304]);

/** Fills in the parts that a test left out. Never throws. */
export function completeAnswer(answer: FakeAnswer, path: string, hostDelayMs: number) {
  const parts = typeof answer === 'string' ? { body: answer } : answer;
  const { status = 200, headers = {} } = parts;
  const given = headerLines(headers);
  const names = new Set(given.map(([name]) => name.toLowerCase()));
  const body = NO_BODY.has(status) ? Buffer.alloc(0) : Buffer.from(parts.body ?? '');
  const added: [string, string][] = [];
  const isAdded = (name: string): boolean => !isLines(headers) && !names.has(name);
  if (body.length > 0 && isAdded('content-type')) added.push(['Content-Type', mediaTypeOf(path)]);
  if (!NO_BODY.has(status) && isAdded('content-length')) added.push(['Content-Length', String(body.length)]);
  return {
    status,
    statusText: parts.statusText ?? STATUS_CODES[status] ?? '',
    headers: [...added, ...given],
    body,
    delayMs: parts.delayMs ?? hostDelayMs,
    bodyMs: parts.bodyMs ?? 0,
    isCut: parts.isCut ?? false,
    failure: parts.failure ?? null,
  };
}

function headerLines(headers: NonNullable<FakeAnswerParts['headers']>): HeaderLines {
  if (isLines(headers)) return headers;
  return Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((line): [string, string] => [name, line]),
  );
}

function isLines(headers: NonNullable<FakeAnswerParts['headers']>): headers is HeaderLines {
  return Array.isArray(headers);
}

/** A page with links. @param head - Markup for its head, such as `<meta name="robots" content="nofollow">`. */
export function fakePage(title: string, links: readonly string[] = [], head = ''): string {
  const body = links.map((href) => `<p><a href="${escaped(href)}">${escaped(href)}</a></p>`).join('\n');
  return `<!doctype html>\n<html><head><title>${escaped(title)}</title>${head}</head><body>\n${body}\n</body></html>\n`;
}

/** A redirect. Never throws. */
export function fakeRedirect(location: string, status = 302): FakeAnswerParts {
  return { status, headers: { Location: location } };
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
}
