// The index of one WARC file while it grows: a CDXJ line for each response and revisit, and a line for each page that
// people look for. Both are read from the records, whether new or left by a killed run.

import { randomUUID } from 'node:crypto';
import { cdxjLine, type IndexedRecord, REVISIT_MIME } from './cdxj.js';
import { headEnd, mimeOf, parseResponseHead } from './http-head.js';
import { FIELDS, isSeedVisit, parseWarcFields } from './visit.js';

type Fields = ReadonlyMap<string, string>;

/** Where a record is: the final name of its file, and bytes from its beginning. */
export type IndexedPlace = Pick<IndexedRecord, 'filename' | 'offset' | 'length'>;

export class WarcIndex {
  readonly lines: string[] = [];
  readonly pages: string[] = [];
  readonly #surtOf: (url: string) => string;
  /** From the latest metadata: it is listed once its response is added too. */
  #page: { readonly url: string | undefined; readonly line: string } | null = null;

  /** @param surtOf - Makes the sort key of a URL. Never throws. */
  constructor(surtOf: (url: string) => string) {
    this.#surtOf = surtOf;
  }

  /** Adds a record, with the beginning of its block. @returns Whether readers look for it. */
  add(fields: Fields, block: Buffer, place: IndexedPlace): boolean {
    const type = fields.get('WARC-Type');
    const url = fields.get('WARC-Target-URI');
    if (type === 'metadata') this.#page = pageOf(fields, block);
    if ((type !== 'response' && type !== 'revisit') || url === undefined) return false;
    const head = parseResponseHead(block.subarray(0, headEnd(block) ?? 0));
    const atMs = Date.parse(fields.get('WARC-Date') ?? '') || 0;
    const mime = type === 'revisit' ? REVISIT_MIME : mimeOf(head?.headers ?? []);
    const digest = fields.get('WARC-Payload-Digest') ?? null;
    this.lines.push(cdxjLine(this.#surtOf, { url, atMs, mime, status: head?.status ?? 0, digest, ...place }));
    if (this.#page?.url === url) this.pages.push(this.#page.line);
    this.#page = null;
    return true;
  }
}

/** A page from its metadata, with its line in `pages.jsonl` of WACZ; `null`: people do not look for it. */
function pageOf(fields: Fields, block: Buffer): { readonly url: string | undefined; readonly line: string } | null {
  // The links of a page are last, and many, so they are not read.
  const linksAt = block.indexOf('\r\noutlink: ');
  const metadata = parseWarcFields(linksAt < 0 ? block : block.subarray(0, linksAt));
  const title = metadata.get(FIELDS.title);
  if (title === undefined) return null;
  const url = fields.get('WARC-Target-URI');
  const isSeed = isSeedVisit(metadata.get(FIELDS.visit));
  const page = { id: randomUUID(), url, ts: fields.get('WARC-Date'), title, ...(isSeed ? { seed: true } : {}) };
  return { url, line: `${JSON.stringify(page)}\n` };
}
