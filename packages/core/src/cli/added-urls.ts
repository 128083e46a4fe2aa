// `mannerly add`: adds URLs to the file of a crawl directory. A run of the command takes them, otherwise the next one
// does. Every start reads the file from its beginning: URLs that the crawl already has are known, and are not requested
// twice.

import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import type { Crawler } from '../crawler.js';
import { isAbsent } from '../directory/atomic-file.js';
import { checkEntryKinds, readCrawlDirectory } from '../directory/crawl-directory.js';
import { MannerlyError } from '../errors.js';
import { MAX_LINK_URL_CHARS } from '../limits.js';
import { parseJsonObject } from '../parse-json.js';
import { parseUrl } from '../parse-url.js';
import { present } from '../present.js';
import { redacted } from '../redacted.js';
import { plural } from '../report/table.js';
import { UsageError } from './failure.js';
import type { Flags } from './flags.js';
import type { CliIo } from './io.js';
import { ADDED_POLL_MS, MAX_ADDED_READ_BYTES } from './limits.js';

const MAX_EXCERPT_CHARS = 200;

/** Runs the command. @throws UsageError; MannerlyError `directory-taken` if there is no crawl */
export async function addCommand(directory: string, urls: readonly string[], flags: Flags, io: CliIo): Promise<void> {
  const { addedPath, frontierPath } = await readCrawlDirectory(directory);
  await checkEntryKinds(directory, true);
  const { label } = flags;
  const lines = urls.map((text) => {
    const url = text.length > MAX_LINK_URL_CHARS ? null : parseUrl(text);
    if (url === null || !/^https?:$/.test(url.protocol)) {
      const excerpt = redacted(text.slice(0, MAX_EXCERPT_CHARS));
      throw new UsageError(`not an http or https URL: ${excerpt}`, 'Write it out: https://example.org/page');
    }
    // Credentials are never sent, so they are not kept.
    url.username = '';
    url.password = '';
    return { url: url.href, ...present({ label }) };
  });
  // One write, so that lines of two commands do not mix.
  await appendFile(addedPath, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const them = urls.length === 1 ? 'it' : 'them';
  io.err(`${plural(urls.length, 'URL')} added. A running "mannerly crawl" takes ${them} within a second,`);
  io.err('otherwise the next one does. In a program, use crawler.add.');
  // Of a crawl on a server, another machine may take it, and its directory knows what became of it.
  if (existsSync(frontierPath)) io.err(`Once that run has ended: mannerly explain ${directory} ${lines[0]?.url}`);
}

/**
 * Takes the URLs that are there at once, and new ones every second.
 * @param isReset - The existing URLs belong to a crawl that is being deleted.
 * @param print - Reports which URLs were refused, and how many were queued.
 * @returns A function that ends it.
 */
export function watchAddedUrls(
  crawler: Pick<Crawler, 'add'>,
  path: string,
  isReset: boolean,
  print: (line: string) => void,
): () => void {
  let offset = 0;
  let isBusy = false;
  const readNewLines = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      const text = readFrom(path, offset);
      const completeLines = text.slice(0, text.lastIndexOf('\n') + 1);
      offset += completeLines.length;
      // All at once: URLs added while the run opens are queued before it can end.
      const adding = Array.from(urlsByLabel(Buffer.from(completeLines, 'latin1').toString()), ([label, urls]) =>
        crawler.add(urls, typeof label === 'string' ? { label } : {}),
      );
      const answers = (await Promise.all(adding)).flat();
      for (const { url, kind, reason } of answers)
        if (kind === 'refused') print(`Added, and refused: ${JSON.stringify(url)} (${reason}).`);
      const queued = answers.filter(({ kind }) => kind === 'queued').length;
      if (queued > 0) print(`${plural(queued, 'added URL')} queued.`);
    } catch (error) {
      // The run could not begin and reports why; the next one reads the file from its beginning.
      if (error instanceof MannerlyError && error.code === 'not-running') return;
      print(`${path} cannot be taken: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      isBusy = false;
    }
  };
  if (!isReset) void readNewLines();
  const timer = setInterval(() => void readNewLines(), ADDED_POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function urlsByLabel(lines: string): Map<unknown, string[]> {
  const byLabel = new Map<unknown, string[]>();
  for (const line of lines.split('\n')) {
    const { url, label } = parseJsonObject(line) ?? {};
    if (typeof url !== 'string') continue;
    const urls = byLabel.get(label) ?? [];
    byLabel.set(label, urls);
    urls.push(url);
  }
  return byLabel;
}

/** A part of the file, a character per byte; the next check reads the next part of a longer file. */
function readFrom(path: string, offset: number): string {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    const bytes = Buffer.alloc(MAX_ADDED_READ_BYTES);
    return bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, offset));
  } catch (error) {
    if (isAbsent(error)) return '';
    throw error;
  } finally {
    if (file !== null) closeSync(file);
  }
}
