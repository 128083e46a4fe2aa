// Hands the URLs that `mannerly add` writes into a crawl directory to the run that works there. The file is read from
// its beginning at every start: what the crawl has by then is known, and is not requested twice.

import { closeSync, openSync, readSync } from 'node:fs';
import type { Crawler } from '../crawler.js';
import { isAbsent } from '../directory/whole-file.js';
import { MannerlyError } from '../errors.js';
import { parseJsonObject } from '../parse-json.js';
import { plural } from '../report/table.js';
import { ADDED_LOOK_MS, MAX_ADDED_AT_ONCE_BYTES } from './limits.js';

export interface AddedLine {
  readonly url: string;
  readonly label?: string;
}

/**
 * Takes what is there at once, and what comes every second.
 *
 * @param isReset - What is there belongs to a crawl that is being deleted.
 * @param print - Says what became of URLs that were refused, and how many were queued.
 * @returns Ends it.
 */
export function takeAdded(
  crawler: Pick<Crawler, 'add'>,
  path: string,
  isReset: boolean,
  print: (line: string) => void,
): () => void {
  let at = 0;
  let isBusy = false;
  const take = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      const text = readFrom(path, at);
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      at += Buffer.byteLength(whole, 'latin1');
      const byLabel = new Map<string | undefined, string[]>();
      for (const { url, label } of linesOf(Buffer.from(whole, 'latin1').toString('utf8'))) {
        const urls = byLabel.get(label);
        if (urls === undefined) byLabel.set(label, [url]);
        else urls.push(url);
      }
      // All at once: what is added while the run opens is queued before it can end.
      const adding = Array.from(byLabel, ([label, urls]) => crawler.add(urls, label === undefined ? {} : { label }));
      const answers = (await Promise.all(adding)).flat();
      for (const { url, kind, reason } of answers)
        if (kind === 'refused') print(`Added, and refused: ${JSON.stringify(url)} (${reason}).`);
      const queued = answers.filter(({ kind }) => kind === 'queued').length;
      if (queued > 0) print(`${plural(queued, 'added URL')} queued.`);
    } catch (error) {
      // The run could not begin, which says why; the next one reads the file from its beginning.
      if (error instanceof MannerlyError && error.code === 'not-running') return;
      print(`${path} cannot be taken: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      isBusy = false;
    }
  };
  if (!isReset) void take();
  const timer = setInterval(() => void take(), ADDED_LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** A part of the file, a character per byte; of a longer one its next part comes at the next look. */
function readFrom(path: string, at: number): string {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    const bytes = Buffer.alloc(MAX_ADDED_AT_ONCE_BYTES);
    return bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, at));
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
