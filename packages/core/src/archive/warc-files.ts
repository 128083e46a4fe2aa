// The WARC files of a crawl: records go to the end of the file at hand, those of one exchange together; past its size
// the next file begins. A file is called `….warc.gz.open` while it is written. Whatever ends a process leaves whole
// records and at most one torn exchange behind them, which the next run cuts off before it goes on in a file of its
// own.
//
//   append ──▶ NAME.warc.gz.open + NAME.cdxj.open ──(full, or closed)──▶ NAME.warc.gz + NAME.cdxj (sorted)

import { type FileHandle, mkdir, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { MannerlyError } from '../errors.js';
import { cdxjLine, type IndexedRecord, sortIndex, timestamp14 } from './cdxj.js';
import { ARCHIVE_WRITE_BYTES, INDEX_BUFFER_CHARS } from './limits.js';
import { recoverWarc } from './recover-warc.js';
import { recordBytes, type WarcRecord } from './warc-record.js';

/** A record on its way, and what the index says of it. */
export interface PlannedRecord {
  readonly record: WarcRecord;
  /** `null`: readers do not look for it. */
  readonly index: Omit<IndexedRecord, 'offset' | 'length' | 'filename'> | null;
}

/** Records that belong together. */
export interface ArchiveBatch {
  readonly records: readonly PlannedRecord[];
  /** The page's line in the list of pages, newline included; `null`: it is none that people look for. */
  readonly pageLine: string | null;
}

/** Where records go. */
export interface WarcFiles {
  /** Makes the folder, and repairs what a killed run left. @throws MannerlyError `archive-failed` */
  open(): Promise<void>;
  /** Appends records together: all of them or, when it rejects, none. @throws MannerlyError `archive-failed` */
  append(plan: (warcinfoId: string) => Promise<ArchiveBatch>): Promise<void>;
  /** Everything is on its medium, under its last name. @throws MannerlyError `archive-failed` */
  close(): Promise<void>;
}

/** What they are made of. */
export interface WarcFilesOptions {
  readonly folder: string;
  /** The first part of every file's name: letters, digits, `-`, `_`. */
  readonly prefix: string;
  /** Bytes of a file after which the next one begins. */
  readonly warcBytes: number;
  /** The record that begins every file. @param filename - Its last name. */
  readonly warcinfo: (id: string, filename: string) => Promise<WarcRecord>;
  readonly newId: () => string;
  readonly surtOf: (url: string) => string;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
}

/** What a file's name ends with, and what is put behind that while it is written. */
export const WARC_SUFFIX = '.warc.gz';
export const OPEN_SUFFIX = '.open';

/** The index of a WARC file. Never throws. */
export function indexPathOf(warcPath: string): string {
  return `${warcPath.slice(0, -WARC_SUFFIX.length)}.cdxj`;
}

/** The list of pages of a WARC file. Never throws. */
export function pagesPathOf(warcPath: string): string {
  return `${warcPath.slice(0, -WARC_SUFFIX.length)}.pages.jsonl`;
}

/** The WARC files of a folder that are no longer written, oldest name first. @throws The platform's error. */
export async function listWarcs(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith(WARC_SUFFIX)).sort();
}

/**
 * Repairs the files that a killed run left open: whole records stay, under their final name; a torn end is cut off.
 *
 * @throws MannerlyError `archive-failed`. The caller keeps others from writing meanwhile.
 */
export async function recoverWarcs(folder: string, surtOf: (url: string) => string): Promise<void> {
  for (const name of await guarded(folder, () => readdir(folder))) {
    if (!name.endsWith(WARC_SUFFIX + OPEN_SUFFIX)) continue;
    const path = join(folder, name.slice(0, -OPEN_SUFFIX.length));
    const indexPath = indexPathOf(path);
    const pagesPath = pagesPathOf(path);
    const torn = { path, indexPath, pagesPath, openSuffix: OPEN_SUFFIX };
    await guarded(path, () => recoverWarc(torn, surtOf));
  }
}

