// A crawl directory: the manifest, the frontier, the items, the logs and every robots.txt that was read. One run at a
// time has it open, or several processes of the same crawl that each write their own files. If a process is killed
// while it opens a directory, the next run can still open it.

import type { Dirent } from 'node:fs';
import { appendFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { invalidOption, MannerlyError } from '../errors.js';
import { hasPlatformCode, listNames, orIfAbsent, PARTIAL_SUFFIX, sizeOf, writeAtomically } from './atomic-file.js';
import {
  type CrawlIdentity,
  type CrawlManifest,
  continueManifest,
  MANIFEST_NAME,
  manifestText,
  newManifest,
  readManifest,
} from './crawl-manifest.js';
import { type CrawlPaths, crawlPaths, partsOf } from './crawl-paths.js';
import { isLockName, lockDirectory, lockPart, refuseShared, waitForLock } from './directory-lock.js';

/** The paths of a crawl directory, for all processes that have worked in it. */
export interface WholeCrawlPaths extends CrawlPaths {
  /** The paths of each process; the first are those of a run that works alone. */
  readonly parts: readonly CrawlPaths[];
}

export type CrawlDirectory = Awaited<ReturnType<typeof openCrawlDirectory>>;

/** The file that marks a reset in progress: all data of the crawl is being deleted. */
export const RESET_NAME = `${MANIFEST_NAME}.reset`;

/**
 * Opens the directory of a crawl: makes a new one, or continues one of the same crawl. The caller releases it.
 * @param path - Made with its parents if it is missing; an empty directory is accepted.
 * @param isShared - Whether other processes of the same crawl work in it: each has its own logs and items.
 * @throws MannerlyError `directory-taken` if it holds something else; `directory-format`; `directory-in-use`.
 */
export async function openCrawlDirectory(path: string, crawl: CrawlIdentity, nowMs = Date.now(), isShared = false) {
  try {
    return await open(path, crawl, nowMs, isShared);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].some((code) => hasPlatformCode(error, code))) throw error;
    throw cannotUse(path, error);
  }
}

async function open(path: string, crawl: CrawlIdentity, nowMs: number, isShared: boolean) {
  await makeWithParents(path).catch((cause: unknown) => {
    throw cannotUse(path, cause);
  });
  // Checked before anything is written: a directory that is not ours is not changed.
  await checkEntryKinds(path, true);
  const before = await readManifestUnlessForeign(path);
  if (before !== null) continueManifest(path, before, crawl);
  const lock = isShared ? await waitForLock(path) : await lockDirectory(path);
  let own: { readonly part: number | null; readonly lock: typeof lock } = { part: null, lock };
  try {
    if (!isShared) await refuseShared(path);
    await deleteIfReset(path);
    for (const name of await readdir(path)) if (isPartialFile(name)) await rm(join(path, name), { force: true });
    const existing = await readManifest(path);
    const manifest = existing === null ? newManifest(crawl, nowMs) : continueManifest(path, existing, crawl);
    if (isShared) own = await lockPart(path);
    const { part, lock: ownLock } = own;
    const paths = crawlPaths(path, part);
    if (manifest !== existing) await writeAtomically(join(path, MANIFEST_NAME), manifestText(manifest));
    // Last: it says that the directory is ours, even if it has other files.
    await rm(join(path, RESET_NAME), { force: true });
    await mkdir(paths.robotsPath, { recursive: true });
    if (isShared) await lock.release();
    return {
      ...paths,
      manifest,
      isNew: existing === null,
      saveRobots: saveRobots.bind(null, paths.robotsPath),
      /** Releases the lock. A second call does nothing. */
      release: () => ownLock.release(),
    };
  } catch (error) {
    await own.lock.release();
    await lock.release();
    throw error;
  }
}

/**
 * Reads the manifest of an existing crawl directory. Takes no lock: a run may have it open.
 * @throws MannerlyError `directory-taken` if there is none; `directory-format` if this version cannot read it.
 */
export async function readCrawlDirectory(
  path: string,
): Promise<WholeCrawlPaths & { readonly manifest: CrawlManifest }> {
  if (typeof path !== 'string') throw invalidOption('directory', 'the path of a crawl directory', path);
  await checkEntryKinds(path);
  const manifest = await readManifest(path);
  if (manifest === null) throw noCrawlError(path, 'Name the directory that `mannerly crawl` printed at its start.');
  return { ...crawlPaths(path), parts: await partsOf(path), manifest };
}

/**
 * Refuses a folder, a pipe or a device in the place of a file of the crawl, and a file in the place of a folder, also
 * behind a symbolic link.
 * @param isWritten - Then also refuses symbolic links: the directory may come from someone else.
 * @throws MannerlyError `directory-format`
 */
export async function checkEntryKinds(path: string, isWritten = false): Promise<void> {
  for (const { name } of await checkFolder(path, CRAWL_ENTRIES, isWritten)) {
    const known = FOLDER_ENTRIES.find(({ folder }) => folder.test(name));
    if (known !== undefined) await checkFolder(join(path, name), known, isWritten);
  }
}

/** The names of files and folders that a crawl keeps in one folder. */
type KnownEntries = { readonly files: RegExp; readonly folders: RegExp };

const CRAWL_ENTRIES: KnownEntries = {
  files: /^(crawl|settings|order|run(-\d+)?)\.json$|\.jsonl$|^crawl(-\d+)?\.lock$|^cache\.sqlite/,
  folders: /^(robots|frontier|files|archive(-\d+)?)$/,
};
const FOLDER_ENTRIES: readonly (KnownEntries & { readonly folder: RegExp })[] = [
  { folder: /^(robots|archive(-\d+)?)$/, files: /\.(txt|jsonl|cdxj|warc(\.gz)?(\.open)?)$/, folders: /^$/ },
  { folder: /^frontier$/, files: /\.mdb$/, folders: /^gate$/ },
];

