// The archive of a run: what its files say about the crawl, and which bodies may be kept. Also the files that a run
// leaves, for sinks that keep them.

import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { JsonValue, PageWork } from '@mannerly/frontier';
import type { TdmReservation } from '@mannerly/robots/page';
import type { CrawlArchive } from '../archive/crawl-archive.js';
import type { ArchivedPage } from '../archive/visit.js';
import type { RenderResult } from '../crawl/rendering.js';
import { orIfAbsent, sizeOf } from '../directory/atomic-file.js';
import { type CrawlPaths, partsOf } from '../directory/crawl-paths.js';
import type { FoundLicense } from '../licensing/licenses.js';
import type { RunFile } from '../output/sink.js';
import type { FetchedPage } from '../page/page.js';
import { replayedWork } from '../replay/replayed-work.js';
import type { Run } from './run.js';
import { archiveFolder } from './run-setup.js';

/** Creates the archive of a run; `null`: none is wanted. It is opened with the sinks, before the first request. */
export async function createRunArchive(run: Run): Promise<CrawlArchive | null> {
  const { options, directory, reader, nowMs } = run;
  const { identity, exclusion, network, archive } = options;
  const folder = archiveFolder(options, directory);
  if (archive === null || folder === null) return null;
  const others = directory === null ? [] : (await partsOf(directory.path)).map(({ archivePath }) => archivePath);
  const { CrawlArchive } = await import('../archive/crawl-archive.js');
  return new CrawlArchive({
    options: archive,
    folder,
    folders: [...new Set([folder, ...others])],
    part: directory?.part ?? null,
    waczPath: directory === null ? `${folder}.wacz` : directory.waczPath,
    identity,
    settings: {
      tokens: identity.tokens,
      exclusion: exclusion as unknown as JsonValue,
      joinsHeaders: !run.setup.fetcher.capabilities.rawHeaders,
      maxBodyBytes: network.maxBodyBytes,
    },
    // For responses that are not read as pages.
    keepsBody: async (outcome) => (await reader.read(replayedWork(outcome.url, null), outcome)).exclusion.keepsBody,
    nowMs,
  });
}

/** @param rights - What tdmrep.json and licences say about the page. @param rendering - Of the page in a browser. */
export function archivedPage(
  { record, signals, lease }: PageWork,
  page: FetchedPage,
  { tdm: { reserved, policy }, license }: { readonly tdm: TdmReservation; readonly license: FoundLicense | null },
  rendering: RenderResult,
  nowMs: number,
): ArchivedPage {
  const { depth, via, from, hops, label, userData, tries, visit = 0 } = record;
  return {
    keepsBody: page.exclusion.keepsBody,
    isHtml: page.kind === 'html',
    title: page.title,
    rendered: rendering.kind === 'rendered' ? rendering : null,
    outlinks: page.links.map(({ url }) => url),
    visit: {
      host: lease.host,
      ...{ depth, via, from, hops, label, userData, tries, visit },
      signals: { ...signals } as unknown as JsonValue,
      tdm: { reserved, policy },
      ...(license === null ? {} : { license: { ...license } }),
      judgedAtMs: nowMs,
      ...(rendering.kind === 'not-rendered' ? {} : { isRendered: true }),
      ...(page.rendering === null || !page.exclusion.keepsBody ? {} : { rendering: page.rendering }),
    },
  };
}

/**
 * The files of a crawl directory, one after the other: what handlers saved, and the archive. Incomplete files are left
 * out.
 * @param process - The name of the process among all machines, since directories of several machines number their
 * archives alike. `null`: there is only one directory.
 */
export async function* runFiles(
  { filesPath, archivePath, waczPath }: CrawlPaths,
  process: string | null,
): AsyncGenerator<RunFile> {
  const archive = process === null ? basename(archivePath) : `archive-${process}`;
  yield* filesIn(filesPath, basename(filesPath));
  yield* filesIn(archivePath, archive);
  const wacz = await sizeOf(waczPath);
  if (wacz !== null) yield { path: waczPath, name: `${archive}.wacz`, bytes: wacz };
}

async function* filesIn(folder: string, name: string): AsyncGenerator<RunFile> {
  for (const entry of await orIfAbsent([], () => readdir(folder, { withFileTypes: true }))) {
    const path = join(folder, entry.name);
    const entryName = `${name}/${entry.name}`;
    if (entry.isDirectory()) yield* filesIn(path, entryName);
    // A name that begins with a dot or ends in `.open` belongs to a file that is being written.
    if (!entry.isFile() || entry.name.startsWith('.') || entry.name.endsWith('.open')) continue;
    yield { path, name: entryName, bytes: (await sizeOf(path)) ?? 0 };
  }
}
