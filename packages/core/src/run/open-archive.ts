// The archive of a run: where it goes, what its files say of the crawl, and who judges whether what came may be kept.

import type { JsonValue } from '@mannerly/frontier';
import type { CrawlArchive } from '../archive/crawl-archive.js';
import { type CrawlDirectory, crawlPaths } from '../directory/crawl-directory.js';
import { MANNERLY_VERSION } from '../directory/crawl-manifest.js';
import { MannerlyError } from '../errors.js';
import type { PageReader } from '../page/read-page.js';
import { replayedWork } from '../replay/replayed-work.js';
import type { RunParts } from './run-parts.js';

/**
 * The folder of the WARC files; `null`: no archive is wanted.
 *
 * @throws MannerlyError `option-invalid` where one is wanted and there is no place for it.
 */
export function archiveFolder({ options, out }: Pick<RunParts, 'options' | 'out'>): string | null {
  if (options.archive === null) return null;
  const folder = options.archive.folder ?? (out === null ? null : crawlPaths(out).archivePath);
  if (folder !== null) return folder;
  throw new MannerlyError('option-invalid', '`archive` needs a place: `run({ out })`, or `archive.folder`', {
    hint: 'Without a crawl directory the archive goes into the folder that `archive.folder` names.',
  });
}

/**
 * Makes the archive of a run; it is opened with the sinks.
 *
 * @param directory - The crawl directory; `null`: none.
 * @param reader - Asked about what no page stage reads.
 */
export async function openArchive(
  parts: RunParts,
  directory: Pick<CrawlDirectory, 'archivePath' | 'waczPath' | 'part'> | null,
  reader: () => PageReader,
): Promise<CrawlArchive | null> {
  const { options, fetcher, clock } = parts;
  const folder = options.archive?.folder ?? directory?.archivePath ?? null;
  if (options.archive === null || folder === null) return null;
  const { identity, exclusion, network } = options;
  const { createCrawlArchive } = await import('../archive/crawl-archive.js');
  return createCrawlArchive({
    options: options.archive,
    folder,
    part: directory?.part ?? null,
    waczPath: directory === null ? `${folder}.wacz` : directory.waczPath,
    about: {
      name: identity.name,
      software: `mannerly/${MANNERLY_VERSION}`,
      userAgent: identity.userAgent,
      operator: identity.contact,
      robots: 'obey',
    },
    settings: {
      tokens: identity.tokens,
      exclusion: exclusion as unknown as JsonValue,
      joinsHeaders: !fetcher.capabilities.rawHeaders,
      maxBodyBytes: network.maxBodyBytes,
    },
    keepsBody: async (outcome) => (await reader().read(replayedWork(outcome.url, null), outcome)).exclusion.keepsBody,
    nowMs: () => clock.nowMs(),
  });
}
