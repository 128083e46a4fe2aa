// The archive of one crawl. Egress reports every request that was sent. The exchange is written before its work counts
// as done, or at the latest when the run ends, so that the archive and the request log have the same exchanges. For a
// page with `noarchive`, only the request and that fact are kept.

import { join } from 'node:path';
import { cacheControl, type FetchOutcome, type ResponseOutcome } from '../fetch/outcome.js';
import {
  type ArchivedExchange,
  type ArchivedOriginal,
  exchangeRecords,
  KnownPayloads,
  type SentRequest,
} from './exchange-records.js';
import { readRecordFields } from './read-archive.js';
import { type ArchivedPage, type ArchivedSettings, FIELDS, warcFields } from './visit.js';
import { packWacz, SOFTWARE } from './wacz.js';
import { indexPathOf, listWarcs, type RecordPlace, WarcFiles } from './warc-files.js';
import { createPlainRecord, type DigestAlgorithm, type WarcRecord } from './warc-record.js';

interface CrawlArchiveParts {
  readonly options: {
    readonly warcBytes: number;
    readonly digest: DigestAlgorithm;
    readonly wacz: boolean;
    /** `null`: `folder` is in the crawl directory. */
    readonly folder: string | null;
  };
  readonly folder: string;
  /** All folders of the crawl, since each process archives into its own. */
  readonly folders: readonly string[];
  /** The number of this process among several of one crawl, for file names; `null`: there is only one. */
  readonly part: number | null;
  /** The path of the package with `options.wacz`. */
  readonly waczPath: string;
  /** The crawler, for the record that begins each file. */
  readonly identity: { readonly name: string; readonly contact: string; readonly userAgent: string };
  readonly settings: ArchivedSettings;
  /** Whether a response that is not read as a page permits copies. */
  readonly keepsBody: (outcome: ResponseOutcome) => Promise<boolean>;
  readonly nowMs: () => number;
}

export interface ArchivedResponse {
  readonly place: RecordPlace;
  /** Whether it has the payload; otherwise the payload is in another record. */
  readonly isFull: boolean;
}

export class CrawlArchive {
  readonly #parts: CrawlArchiveParts;
  readonly #files: WarcFiles;
  readonly #payloads = new KnownPayloads();
  readonly #pending = new Map<FetchOutcome, SentRequest>();

  constructor(parts: CrawlArchiveParts) {
    const { options, folder, part, identity, nowMs } = parts;
    this.#parts = parts;
    this.#files = new WarcFiles({
      folder,
      locksFolder: options.folder !== null,
      prefix: part === null ? identity.name : `${identity.name}-${part}`,
      warcBytes: options.warcBytes,
      warcinfo: (filename) => warcinfoRecord(filename, parts),
      nowMs,
    });
  }

  /** See `WarcFiles.open`. */
  async open(): Promise<void> {
    const { folder } = this.#parts;
    try {
      await this.#files.open();
      for (const name of await listWarcs(folder)) await this.#payloads.readIndex(indexPathOf(join(folder, name)));
    } catch (error) {
      await this.#files.close();
      throw error;
    }
  }

  /** A request was sent, and its exchange is over. Nothing is written yet. */
  addExchange(sent: SentRequest, outcome: FetchOutcome): void {
    this.#pending.set(outcome, sent);
  }

  /**
   * Writes an exchange, once. Reads the file of a body meanwhile.
   * @param page - If absent, the response itself says whether it may be kept.
   * @returns Where its response is; `null`: there is none, or it was written before.
   * @throws MannerlyError `archive-failed`
   */
  async writeExchange(
    outcome: FetchOutcome,
    page: ArchivedPage | null = null,
    how: Pick<ArchivedExchange, 'original' | 'isFull'> = {},
  ): Promise<ArchivedResponse | null> {
    const sent = this.#pending.get(outcome);
    if (sent === undefined) return null;
    this.#pending.delete(outcome);
    const withheld = await this.#withheld(sent, outcome, page);
    const { digest } = this.#parts.options;
    const payloads = this.#payloads;
    let isFull = true;
    const place = await this.#files.append(async (warcinfoId) => {
      const records = await exchangeRecords(
        { sent, outcome, withheld, page, ...how },
        { digest, payloads, warcinfoId },
      );
      isFull = records.every(({ type }) => type !== 'revisit');
      return records;
    });
    return place === null ? null : { place, isFull };
  }

  /** Whether a 304 for a URL that is not a page can be resolved: the last payload of the URL is remembered. */
  hasPayloadOf(url: string): boolean {
    return this.#payloads.lastOf(url) !== null;
  }

  /** The record with the payload of an earlier run's response; `null`: the archive no longer has it. */
  async originalOf(url: string, place: RecordPlace): Promise<ArchivedOriginal | null> {
    for (const folder of this.#parts.folders) {
      const about = await readRecordFields(folder, place, url);
      if (about === null) continue;
      // A revisit has no payload itself.
      return about.type === 'response' ? about : about.digest === null ? null : this.#payloads.find(about.digest);
    }
    return null;
  }

  /** Writes what is left, and closes. @throws MannerlyError `archive-failed` */
  async close(): Promise<void> {
    const { options, folder, waczPath, identity, nowMs } = this.#parts;
    try {
      for (const outcome of [...this.#pending.keys()]) await this.writeExchange(outcome);
    } finally {
      await this.#files.close();
    }
    if (!options.wacz) return;
    await packWacz({ folders: [folder], path: waczPath, title: identity.name, nowMs: nowMs() });
  }

  async #withheld(
    { purpose }: SentRequest,
    outcome: FetchOutcome,
    page: ArchivedPage | null,
  ): Promise<ArchivedExchange['withheld']> {
    if (outcome.kind === 'failed') return null;
    // Such a robots.txt is used for its lifetime but not written to disk (access, decision A9).
    if (purpose === 'robots' && cacheControl(outcome.headers).has('no-store')) return 'no-store';
    return (page?.keepsBody ?? (await this.#parts.keepsBody(outcome))) ? null : 'noarchive';
  }
}

/** The record that begins a file: the crawler, its software, and what a replay needs to know. */
function warcinfoRecord(filename: string, parts: CrawlArchiveParts): Promise<WarcRecord> {
  const { identity, settings, options, nowMs } = parts;
  const block = warcFields([
    ['software', SOFTWARE],
    ['format', 'WARC File Format 1.1'],
    ['conformsTo', 'https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/'],
    ['isPartOf', identity.name],
    ['operator', identity.contact],
    ['http-header-user-agent', identity.userAgent],
    ['robots', 'obey'],
    [FIELDS.settings, JSON.stringify(settings)],
  ]);
  const fields = [
    ['WARC-Date', new Date(nowMs()).toISOString()],
    ['WARC-Filename', filename],
    ['Content-Type', 'application/warc-fields'],
  ] as const;
  return createPlainRecord('warcinfo', fields, block, options.digest);
}
