// The WARC files of a crawl. Records go to the end of one file, those of an exchange together; past its size the next
// file begins. A file is called `….warc.gz.open` while it is written, and its index is in memory. Whatever ends a
// process leaves whole records and at most one torn exchange behind them, which the next run cuts off.
//
//   append ──▶ NAME.warc.gz.open ──(full, or closed)──▶ NAME.cdxj (sorted), NAME.pages.jsonl, then NAME.warc.gz

import { type FileHandle, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MannerlyError } from '../errors.js';
import { cdxjLine, type IndexedRecord, timestamp14 } from './cdxj.js';
import { ARCHIVE_WRITE_BYTES, MAX_INDEXED_RECORDS } from './limits.js';
import { cutTornEnd, type WarcIndex } from './recover-warc.js';
import { recordBytes, type WarcRecord } from './warc-record.js';

/** A record before it is written, and its entry in the index. */
export interface PlannedRecord {
  readonly record: WarcRecord;
  /** `null`: readers do not look for it. */
  readonly index: Omit<IndexedRecord, 'offset' | 'length' | 'filename'> | null;
}

export interface ArchiveBatch {
  readonly records: readonly PlannedRecord[];
  /** The page's line in the list of pages, newline included; `null`: people do not look for it. */
  readonly pageLine: string | null;
}

/** Where a record is: the file's final name, and bytes from its beginning. */
export interface RecordPlace {
  readonly filename: string;
  readonly offset: number;
}

interface WarcFilesOptions {
  readonly folder: string;
  /** The first part of every file's name: letters, digits, `-`, `_`. */
  readonly prefix: string;
  /** Bytes of a file after which the next one begins. */
  readonly warcBytes: number;
  /** Makes the record that begins a file. @param filename - Its final name. */
  readonly warcinfo: (filename: string) => Promise<WarcRecord>;
  readonly nowMs: () => number;
}

const WARC_SUFFIX = '.warc.gz';
/** What is behind that while the file is written. */
export const OPEN_SUFFIX = '.open';

export function indexPathOf(warcPath: string): string {
  return `${warcPath.slice(0, -WARC_SUFFIX.length)}.cdxj`;
}

export function pagesPathOf(warcPath: string): string {
  return `${warcPath.slice(0, -WARC_SUFFIX.length)}.pages.jsonl`;
}

/** The WARC files of a folder that are no longer written, by name. @throws The platform's error. */
export async function listWarcs(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith(WARC_SUFFIX)).sort();
}

/**
 * Repairs the files that a killed run left open: whole records stay, a torn end is cut off, a file without a whole
 * record is removed. The caller keeps others from writing meanwhile. @throws MannerlyError `archive-failed`
 */
export async function recoverWarcs(folder: string): Promise<void> {
  await guarded(folder, async () => {
    for (const name of await readdir(folder)) {
      if (!name.endsWith(WARC_SUFFIX + OPEN_SUFFIX)) continue;
      const path = join(folder, name.slice(0, -OPEN_SUFFIX.length));
      const index = await cutTornEnd(path + OPEN_SUFFIX);
      if (index === null) await rm(path + OPEN_SUFFIX);
      else await finishWarc(path, index);
    }
  });
}

