// Keeps a file in the crawl directory of the pages that are being read or handled. If reading a page kills the process,
// the next run reads it again. After three deaths, the page fails as `poison` and is not read a fourth time.

import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import PQueue from 'p-queue';
import type { CrawlDirectory } from '../directory/crawl-directory.js';
import { partsOf } from '../directory/crawl-paths.js';
import { isPartLocked } from '../directory/directory-lock.js';
import { readValues } from '../directory/read-lines.js';
import { isObject } from '../parse-json.js';
import { MAX_READING_LOG_BYTES, MAX_SUSPECTS, POISON_DEATHS, READING_FLUSH_MS } from './limits.js';

/** A line of the file: reading a page began or ended, or how often the process died during it. */
interface Line {
  readonly url: string;
  readonly is: 'begun' | 'ended' | number;
}

/** The pages being read or handled in one run. */
export class ReadingLog {
  readonly #path: string;
  /** `null`: it is closed. */
  #file: number | null;
  #bytes = 0;
  /** Lines of pages whose reading ended. They are written with the next line, or soon. */
  #ended = '';
  #flush: NodeJS.Timeout | null = null;
  readonly #active = new Set<string>();
  #isStopping = false;
  /** How often the process died while a page was read. Pages whose reading has ended since are removed. */
  readonly #deaths: Map<string, number>;
  /** Suspects, during which the process died before, are read one at a time, so that another death has one culprit. */
  readonly #suspectQueue = new PQueue({ concurrency: 1 });

  private constructor(path: string, deaths: Map<string, number>) {
    this.#path = path;
    this.#file = openSync(path, 'a');
    this.#deaths = deaths;
  }

  /** Takes over what dead processes left, in a new file. @throws The platform's error when it cannot. */
  static async open(directory: CrawlDirectory): Promise<ReadingLog> {
    const deaths = new Map<string, number>();
    for (const { readingPath, part } of await partsOf(directory.path)) {
      const isAlive = part !== directory.part && (await isPartLocked(directory.path, part));
      // The maximum, since each process also counts deaths that it read from others.
      for (const [url, count] of await readDeaths(readingPath, isAlive))
        deaths.set(url, Math.max(count, deaths.get(url) ?? 0));
    }
    const log = new ReadingLog(directory.readingPath, new Map([...deaths].slice(-MAX_SUSPECTS)));
    log.#rewrite();
    return log;
  }

  /** Whether a page is no longer read. The page may be read once after that answer, for a retry that was requested. */
  refuses(url: string): boolean {
    if ((this.#deaths.get(url) ?? 0) < POISON_DEATHS) return false;
    this.#deaths.set(url, POISON_DEATHS - 1);
    this.#rewrite();
    return true;
  }

  /** Reads a page. If the process dies before `read` ends, the next process knows. @throws What `read` threw. */
  track<T>(url: string, read: () => Promise<T>): Promise<T> {
    return this.#deaths.has(url) ? this.#suspectQueue.add(() => this.#trackNow(url, read)) : this.#trackNow(url, read);
  }

  /** The page waits for a server while it is read. If the process dies meanwhile, the page is not to blame. */
  pause(url: string): void {
    this.#active.delete(url);
    this.#append(lineOf({ url, is: 'ended' }));
  }

  /** The page is read again after a pause. */
  resume(url: string): void {
    if (this.#isStopping) return;
    this.#active.add(url);
    this.#append(lineOf({ url, is: 'begun' }));
  }

  /** The run stops. If somebody kills the process before it has, no page is to blame. */
  stopping(): void {
    this.#isStopping = true;
    this.#active.clear();
    this.#attempt(() => this.#rewrite());
  }

  /** Closes the file, and removes it if it has nothing to remember. */
  async close(): Promise<void> {
    if (this.#file === null) return;
    this.#append('');
    closeSync(this.#file);
    this.#file = null;
    if (this.#deaths.size === 0) await rm(this.#path, { force: true });
  }

  async #trackNow<T>(url: string, read: () => Promise<T>): Promise<T> {
    this.resume(url);
    try {
      return await read();
    } finally {
      this.#active.delete(url);
      const isSuspect = this.#deaths.delete(url);
      this.#ended += lineOf({ url, is: 'ended' });
      if (this.#bytes > MAX_READING_LOG_BYTES) this.#rewrite();
      // At once: otherwise another death, of any cause, would count against the page.
      else if (isSuspect) this.#writeEnded();
      else this.#flush ??= setTimeout(() => this.#writeEnded(), READING_FLUSH_MS).unref();
    }
  }

  #writeEnded(): void {
    this.#attempt(() => this.#append(''));
  }

  #attempt(write: () => void): void {
    try {
      write();
    } catch {
      // If the disk is full, the next page's line fails too, and that error is reported.
    }
  }

  #rewrite(): void {
    if (this.#file === null) return;
    ftruncateSync(this.#file);
    this.#bytes = 0;
    this.#ended = '';
    const deaths = [...this.#deaths].map(([url, is]) => lineOf({ url, is }));
    this.#append([...deaths, ...[...this.#active].map((url) => lineOf({ url, is: 'begun' }))].join(''));
  }

  /** Writes at once, because what is read next may kill the process. */
  #append(lines: string): void {
    if (this.#flush !== null) clearTimeout(this.#flush);
    this.#flush = null;
    const text = this.#ended + lines;
    if (this.#file === null || text === '') return;
    this.#bytes += writeSync(this.#file, text);
    this.#ended = '';
  }
}

function lineOf(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

/** @param isAlive - The process may still be alive, so what it is reading now is not a death. */
async function readDeaths(path: string, isAlive: boolean): Promise<Map<string, number>> {
  const deaths = new Map<string, number>();
  const begun = new Set<string>();
  for await (const { url, is } of readValues(path, isLine)) {
    if (is === 'begun') begun.add(url);
    else if (is === 'ended') {
      begun.delete(url);
      deaths.delete(url);
    } else deaths.set(url, is);
  }
  if (!isAlive) for (const url of begun) deaths.set(url, (deaths.get(url) ?? 0) + 1);
  return deaths;
}

function isLine(value: unknown): value is Line {
  const { url, is } = isObject(value) ? value : {};
  return typeof url === 'string' && (is === 'begun' || is === 'ended' || Number.isInteger(is));
}
