// Saves the files that a page shows, such as its pictures, one copy of each content. Every request is made like
// `page.fetch`: scope, robots.txt, spacing, address guard and logs apply to each redirect hop. Files that are not saved
// are reported as values.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { sizeOf } from '../directory/atomic-file.js';
import { selectLinks } from '../page/links.js';
import type { FetchedPage } from '../page/page.js';
import type { PageFetch, PageFetchOptions } from '../page/page-fetch.js';
import { followRedirects } from '../page/redirect.js';
import { type SavedFile, saveExclusion, saveFile } from './save.js';

/** The result for one file that a page shows. `url`: as the page names it. */
export type SavedMedia =
  /** `isCopy`: a file with these bytes already existed, from this page or another. */
  | (Extract<SavedFile, { readonly kind: 'saved' }> & { readonly url: string; readonly isCopy: boolean })
  /** The page or the file forbids it, or the link is to be left alone: a reason of the table of reasons. */
  | (Extract<SavedFile, { readonly kind: 'left-alone' }> & { readonly url: string })
  /** As in `page.fetch`; also `failed` with `status-404`, and `dropped` with `page-fetch-limit` past a bound. */
  | { readonly kind: 'excluded' | 'dropped' | 'held' | 'failed'; readonly reason: string; readonly url: string };

/** Reads an answer for its own signals. */
export type ReadMedia = (
  answer: Extract<PageFetch, { readonly kind: 'response' }>,
) => Promise<Pick<FetchedPage, 'exclusion' | 'truncated'>>;

interface MediaTools {
  readonly folder: string;
  readonly fetch: (url: string, options: PageFetchOptions) => Promise<PageFetch>;
  readonly read: ReadMedia;
  readonly maxFiles: number;
  readonly maxBytes: number;
}

/** Saves one file after the other. @throws MannerlyError `page-not-markup`, `file-failed` */
export async function saveAllMedia(page: FetchedPage, selector: string, tools: MediaTools): Promise<SavedMedia[]> {
  const links = new Map(selectLinks(page, selector).map((link) => [link.url, link]));
  const saved: SavedMedia[] = [];
  let remainingBytes = tools.maxBytes;
  let remainingFiles = tools.maxFiles;
  for (const [url, link] of links) {
    const reason = saveExclusion(page.exclusion) ?? page.exclusion.linkExclusion(link);
    if (reason !== null) {
      saved.push({ kind: 'left-alone', url, reason });
      continue;
    }
    if (remainingFiles <= 0 || remainingBytes <= 0) {
      saved.push({ kind: 'dropped', url, reason: 'page-fetch-limit' });
      continue;
    }
    remainingFiles -= 1;
    const maxBodyBytes = remainingBytes;
    const answer = await followRedirects(url, page.url, (each) => tools.fetch(each, { maxBodyBytes }));
    if (answer.kind === 'response') remainingBytes -= answer.body.length;
    saved.push({ ...(await saveAnswer(answer, tools)), url });
  }
  return saved;
}

/** The result for an answer, after its redirects. */
async function saveAnswer(answer: PageFetch, { folder, read }: MediaTools) {
  if (answer.kind === 'failed') return { kind: answer.kind, reason: answer.failure };
  if (answer.kind !== 'response') return { kind: answer.kind, reason: answer.reason };
  if (answer.status < 200 || answer.status > 299) return { kind: 'failed', reason: `status-${answer.status}` } as const;
  const { exclusion, truncated } = await read(answer);
  const reason = saveExclusion(exclusion);
  if (reason !== null) return { kind: 'left-alone', reason } as const;
  const { body } = answer;
  const sha256 = createHash('sha256').update(body).digest('hex');
  const name = `media/${sha256.slice(0, 2)}/${sha256}${extensionFor(body)}`;
  const path = join(folder, name);
  const known = { kind: 'saved', path, bytes: body.length, sha256, truncated } as const;
  if ((await sizeOf(path)) === body.length) return { ...known, isCopy: true };
  return { ...known, ...(await saveFile(folder, name, [body])), isCopy: false };
}

/** Where the signature of a format begins, its bytes, one character each, and the file extension. */
const EXTENSIONS: readonly (readonly [at: number, bytes: string, extension: string])[] = [
  [0, '\x89PNG', '.png'],
  [0, '\xff\xd8\xff', '.jpg'],
  [0, 'GIF8', '.gif'],
  [8, 'WEBP', '.webp'],
  [4, 'ftypavif', '.avif'],
  [4, 'ftyp', '.mp4'],
  [0, '\x1aE\xdf\xa3', '.webm'],
  [0, 'OggS', '.ogg'],
  [0, 'ID3', '.mp3'],
  [0, '%PDF-', '.pdf'],
  [0, 'PK\x03\x04', '.zip'],
  [0, '<svg', '.svg'],
];

/** Judged only by the bytes: files with the same bytes have the same name, whatever their URL and media type. */
function extensionFor(body: Uint8Array): string {
  const start = Buffer.from(body.subarray(0, 16)).toString('latin1');
  return EXTENSIONS.find(([at, bytes]) => start.startsWith(bytes, at))?.[2] ?? '';
}