/** The WARC files of one run; there is none before the first record. */
export class WarcFiles {
  readonly #options: WarcFilesOptions;
  #serial = 0;
  #file: OpenWarc | null = null;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(options: WarcFilesOptions) {
    this.#options = options;
  }

  /** Makes the folder, and repairs what a killed run left. @throws MannerlyError `archive-failed` */
  async open(): Promise<void> {
    const { folder } = this.#options;
    await guarded(folder, () => mkdir(folder, { recursive: true }));
    await recoverWarcs(folder);
    this.#serial = (await guarded(folder, () => listWarcs(folder))).length;
  }

  /**
   * Appends records together: all of them or, when it rejects, none. @throws MannerlyError `archive-failed`
   * @returns Where the one with an entry in the index is; `null`: none has.
   */
  append(plan: (warcinfoId: string) => Promise<ArchiveBatch>): Promise<RecordPlace | null> {
    return this.#inTurn(async () => {
      if (this.#file?.isFull(this.#options.warcBytes) === true) {
        await this.#file.finish();
        this.#file = null;
      }
      this.#file ??= await this.#begin();
      return this.#file.append(await plan(this.#file.warcinfoId));
    });
  }

  /** Everything is on disk, under its final name. @throws MannerlyError `archive-failed` */
  close(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#file?.finish();
      this.#file = null;
    });
  }

  async #begin(): Promise<OpenWarc> {
    const { folder, prefix, nowMs, warcinfo } = this.#options;
    this.#serial += 1;
    const filename = `${prefix}-${timestamp14(nowMs())}-${String(this.#serial).padStart(5, '0')}${WARC_SUFFIX}`;
    const record = await warcinfo(filename);
    // Loaded with the first archive.
    const { getSurt } = await import('warcio/utils');
    const warc = await open(join(folder, filename + OPEN_SUFFIX), 'ax');
    const file = new OpenWarc(folder, filename, warc, record.id, getSurt);
    await file.append({ records: [{ record, index: null }], pageLine: null });
    return file;
  }

  /** One after the other: records of an exchange are next to each other, and their offsets are known. */
  #inTurn<R>(act: () => Promise<R>): Promise<R> {
    const done = this.#tail.then(() => guarded(this.#options.folder, act));
    this.#tail = done.catch(() => undefined);
    return done;
  }
}

class OpenWarc {
  readonly warcinfoId: string;
  readonly #folder: string;
  readonly #filename: string;
  readonly #warc: FileHandle;
  readonly #surtOf: (url: string) => string;
  readonly #index: WarcIndex = { lines: [], pages: [] };
  #length = 0;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;

  constructor(folder: string, filename: string, warc: FileHandle, id: string, surtOf: (url: string) => string) {
    this.#folder = folder;
    this.#filename = filename;
    this.#warc = warc;
    this.warcinfoId = id;
    this.#surtOf = surtOf;
  }

  isFull(warcBytes: number): boolean {
    return this.#length >= warcBytes || this.#index.lines.length >= MAX_INDEXED_RECORDS;
  }

  async append({ records, pageLine }: ArchiveBatch): Promise<RecordPlace | null> {
    const before = this.#length;
    let found: RecordPlace | null = null;
    const lines: string[] = [];
    try {
      for (const { record, index } of records) {
        const offset = this.#length;
        for await (const bytes of recordBytes(record)) await this.#write(bytes);
        if (index === null) continue;
        const place = { offset, length: this.#length - offset, filename: this.#filename };
        lines.push(cdxjLine(this.#surtOf, { ...index, ...place }));
        found = { filename: this.#filename, offset };
      }
      await this.#flush();
    } catch (error) {
      // Opened for appending: what comes next goes to the end that is set here.
      this.#length = before;
      this.#waiting = [];
      this.#waitingBytes = 0;
      await this.#warc.truncate(before);
      throw error;
    }
    this.#index.lines.push(...lines);
    if (pageLine !== null) this.#index.pages.push(pageLine);
    return found;
  }

  async finish(): Promise<void> {
    await this.#warc.datasync();
    await this.#warc.close();
    await finishWarc(join(this.#folder, this.#filename), this.#index);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#length += bytes.length;
    if (this.#waitingBytes >= ARCHIVE_WRITE_BYTES) await this.#flush();
  }

  /** The records of an exchange are written together, large ones in pieces. */
  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (let at = 0; at < bytes.length; ) at += (await this.#warc.write(bytes, at)).bytesWritten;
  }
}

/** Gives a file its final name, after its index: a kill in between leaves the file open, and the index is made anew. */
async function finishWarc(path: string, { lines, pages }: WarcIndex): Promise<void> {
  // Readers look lines up by their bytes.
  const sorted = lines.map((line) => Buffer.from(line)).sort(Buffer.compare);
  await writeFile(indexPathOf(path), Buffer.concat(sorted));
  await writeFile(pagesPathOf(path), pages.join(''));
  await rename(path + OPEN_SUFFIX, path);
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
