// What a killed run left of a WARC file: its whole records are found by reading it, whatever stands behind the last of
// them is cut off, and its index and its list of pages are made anew.

import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { writeWhole } from '../directory/whole-file.js';
import { cdxjLine, type IndexedRecord } from './cdxj.js';
import { readMember } from './gzip-member.js';
import { headEnd, parseResponseHead } from './http-head.js';
import { MAX_RECORD_HEAD_BYTES } from './limits.js';
import { mimeOf, REVISIT_MIME } from './mime.js';
import { type ListedPage, pageLineOf } from './page-line.js';
import { type ArchivedVisit, parseJsonField, parseWarcFields, SEED, TITLE_FIELD, VISIT_FIELD } from './visit.js';

/** Where a file stands, before and after. */
export interface TornWarc {
  /** Its last name. */
  readonly path: string;
  /** The last name of its index. */
  readonly indexPath: string;
  /** The last name of its list of pages. */
  readonly pagesPath: string;
  /** What stands behind these names while they are written. */
  readonly openSuffix: string;
}

/**
 * Repairs one file; a file without a whole record is removed. @throws The platform's error when it cannot be read or
 * changed.
 */
export async function recoverWarc(torn: TornWarc, surtOf: (url: string) => string): Promise<void> {
  const openPath = torn.path + torn.openSuffix;
  const file = await open(openPath, 'r+');
  let found: WholePart;
  try {
    found = await wholeRecords(file, basename(torn.path), surtOf);
    await file.truncate(found.end);
    await file.datasync();
  } finally {
    await file.close();
  }
  // Made anew, since a kill may have come between a record and its lines.
  for (const path of [torn.indexPath, torn.pagesPath]) await rm(path + torn.openSuffix, { force: true });
  if (found.end === 0) {
    await rm(openPath);
    return;
  }
  await writeWhole(torn.indexPath, Buffer.concat(found.lines.sort(Buffer.compare)));
  await writeWhole(torn.pagesPath, found.pages.join(''));
  await rename(openPath, torn.path);
}

/** The part of a file that is whole. */
interface WholePart {
  readonly end: number;
  readonly lines: Buffer[];
  readonly pages: string[];
}

async function wholeRecords(file: FileHandle, filename: string, surtOf: (url: string) => string): Promise<WholePart> {
  const lines: Buffer[] = [];
  const pages: string[] = [];
  /** Of the page whose metadata came last: it is one when its response is whole too. */
  let page: ListedPage | null = null;
  for (let end = 0; ; ) {
    const member = await readMember(file, end, MAX_RECORD_HEAD_BYTES);
    if (member === null) return { end, lines, pages };
    const { fields, block } = partsOf(member.start);
    if (fields.get('WARC-Type') === 'metadata') page = listedPage(fields, block);
    const indexed = indexedRecord(fields, block);
    if (indexed !== null) {
      const line = cdxjLine(surtOf(indexed.url), { ...indexed, offset: end, length: member.length, filename });
      lines.push(Buffer.from(line));
      if (page?.url === indexed.url) pages.push(pageLineOf(page));
      page = null;
    }
    end += member.length;
  }
}

/** The fields of a record by how it begins, and the beginning of its block. Never throws. */
function partsOf(start: Buffer): { readonly fields: ReadonlyMap<string, string>; readonly block: Buffer } {
  const blockAt = headEnd(start) ?? start.length;
  const block = start.subarray(blockAt);
  return { fields: parseWarcFields(start.subarray(0, blockAt)), block };
}

function listedPage(fields: ReadonlyMap<string, string>, block: Buffer): ListedPage | null {
  const said = parseWarcFields(block);
  const title = said.get(TITLE_FIELD);
  if (title === undefined) return null;
  const isSeed = parseJsonField<ArchivedVisit>(said.get(VISIT_FIELD))?.via === SEED;
  return { url: fields.get('WARC-Target-URI') ?? '', date: fields.get('WARC-Date') ?? '', title, isSeed };
}

/** What the index says of a record of ours; `null`: nothing. Never throws. */
function indexedRecord(
  fields: ReadonlyMap<string, string>,
  block: Buffer,
): Omit<IndexedRecord, 'offset' | 'length' | 'filename'> | null {
  const type = fields.get('WARC-Type');
  const url = fields.get('WARC-Target-URI');
  if ((type !== 'response' && type !== 'revisit') || url === undefined) return null;
  const head = parseResponseHead(block.subarray(0, headEnd(block) ?? 0));
  return {
    url,
    atMs: Date.parse(fields.get('WARC-Date') ?? '') || 0,
    mime: type === 'revisit' ? REVISIT_MIME : mimeOf(head?.headers ?? []),
    status: head?.status ?? 0,
    digest: fields.get('WARC-Payload-Digest') ?? '',
  };
}
