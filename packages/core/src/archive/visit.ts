// What an archive keeps about a page next to its exchange: what its handler saw beyond the exchange, so that a replay
// repeats the same visit. It is in a field of ours in the page's metadata record.

import type { JsonValue, UrlRecord } from '@mannerly/frontier';
import type { RenderedPage } from '../fetch/renderer.js';
import { MAX_DATE_MS } from '../limits.js';
import { parseJsonObject } from '../parse-json.js';
import { MAX_KEPT_BODY_BYTES } from './limits.js';

export interface ArchivedVisit extends Required<Omit<UrlRecord, 'url'>> {
  /** The host key, after which its items are named. */
  readonly host: string;
  /** What robots.txt says about the URL besides allow and deny. */
  readonly signals: JsonValue;
  readonly tdm: { readonly reserved: boolean | null; readonly policy: string | null };
  /** Its licence and its consequences. Absent: none is named. */
  readonly license?: JsonValue;
  /** When the page was judged, epoch milliseconds. */
  readonly judgedAtMs: number;
  /** Whether it was to be opened in a browser. Absent: the handler saw the response. */
  readonly isRendered?: true;
  /**
   * What is known about the rendering, without its document, which has its own record. Absent: the browser had no page.
   */
  readonly rendering?: Omit<ArchivedRendering, 'html' | 'screenshot'>;
}

export type ArchivedRendering = Omit<RenderedPage, 'kind'>;

export interface ArchivedPage {
  readonly keepsBody: boolean;
  readonly isHtml: boolean;
  readonly title: string | null;
  readonly visit: ArchivedVisit;
  /** Document and screenshot of the browser; `null`: no browser had the page. */
  readonly rendered: Pick<ArchivedRendering, 'html' | 'screenshot'> | null;
  /** Absolute URLs of its links, in page order. */
  readonly outlinks: readonly string[];
}

/** Options of a run that affect what handlers see. They are in each warcinfo record. */
export interface ArchivedSettings {
  readonly tokens: readonly string[];
  /** The resolved options of page-level exclusion. */
  readonly exclusion: JsonValue;
  readonly joinsHeaders: boolean;
  /** Decoded bytes of a page that were kept. */
  readonly maxBodyBytes: number;
}

/** The media types of what a browser made of a page. */
export const RENDERED_HTML = 'text/html; charset=utf-8';
export const RENDERED_IMAGE = 'image/png';

/** Names of fields that are written and read back. Fields named `mannerly…` contain JSON. */
export const FIELDS = {
  /** How the body of a revisit was cut, since its WARC-Truncated says that a revisit has no body. */
  truncated: 'truncated',
  settings: 'mannerlySettings',
  visit: 'mannerlyVisit',
  purpose: 'purpose',
  durationMs: 'fetchTimeMs',
  title: 'title',
  withheld: 'withheld',
  /** The failure code of an exchange without a usable response, and its detail. */
  failure: 'fetchFailure',
  failureDetail: 'failureDetail',
} as const;

/** The lines of an `application/warc-fields` block. Never throws. */
export function warcFields(fields: readonly (readonly [name: string, value: string | null])[]): Buffer {
  const lines = fields.filter(([, value]) => value !== null);
  return Buffer.from(lines.map(([name, value]) => `${name}: ${value?.replace(/[\r\n]+/g, ' ')}\r\n`).join(''));
}

/** The first value of each name in such a block. Never throws. */
export function parseWarcFields(block: Uint8Array): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const line of Buffer.from(block.buffer, block.byteOffset, block.byteLength).toString('utf8').split('\r\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0 && !fields.has(line.slice(0, colon))) fields.set(line.slice(0, colon), line.slice(colon + 2));
  }
  return fields;
}

const isString = (value: unknown): boolean => typeof value === 'string';
const isStringOrNull = (value: unknown): boolean => value === null || isString(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isTime = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= MAX_DATE_MS;

const VISIT_FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  host: isString,
  depth: isCount,
  via: isString,
  from: isStringOrNull,
  hops: isCount,
  label: isStringOrNull,
  tries: isCount,
  visit: isCount,
  judgedAtMs: isTime,
};

/**
 * A visit, `null` if there is none, or `unreadable` for anything but what is written. What robots.txt, `tdmrep.json`
 * and licences said is not looked into: reading the page may throw on it. Never throws.
 */
export function parseVisit(text: string | undefined): ArchivedVisit | 'unreadable' | null {
  if (text === undefined) return null;
  const visit = parseJsonObject(text);
  const isValid = Object.entries(VISIT_FIELDS).every(([name, isValidField]) => isValidField(visit?.[name]));
  return isValid ? (visit as unknown as ArchivedVisit) : 'unreadable';
}

/** The settings of a run; `null` if there are none, or not as they are written. Never throws. */
export function parseSettings(text: string | undefined): ArchivedSettings | null {
  const settings = parseJsonObject(text ?? '');
  const { tokens, maxBodyBytes } = settings ?? {};
  const isBounded = isCount(maxBodyBytes) && Number(maxBodyBytes) <= MAX_KEPT_BODY_BYTES;
  const isValid = Array.isArray(tokens) && tokens.every(isString);
  return isBounded && isValid ? (settings as unknown as ArchivedSettings) : null;
}
