// Passes the URLs that `mannerly add` writes into a crawl directory to the run that works there. Every start reads the
// file from its beginning: URLs that the crawl already has are known, and are not requested twice.

import { closeSync, openSync, readSync } from 'node:fs';
import type { Crawler } from '../crawler.js';
import { isAbsent } from '../directory/atomic-file.js';
import { MannerlyError } from '../errors.js';
import { parseJsonObject } from '../parse-json.js';
import { plural } from '../report/table.js';
import { ADDED_POLL_MS, MAX_ADDED_READ_BYTES } from './limits.js';

export interface AddedLine {
  readonly url: string;
  readonly label?: string;
}

/**
 * Takes the URLs that are there at once, and new ones every second.
 *
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
      offset += Buffer.byteLength(completeLines, 'latin1');
      const byLabel = new Map<string | undefined, string[]>();
      for (const { url, label } of linesOf(Buffer.from(completeLines, 'latin1').toString('utf8'))) {
        const urls = byLabel.get(label);
        if (urls === undefined) byLabel.set(label, [url]);
        else urls.push(url);
      }
      // All at once: URLs added while the run opens are queued before it can end.
      const adding = Array.from(byLabel, ([label, urls]) => crawler.add(urls, label === undefined ? {} : { label }));
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

function linesOf(text: string): AddedLine[] {
  return text.split('\n').flatMap((line) => {
    const { url, label } = parseJsonObject(line) ?? {};
    if (typeof url !== 'string') return [];
    return [{ url, ...(typeof label === 'string' ? { label } : {}) }];
  });
}
