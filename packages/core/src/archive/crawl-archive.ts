// The archive of one crawl. Egress reports every request that left; the exchange is written before its work counts as
// done, or at the latest when the run ends, so that the archive and the request log hold the same exchanges. Of a page
// that says `noarchive` only the request and that fact are kept.

import { join } from 'node:path';
import { type FetchOutcome, headerValues, type ResponseOutcome } from '../fetch/outcome.js';
import type { ResolvedArchiveOptions } from './archive-options.js';
import { recordsOf, type SentRequest } from './exchange-records.js';
import { createPayloadMemory } from './payload-memory.js';
import { type ArchivedPage, type ArchivedSettings, SETTINGS_FIELD, warcFields } from './visit.js';
import { packWacz } from './wacz.js';
import { createWarcFiles, indexPathOf, listWarcs } from './warc-files.js';
import { createRecord, digestsOf, newRecordId, type WarcRecord } from './warc-record.js';

/** The archive of one run. */
export interface CrawlArchive {
  /** @throws MannerlyError `archive-failed` */
  open(): Promise<void>;
  /** A request left, and came to its end. Cheap; nothing is written yet. */
  exchanged(sent: SentRequest, outcome: FetchOutcome): void;
  /**
   * Writes an exchange; does nothing when it was written before. A body's file is read meanwhile.
   *
   * @param page - What its page says; without it the response itself is asked whether it may be kept.
   * @throws MannerlyError `archive-failed`
   */
  keep(outcome: FetchOutcome, page?: ArchivedPage): Promise<void>;
  /** Writes what is left, and closes. @throws MannerlyError `archive-failed` */
  close(): Promise<void>;
}

/** What it is made of. */
export interface CrawlArchiveParts {
  readonly options: ResolvedArchiveOptions;
  readonly folder: string;
  /** The number of this process among several of one crawl, for the names of files; `null`: it is alone. */
  readonly part: number | null;
  /** Where it is packaged, if it is. */
  readonly waczPath: string;
  /** Who crawls, for the records that begin each file. */
  readonly about: {
    readonly name: string;
    readonly software: string;
    readonly userAgent: string;
    readonly operator: string;
    readonly robots: string;
  };
  readonly settings: ArchivedSettings;
  /** Whether a response that is no page for handlers lets copies of it be kept. */
  readonly keepsBody: (outcome: ResponseOutcome) => Promise<boolean>;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
}

/** Makes the archive of one run; its folder is made when it opens. @throws Never */
export async function createCrawlArchive(parts: CrawlArchiveParts): Promise<CrawlArchive> {
  const { options, folder, about, nowMs } = parts;
  const { getSurt } = await import('warcio/utils');
  const payloads = createPayloadMemory();
  const pending = new Map<FetchOutcome, SentRequest>();
  const files = createWarcFiles({
    folder,
    prefix: parts.part === null ? about.name : `${about.name}-${parts.part}`,
    warcBytes: options.warcBytes,
    warcinfo: (id, filename) => warcinfoRecord(id, filename, parts),
    newId: newRecordId,
    surtOf: getSurt,
    nowMs,
  });

  const withheldFrom = async (
    sent: SentRequest,
    outcome: FetchOutcome,
    page: ArchivedPage | null,
  ): Promise<'noarchive' | 'no-store' | null> => {
    if (outcome.kind === 'failed') return null;
    if (sent.purpose === 'robots' && isNoStore(outcome)) return 'no-store';
    return (page?.keepsBody ?? (await parts.keepsBody(outcome))) ? null : 'noarchive';
  };

  const keep = async (outcome: FetchOutcome, page: ArchivedPage | null): Promise<void> => {
    const sent = pending.get(outcome);
    if (sent === undefined) return;
    pending.delete(outcome);
    const withheld = await withheldFrom(sent, outcome, page);
    await files.append((warcinfoId) =>
      recordsOf({ sent, outcome, withheld, page }, { digest: options.digest, payloads, warcinfoId }),
    );
  };

  return {
    async open() {
      await files.open();
      for (const name of await listWarcs(folder)) await payloads.readIndex(indexPathOf(join(folder, name)));
    },
    exchanged: (sent, outcome) => {
      pending.set(outcome, sent);
    },
    keep: (outcome, page) => keep(outcome, page ?? null),
    async close() {
      try {
        for (const outcome of [...pending.keys()]) await keep(outcome, null);
      } finally {
        await files.close();
      }
      if (options.wacz)
        await packWacz({
          folders: [folder],
          path: parts.waczPath,
          title: about.name,
          software: about.software,
          nowMs: nowMs(),
        });
    },
  };
}

/** What begins every file: who crawled, with what, and what a replay has to know. */
async function warcinfoRecord(
  id: string,
  filename: string,
  { about, settings, options, nowMs }: CrawlArchiveParts,
): Promise<WarcRecord> {
  const block = {
    head: Buffer.alloc(0),
    payload: warcFields([
      ['software', about.software],
      ['format', 'WARC File Format 1.1'],
      ['conformsTo', 'https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/'],
      ['isPartOf', about.name],
      ['operator', about.operator],
      ['http-header-user-agent', about.userAgent],
      ['robots', about.robots],
      [SETTINGS_FIELD, JSON.stringify(settings)],
    ]),
  };
  const digests = await digestsOf(block, options.digest);
  return createRecord(
    'warcinfo',
    id,
    [
      ['WARC-Date', new Date(nowMs()).toISOString()],
      ['WARC-Filename', filename],
      ['Content-Type', 'application/warc-fields'],
      ['WARC-Block-Digest', digests.block],
    ],
    block,
    digests.blockBytes,
  );
}

/** Such a robots.txt is used for its lifetime and not written to disk (access, decision A9). */
function isNoStore({ headers }: ResponseOutcome): boolean {
  return headerValues(headers, 'cache-control').some((value) => /(^|[\s,])no-store($|[\s,;=])/i.test(value));
}
