// Writes a page's bytes to a file in one folder, and the files that a page shows, one copy of each content. A name may
// come from anywhere: the file stays inside the folder, and is either complete or absent. Files of a page are requested
// like by `page.fetch`: scope, robots.txt, spacing, address guard and logs apply to each redirect hop.

import { createHash, hash, randomUUID } from 'node:crypto';
import { mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { sizeOf } from '../directory/atomic-file.js';
import { MannerlyError } from '../errors.js';
import type { PageExclusion } from '../page/exclusion.js';
import { selectLinks } from '../page/links.js';
import type { FetchedPage } from '../page/page.js';
import type { PageFetch, PageFetchOptions } from '../page/page-fetch.js';
import { followRedirects } from '../page/redirect.js';
import { percentDecoded } from '../parse-url.js';
import { MAX_CONFLICT_MARKS, MAX_FILE_NAME_BYTES, MAX_FILE_NAME_SEGMENTS } from './limits.js';

/** The result of saving a file. */
export type SavedFile =
  | {
      readonly kind: 'saved';
      /** Where it is: the folder and the sanitized name. */
      readonly path: string;
      readonly bytes: number;
      /** SHA-256, lower-case hex digits. */
      readonly sha256: string;
      /** As `page.truncated`: a truncated file is incomplete. */
      readonly truncated: 'limit' | 'connection' | null;
    }
  /** The page's signals forbid it: a reason of the table of reasons, such as `noarchive` or `noindex`. */
  | { readonly kind: 'left-alone'; readonly reason: string };

/** Why a body may not be kept, as a reason of the table of reasons; `null`: it may be. */
export function saveExclusion({ storesItems, reason, keepsBody }: PageExclusion): string | null {
  return storesItems ? (keepsBody ? null : 'noarchive') : reason;
}

/**
 * Writes a file under another name, then renames it. A file of that name is replaced. If a file is in place of a
 * folder, or a folder in place of the file, as for `/news` and `/news/1`, the later one gets a `~`.
 * @param folder - Created if missing. @param name - See {@link safeName}.
 * @throws MannerlyError (rejects) `file-failed` if the file cannot be written; nothing is left behind.
 */
export async function saveFile(
  folder: string,
  name: string,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Omit<Extract<SavedFile, { kind: 'saved' }>, 'kind' | 'truncated'>> {
  const temporary = join(folder, `.${randomUUID()}.part`);
  const digest = createHash('sha256');
  let bytes = 0;
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      digest.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  const segments = safeName(name).split('/');
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(temporary, hashed(), { flag: 'wx' });
    const path = await moveInto(folder, segments, temporary);
    return { path, bytes, sha256: digest.digest('hex') };
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    const message = `${join(folder, ...segments)} could not be written: ${String(error)}`;
    throw new MannerlyError('file-failed', message, { cause: error });
  }
}

/** The suffix of a name that a folder has and a file needs, or the other way round. */
const CONFLICT_MARK = '~';

/** Moves a file into place, and marks its first segment where something else exists. @returns Its path. */
async function moveInto(folder: string, segments: string[], file: string): Promise<string> {
  const path = join(folder, ...segments);
  try {
    const root = await realpath(folder);
    let directory = root;
    // One by one, so that nothing is made behind a link that leads out.
    for (const segment of segments.slice(0, -1)) {
      await mkdir(join(directory, segment), { recursive: true });
      directory = await realpath(join(directory, segment));
      if (!directory.startsWith(root + sep)) throw new Error('a symbolic link leads out of the folder');
    }
    await rename(file, path);
    return path;
  } catch (error) {
    for (const [at, segment] of segments.entries()) {
      const found = await stat(join(folder, ...segments.slice(0, at + 1))).catch(() => null);
      const isLast = at === segments.length - 1;
      const isMarked = segment.endsWith(CONFLICT_MARK.repeat(MAX_CONFLICT_MARKS));
      if (found === null || found.isDirectory() !== isLast || isMarked) continue;
      return moveInto(folder, segments.with(at, `${segment}${CONFLICT_MARK}`), file);
    }
    throw error;
  }
}

/** Segments that a file system takes for devices, whatever follows the dot. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?:\.|$)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is replaced.
const UNSAFE = /[\x00-\x1f\x7f-\x9f"*:<>?|\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * A relative path that stays below its folder and that every file system accepts. It is split at `/` and `\`. Empty
 * segments, `.` and `..` are dropped. Controls, marks of direction, a leading dot and reserved characters become `_`.
 * Long segments are cut but keep their extension. `index` if nothing is left.
 * @param name - May be the path of a URL: escapes are undone once.
 */
export function safeName(name: string): string {
  const segments = percentDecoded(name)
    .split(/[/\\]+/)
    .map((segment) => segment.trim())
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..')
    .slice(-MAX_FILE_NAME_SEGMENTS)
    .map(safeSegment);
  return segments.length === 0 ? 'index' : segments.join('/');
}

function safeSegment(segment: string): string {
  // Round trip through bytes: half of a surrogate pair is not a character of any file system.
  const plain = Buffer.from(segment)
    .toString('utf8')
    .replace(UNSAFE, '_')
    .replace(/^\.+/, (dots) => '_'.repeat(dots.length))
    .replace(/(?<![. ])[. ]+$/, '_');
  return shortenSegment(DEVICE_NAME.test(plain) ? `_${plain}` : plain);
}

/** Where a page without a given name is saved: its host and path, and a mark for its query. */
export function nameOf(url: string): string {
  const { host, pathname, search } = new URL(url);
  const name = `${host}${pathname.endsWith('/') ? `${pathname}index` : pathname}`;
  if (search === '') return name;
  const extension = extensionOf(name);
  return `${name.slice(0, name.length - extension.length)}${hashSuffix(search)}${extension}`;
}

function extensionOf(name: string): string {
  return /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? '';
}

function hashSuffix(text: string): string {
  return `~${hash('sha256', text).slice(0, 12)}`;
}

/** Cut at a whole character, before its extension. The hash keeps two long names distinct. */
function shortenSegment(segment: string): string {
  if (Buffer.byteLength(segment) <= MAX_FILE_NAME_BYTES) return segment;
  const suffix = hashSuffix(segment) + extensionOf(segment);
  const start = Buffer.from(segment).subarray(0, MAX_FILE_NAME_BYTES - suffix.length - 3);
  return start.toString('utf8').replace(/\uFFFD+$/, '') + suffix;
}

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
  const sha256 = hash('sha256', body);
  // Judged only by the bytes: files with the same bytes have the same name, whatever their URL and media type.
  const start = Buffer.from(body.subarray(0, 16)).toString('latin1');
  const extension = EXTENSIONS.find(([at, bytes]) => start.startsWith(bytes, at))?.[2] ?? '';
  const name = `media/${sha256.slice(0, 2)}/${sha256}${extension}`;
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