async function checkFolder(folder: string, { files, folders }: KnownEntries, isWritten: boolean): Promise<Dirent[]> {
  const entries = await orIfAbsent([], () => readdir(folder, { withFileTypes: true }));
  for (const entry of entries) {
    const expected = folders.test(entry.name) ? 'folder' : files.test(entry.name) ? 'file' : null;
    if (expected === null) continue;
    const path = join(folder, entry.name);
    const isLink = entry.isSymbolicLink();
    // A link without a target counts as an absent file.
    const kind = isLink ? (isWritten ? 'link' : await stat(path).then(kindOf, () => expected)) : kindOf(entry);
    if (kind === expected) continue;
    const [text, hint] = kind === 'link' ? LINK_TEXT : [`a ${kind}, and a ${expected} belongs there`, KIND_HINT];
    throw new MannerlyError('directory-format', `${path} is ${text}`, { hint });
  }
  return entries;
}

const LINK_TEXT = [
  'a symbolic link: what is written there would go elsewhere',
  'Put the file or folder itself there, or create the whole crawl directory elsewhere.',
] as const;
const KIND_HINT = 'Restore it from a copy, or name another directory.';

/** Reading a pipe waits until another program writes to it; a device may have no end. */
function kindOf(entry: Pick<Dirent, 'isFile' | 'isDirectory'>): 'file' | 'folder' | 'pipe or device' {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'folder' : 'pipe or device';
}

/** The error for a directory without `crawl.json`. Never throws. */
export function noCrawlError(path: string, hint: string): MannerlyError {
  return new MannerlyError('directory-taken', `${path} holds no crawl: there is no crawl.json`, { hint });
}

/**
 * Deletes all data of the crawl if this process or a killed one has marked a reset. Other files stay, and so does the
 * mark, until the directory has a new manifest. The caller holds the lock.
 */
export async function deleteIfReset(path: string): Promise<void> {
  if ((await sizeOf(join(path, RESET_NAME))) === null) return;
  for (const { path: _, part: __, ...paths } of await partsOf(path)) {
    for (const each of Object.values(paths)) await rm(each, { recursive: true, force: true });
  }
}

/**
 * Deletes a crawl that failed before it had begun, so that the directory is free for the call that was meant. A crawl
 * stays if a process works in it, has sent a request, or was given URLs or an order. The caller has released its lock.
 */
export async function deleteIfNothingDone(path: string): Promise<void> {
  const lock = await lockDirectory(path);
  try {
    await refuseShared(path);
    const parts = await partsOf(path);
    const done = parts.flatMap(({ requestsPath, addedPath, orderPath }) => [requestsPath, addedPath, orderPath]);
    if ((await Promise.all(done.map(sizeOf))).some((bytes) => bytes)) return;
    await rename(join(path, MANIFEST_NAME), join(path, RESET_NAME));
    await deleteIfReset(path);
    await rm(join(path, RESET_NAME), { force: true });
  } finally {
    await lock.release();
  }
}

/** Whether it is absent or empty, or holds only the remains of a run that was killed while it opened or reset it. */
export async function isFree(path: string): Promise<boolean> {
  const names = await listNames(path);
  return names.includes(RESET_NAME) || names.every((name) => isLockName(name) || isPartialFile(name));
}

function cannotUse(path: string, cause: unknown): MannerlyError {
  return new MannerlyError('directory-taken', `${path} cannot be a crawl directory: ${String(cause)}`, {
    cause,
    hint: 'Name a directory that can be created, or one that is writable.',
  });
}

/**
 * As `mkdir` with `recursive`, which never ends in Node.js 20 if a system refuses with ENOENT, as Linux does in /proc.
 */
async function makeWithParents(path: string, hasParent = false): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const found = await stat(path).catch(() => null);
    if (found?.isDirectory() === true) return;
    if (hasParent || !hasPlatformCode(error, 'ENOENT') || dirname(path) === path) throw error;
    await makeWithParents(dirname(path));
    await makeWithParents(path, true);
  }
}

/** `null` if it is free. Another process of the crawl may make the directory in the meantime: then it is read again. */
async function readManifestUnlessForeign(path: string): Promise<CrawlManifest | null> {
  const before = await readManifest(path);
  if (before !== null || (await isFree(path))) return before;
  const now = await readManifest(path);
  if (now !== null) return now;
  throw new MannerlyError('directory-taken', `${path} is not empty and holds no crawl`, {
    hint: 'Name an empty or a new directory.',
  });
}

function isPartialFile(name: string): boolean {
  const isOurs = /^crawl(-\d+)?\.lock\./.test(name) || name.startsWith(`${MANIFEST_NAME}.`);
  return isOurs && name.endsWith(PARTIAL_SUFFIX);
}

/**
 * Keeps each body of robots.txt once, under its hash; `robots/index.jsonl` records the authority and the time.
 * @throws MannerlyError `log-failed`
 */
async function saveRobots(robotsPath: string, authority: string, hash: string, body: Uint8Array): Promise<void> {
  if (!/^[0-9a-f]{8,64}$/.test(hash)) return;
  const file = join(robotsPath, `${hash}.txt`);
  const line = `${JSON.stringify({ authority, hash, atMs: Date.now() })}\n`;
  try {
    // A file of another length is incomplete or was changed.
    if ((await sizeOf(file)) !== body.length) await writeAtomically(file, body);
    await appendFile(join(robotsPath, 'index.jsonl'), line);
  } catch (cause) {
    const message = `robots.txt of ${authority} could not be kept: ${String(cause)}`;
    throw new MannerlyError('log-failed', message, { cause });
  }
}