/** Makes the files of one run; none before the first record. Never throws. */
export function createWarcFiles(options: WarcFilesOptions): WarcFiles {
  const { folder, prefix, warcBytes, nowMs } = options;
  let serial = 0;
  let file: OpenWarc | null = null;
  let tail: Promise<unknown> = Promise.resolve();

  const begin = async (): Promise<OpenWarc> => {
    serial += 1;
    const filename = `${prefix}-${timestamp14(nowMs())}-${String(serial).padStart(5, '0')}${WARC_SUFFIX}`;
    const opened = await OpenWarc.begin(join(folder, filename), filename);
    const id = options.newId();
    const record = await options.warcinfo(id, filename);
    await opened.append({ records: [{ record, index: null }], pageLine: null }, options.surtOf);
    opened.warcinfoId = id;
    return opened;
  };
  /** One after the other: records of one exchange stand together, and offsets are known. */
  const inTurn = async (act: () => Promise<void>): Promise<void> => {
    const done = tail.then(() => guarded(folder, act));
    tail = done.catch(() => undefined);
    await done;
  };

  return {
    async open() {
      await guarded(folder, () => mkdir(folder, { recursive: true }));
      await recoverWarcs(folder, options.surtOf);
      serial = (await guarded(folder, () => listWarcs(folder))).length;
    },
    append: (plan) =>
      inTurn(async () => {
        if (file !== null && file.length >= warcBytes) {
          await file.finish();
          file = null;
        }
        file ??= await begin();
        await file.append(await plan(file.warcinfoId), options.surtOf);
      }),
    close: () =>
      inTurn(async () => {
        await file?.finish();
        file = null;
      }),
  };
}

/** One WARC file and its index while they are written. */
class OpenWarc {
  length = 0;
  warcinfoId = '';
  readonly #path: string;
  readonly #filename: string;
  readonly #warc: FileHandle;
  readonly #index: LineFile;
  readonly #pages: LineFile;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;

  static async begin(path: string, filename: string): Promise<OpenWarc> {
    const warc = await open(path + OPEN_SUFFIX, 'ax');
    const index = await open(indexPathOf(path) + OPEN_SUFFIX, 'w');
    const pages = await open(pagesPathOf(path) + OPEN_SUFFIX, 'w');
    return new OpenWarc(path, filename, warc, new LineFile(index), new LineFile(pages));
  }

  constructor(path: string, filename: string, warc: FileHandle, index: LineFile, pages: LineFile) {
    this.#path = path;
    this.#filename = filename;
    this.#warc = warc;
    this.#index = index;
    this.#pages = pages;
  }

  async append({ records, pageLine }: ArchiveBatch, surtOf: (url: string) => string): Promise<void> {
    const before = this.length;
    const lines: string[] = [];
    try {
      for (const { record, index } of records) {
        const offset = this.length;
        for await (const bytes of recordBytes(record)) await this.#write(bytes);
        const length = this.length - offset;
        if (index !== null)
          lines.push(cdxjLine(surtOf(index.url), { ...index, offset, length, filename: this.#filename }));
      }
      await this.#flush();
    } catch (error) {
      // Opened for appending: what comes next goes to the end that is set here.
      this.length = before;
      this.#waiting = [];
      this.#waitingBytes = 0;
      await this.#warc.truncate(before);
      throw error;
    }
    await this.#index.add(lines.join(''));
    await this.#pages.add(pageLine ?? '');
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.length += bytes.length;
    if (this.#waitingBytes >= ARCHIVE_WRITE_BYTES) await this.#flush();
  }

  /** The records of an exchange go out together, large ones in pieces. */
  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (let at = 0; at < bytes.length; ) at += (await this.#warc.write(bytes, at)).bytesWritten;
  }

  async finish(): Promise<void> {
    await this.#warc.datasync();
    await this.#warc.close();
    await this.#index.close();
    await this.#pages.close();
    const index = indexPathOf(this.#path);
    await sortIndex(index + OPEN_SUFFIX);
    await rename(index + OPEN_SUFFIX, index);
    await rename(pagesPathOf(this.#path) + OPEN_SUFFIX, pagesPathOf(this.#path));
    // Last: a WARC under its last name has its index.
    await rename(this.#path + OPEN_SUFFIX, this.#path);
  }
}

/** Lines on their way to a file, a few at a time: what a kill takes of them is made anew from the records. */
class LineFile {
  readonly #file: FileHandle;
  #waiting = '';

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async add(lines: string): Promise<void> {
    this.#waiting += lines;
    if (this.#waiting.length >= INDEX_BUFFER_CHARS) await this.#flush();
  }

  async close(): Promise<void> {
    await this.#flush();
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    for (let at = 0; at < bytes.length; ) at += (await this.#file.write(bytes, at)).bytesWritten;
  }
}

async function guarded<R>(where: string, act: () => Promise<R>): Promise<R> {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof MannerlyError) throw cause;
    throw new MannerlyError('archive-failed', `the archive ${where} could not be written: ${String(cause)}`, {
      cause,
      hint: 'Is the disk full, or the directory read-only?',
    });
  }
}
