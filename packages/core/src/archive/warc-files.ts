// The WARC files of a crawl. Records are appended to one file, those of an exchange together. When it is full, the next
// file begins. A file is named `….warc.gz.open` while it is written, and its index is in memory. If the process dies,
// it leaves complete records and at most one torn exchange, which the next run cuts off.
//
//   append ──▶ NAME.warc.gz.open ──(full, or closed)──▶ NAME.cdxj (sorted), NAME.pages.jsonl, then NAME.warc.gz

import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFile } from '../directory/atomic-file.js';
import { lockDirectory } from '../directory/directory-lock.js';
import { MannerlyError } from '../errors.js';
import { type IndexedPlace, timestamp14, WarcIndex } from './cdxj.js';
import { ARCHIVE_WRITE_BYTES, MAX_INDEXED_RECORDS } from './limits.js';
import { cutTornEnd } from './recover-warc.js';
import { recordBytes, type WarcRecord } from './warc-record.js';

/** Where a record is: the file's final name, and the offset in bytes. */
export type RecordPlace = Pick<IndexedPlace, 'filename' | 'offset'>;

interface WarcFilesOptions {
  readonly folder: string;
  /** Whether it needs a lock, because no crawl directory with its own lock contains it. @default false */
  readonly locksFolder?: boolean;
  /** The first part of every file's name: letters, digits, `-`, `_`. */
  readonly prefix: string;
  /** Bytes of a file after which the next one begins. */
  readonly warcBytes: number;
  /** Creates the record that begins a file. @param filename - Its final name. */
  readonly warcinfo: (filename: string) => Promise<WarcRecord>;
  readonly nowMs: () => number;
}

const WARC_SUFFIX = '.warc.gz';
/** The suffix while the file is written. */
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

/** Paths of the files that a run writes, or that a killed run left. `listWarcs` does not name them. */
export async function listOpenWarcs(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith(WARC_SUFFIX + OPEN_SUFFIX)).map((name) => join(folder, name));
}

/**
 * Repairs the files that a killed run left open: complete records stay, a torn end is cut off, a file without a
 * complete record is removed. The caller prevents concurrent writes. @throws MannerlyError `archive-failed`
 */
export async function recoverWarcs(folder: string): Promise<void> {
  await withArchiveError(folder, async () => {
    for (const name of await readdir(folder)) {
      if (!name.endsWith(WARC_SUFFIX + OPEN_SUFFIX)) continue;
      const path = join(folder, name.slice(0, -OPEN_SUFFIX.length));
      const index = await cutTornEnd(path + OPEN_SUFFIX);
      if (index === null) await rm(path + OPEN_SUFFIX);
      else await finishWarc(path, index);
    }
  });
}

/** The WARC files of one run. There is none before the first record. */
export class WarcFiles {
  readonly #options: WarcFilesOptions;
  #serial = 0;
  #file: OpenWarc | null = null;
  #tail: Promise<unknown> = Promise.resolve();
  #lock: Awaited<ReturnType<typeof lockDirectory>> | null = null;

  constructor(options: WarcFilesOptions) {
    this.#options = options;
  }

  /**
   * Creates the folder, and repairs what a killed run left.
   * @throws MannerlyError `archive-failed`; `directory-in-use` if another run writes it.
   */
  async open(): Promise<void> {
    const { folder, locksFolder = false } = this.#options;
    await withArchiveError(folder, () => mkdir(folder, { recursive: true }));
    // The file that another run is writing looks like one that a killed run has left.
    if (locksFolder) this.#lock = await withArchiveError(folder, () => lockDirectory(folder));
    await recoverWarcs(folder);
    this.#serial = (await withArchiveError(folder, () => listWarcs(folder))).length;
  }

