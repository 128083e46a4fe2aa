// What an archive says of a page besides its exchange: everything its handler saw that the exchange does not tell, so
// that a replay is the same visit again. It stands in the page's metadata record, in a field of ours.

import type { JsonValue } from '@mannerly/frontier';

/** One visit of a page. */
export interface ArchivedVisit {
  /** The politeness unit that its items are named after. */
  readonly host: string;
  readonly depth: number;
  readonly via: string;
  readonly from: string | null;
  readonly hops: number;
  readonly label: string | null;
  readonly userData: JsonValue | null;
  readonly tries: number;
  readonly visit: number;
  /** What robots.txt said of the URL besides allow and deny. */
  readonly signals: JsonValue;
  /** What the site's tdmrep.json said of it. */
  readonly tdm: { readonly reserved: boolean | null; readonly policy: string | null };
  /** When the page was judged, epoch milliseconds. */
  readonly judgedAtMs: number;
  /**
   * It was opened in a browser for its handler; what the browser made of it is not in the archive. Absent: the handler
   * saw what came.
   */
  readonly isRendered?: true;
}

/** A page on its way into the archive. */
export interface ArchivedPage {
  /** Whether the page lets copies of it be kept. */
  readonly keepsBody: boolean;
  readonly isHtml: boolean;
  readonly title: string | null;
  readonly visit: ArchivedVisit;
  /** Absolute URLs of its links, in its order. */
  readonly outlinks: readonly string[];
}

/** What a run was told that changes what handlers see; stands in each warcinfo record. */
export interface ArchivedSettings {
  readonly tokens: readonly string[];
  /** The options of page-level exclusion, as they were resolved. */
  readonly exclusion: JsonValue;
  readonly joinsHeaders: boolean;
  /** Decoded bytes of a page that were kept. */
  readonly maxBodyBytes: number;
}

/** How the first pages of a crawl were found. */
export const SEED = 'seed';
/** The title of a page that people look for. */
export const TITLE_FIELD = 'title';
/** Fields of ours. Values are JSON in one line. */
export const VISIT_FIELD = 'mannerlyVisit';
export const SETTINGS_FIELD = 'mannerlySettings';
/** What an exchange was for. */
export const PURPOSE_FIELD = 'purpose';
/** Why a response that came is not kept. */
export const WITHHELD_FIELD = 'withheld';
/** The word for an exchange without a usable response. */
export const FAILURE_FIELD = 'fetchFailure';

/** The lines of an `application/warc-fields` block. Never throws. */
export function warcFields(fields: readonly (readonly [name: string, value: string | null])[]): Buffer {
  return Buffer.from(
    fields
      .flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value.replace(/[\r\n]+/g, ' ')}\r\n`]))
      .join(''),
  );
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

/** A JSON object in a field; `null` for anything else. Never throws. */
export function parseJsonField<T extends object>(text: string | undefined): T | null {
  if (text === undefined) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as T) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
