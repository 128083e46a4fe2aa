// The crawl directories that a command reads: those of all machines that worked on one crawl, read as one. And the one
// of a crawl that names none: the existing one of the same crawl, so that the same command continues it; else
// crawls/<host>-<date>, with a number if that name is taken.

import { existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { readCrawlDirectory } from '../directory/crawl-directory.js';
import type { CrawlIdentity, CrawlManifest } from '../directory/crawl-manifest.js';
import { MannerlyError } from '../errors.js';
import { parseUrl } from '../parse-url.js';
import { findDamage } from '../run/directory-damage.js';
import { readRunManifests } from '../run/run-manifest.js';
import { UsageError } from './failure.js';
import type { CliIo } from './io.js';

/** Numbers that are tried for a new directory. */
const MAX_NUMBERED_NAMES = 100;
/** Directories of one host that are read, the latest names first. */
const MAX_READ_DIRECTORIES = 200;
const PARENT = 'crawls';

type ReadDirectory = Awaited<ReturnType<typeof readCrawlDirectory>>;

/**
 * Reads directories, and reports damage.
 * @param directories - At least one.
 * @throws UsageError if one is named twice or belongs to another crawl; MannerlyError as `readCrawlDirectory`.
 */
export async function readCrawlDirectories(
  directories: readonly string[],
  io: CliIo,
): Promise<readonly [ReadDirectory, ...ReadDirectory[]]> {
  await reportDamage(directories, io);
  const realPaths = new Map<string, string>();
  for (const directory of directories) {
    const realPath = await realpath(directory);
    const same = realPaths.get(realPath);
    if (same !== undefined)
      throw new UsageError(`${same} and ${directory} are one directory`, 'It would count twice: name it once.');
    realPaths.set(realPath, directory);
  }
  const [first, ...others] = await Promise.all(directories.map((directory) => readCrawlDirectory(directory)));
  if (first === undefined) throw new UsageError('no crawl directory is named');
  const hint = 'Only directories of machines that worked on the same crawl can be read together.';
  const firstStartMs = await crawlStartOf(first.path);
  for (const { manifest, path } of others) {
    if (manifest.name !== first.manifest.name) {
      const names = `${JSON.stringify(first.manifest.name)}, not ${JSON.stringify(manifest.name)}`;
      throw new UsageError(`${first.path} holds a crawl by ${names} as ${path}`, hint);
    }
    const startMs = await crawlStartOf(path);
    if (startMs !== undefined && firstStartMs !== undefined && startMs !== firstStartMs)
      throw new UsageError(`${first.path} and ${path} hold two crawls, which began at different times`, hint);
  }
  return [first, ...others];
}

/** When the crawl of a directory began; `undefined` if no manifest of a run says it. */
async function crawlStartOf(path: string): Promise<number | undefined> {
  const [manifest] = await readRunManifests(path);
  return manifest?.crawlStartedAtMs;
}

/**
 * Reports, file by file, what differs from the end of the last run.
 * @returns A sentence for each file. @throws MannerlyError as `readCrawlDirectory`
 */
export async function reportDamage(directories: readonly string[], io: CliIo): Promise<readonly string[]> {
  const damage: string[] = [];
  for (const directory of directories) {
    await readCrawlDirectory(directory);
    damage.push(...(await findDamage(directory)));
  }
  for (const file of damage) io.err(`Damaged: ${file}.`);
  return damage;
}

/** The latest directory of the same crawl (name, tokens, first seed, no seed missing), or a new one. */
export async function directoryFor(crawl: CrawlIdentity, nowMs: number): Promise<string> {
  const [seed = ''] = crawl.seeds;
  const names = existsSync(PARENT) ? await readdir(PARENT) : [];
  const named = names.filter((name) => name.startsWith(`${nameOf(seed)}-`)).sort();
  let latest = { path: defaultDirectory(seed, nowMs), createdAtMs: -1 };
  for (const name of named.reverse().slice(0, MAX_READ_DIRECTORIES)) {
    const path = join(PARENT, name);
    const manifest = await manifestOf(path);
    if (manifest === null || !isSameCrawl(manifest, crawl)) continue;
    if (manifest.createdAtMs > latest.createdAtMs) latest = { path, createdAtMs: manifest.createdAtMs };
  }
  return latest.path;
}

/** A directory that does not exist yet. @param seed - An absolute URL; anything else gives `crawl-<date>`. */
export function defaultDirectory(seed: string, nowMs: number, exists: (path: string) => boolean = existsSync): string {
  const base = join(PARENT, `${nameOf(seed)}-${new Date(nowMs).toISOString().slice(0, 10)}`);
  if (!exists(base)) return base;
  for (let number = 2; number < MAX_NUMBERED_NAMES; number += 1) {
    if (!exists(`${base}-${number}`)) return `${base}-${number}`;
  }
  return `${base}-${nowMs}`;
}

function nameOf(seed: string): string {
  const host = parseUrl(seed)?.host ?? '';
  return host.replaceAll(/[^A-Za-z0-9.-]+/g, '_') || 'crawl';
}

/** `null` if there is no readable crawl. */
async function manifestOf(path: string): Promise<CrawlManifest | null> {
  try {
    return (await readCrawlDirectory(path)).manifest;
  } catch (error) {
    if (error instanceof MannerlyError) return null;
    throw error;
  }
}

function isSameCrawl(manifest: CrawlManifest, { name, tokens, seeds }: CrawlIdentity): boolean {
  const seedSet = new Set(seeds);
  return (
    manifest.name === name &&
    JSON.stringify(manifest.tokens) === JSON.stringify(tokens) &&
    manifest.seeds[0] === seeds[0] &&
    manifest.seeds.every((seed) => seedSet.has(seed))
  );
}