  /**
   * Appends records together: all of them or, if it rejects, none. @throws MannerlyError `archive-failed`
   * @returns Where the record with an index entry is; `null`: none has one.
   */
  append(createRecords: (warcinfoId: string) => Promise<readonly WarcRecord[]>): Promise<RecordPlace | null> {
    return this.#enqueue(async () => {
      if (this.#file?.isFull(this.#options.warcBytes) === true) {
        await this.#file.finish();
        this.#file = null;
      }
      this.#file ??= await this.#begin();
      return this.#file.append(await createRecords(this.#file.warcinfoId));
    });
  }

  /** Puts everything on disk, under its final name. @throws MannerlyError `archive-failed` */
  close(): Promise<void> {
    return this.#enqueue(async () => {
      try {
        await this.#file?.finish();
        this.#file = null;
      } finally {
        await this.#lock?.release();
      }
    });
  }

  async #begin(): Promise<OpenWarc> {
    const { folder, prefix, nowMs, warcinfo } = this.#options;
    this.#serial += 1;
    const filename = `${prefix}-${timestamp14(nowMs())}-${String(this.#serial).padStart(5, '0')}${WARC_SUFFIX}`;
    return openWarc(folder, filename, await warcinfo(filename));
  }

  /** One call after the other: records of an exchange are adjacent, and their offsets are known. */
  #enqueue<R>(action: () => Promise<R>): Promise<R> {
    const done = this.#tail.then(() => withArchiveError(this.#options.folder, action));
    this.#tail = done.catch(() => undefined);
    return done;
  }
}

type OpenWarc = Awaited<ReturnType<typeof openWarc>>;

/** Begins a file with its warcinfo record. */
async function openWarc(folder: string, filename: string, warcinfo: WarcRecord) {
  // Loaded with the first archive.
  const { getSurt } = await import('warcio/utils');
  const path = join(folder, filename);
  const warc = await open(path + OPEN_SUFFIX, 'ax');
  const index = new WarcIndex(getSurt);
  let length = 0;
  let buffered: Uint8Array[] = [];
  let bufferedBytes = 0;

  /** Writes the records of an exchange together, large ones in pieces. */
  const flush = async (): Promise<void> => {
    const bytes = Buffer.concat(buffered);
    buffered = [];
    bufferedBytes = 0;
    for (let at = 0; at < bytes.length; ) at += (await warc.write(bytes, at)).bytesWritten;
  };
  const append = async (records: readonly WarcRecord[]): Promise<RecordPlace | null> => {
    const before = length;
    const written: [record: WarcRecord, place: IndexedPlace][] = [];
    try {
      for (const record of records) {
        const offset = length;
        for await (const bytes of recordBytes(record)) {
          buffered.push(bytes);
          bufferedBytes += bytes.length;
          length += bytes.length;
          if (bufferedBytes >= ARCHIVE_WRITE_BYTES) await flush();
        }
        written.push([record, { filename, offset, length: length - offset }]);
      }
      await flush();
    } catch (error) {
      // Opened for appending, so later writes go to the end that is set here.
      length = before;
      buffered = [];
      bufferedBytes = 0;
      await warc.truncate(before);
      throw error;
    }
    const indexed = written.filter(([{ fields, block }, place]) => index.add(fields, block.head, place));
    const [, place] = indexed.at(-1) ?? [];
    return place === undefined ? null : { filename, offset: place.offset };
  };
  await append([warcinfo]);
  return {
    warcinfoId: warcinfo.id,
    append,
    isFull: (warcBytes: number): boolean => length >= warcBytes || index.lines.length >= MAX_INDEXED_RECORDS,
    async finish(): Promise<void> {
      await syncFile(warc);
      await warc.close();
      await finishWarc(path, index);
    },
  };
}

/** Gives a file its final name, after its index. A kill in between leaves the file open, and the index is rebuilt. */
async function finishWarc(path: string, { lines, pages }: WarcIndex): Promise<void> {
  // Readers search lines by their bytes.
  const sorted = lines.map((line) => Buffer.from(line)).sort(Buffer.compare);
  await writeFile(indexPathOf(path), Buffer.concat(sorted));
  await writeFile(pagesPathOf(path), pages.join(''));
  await rename(path + OPEN_SUFFIX, path);
}

async function withArchiveError<R>(where: string, action: () => Promise<R>): Promise<R> {
  try {
    return await action();
  } catch (cause) {
    if (cause instanceof MannerlyError) throw cause;
    throw new MannerlyError('archive-failed', `the archive ${where} could not be written: ${String(cause)}`, {
      cause,
      hint: 'Is the disk full, or the directory read-only?',
    });
  }
}
