// The crawl directory if none is named: the existing one of the same crawl, so that the same command continues it; else
// crawls/<host>-<date>, with a number if that name is taken.

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readCrawlDirectory } from '../directory/crawl-directory.js';
import type { CrawlIdentity, CrawlManifest } from '../directory/crawl-manifest.js';
import { MannerlyError } from '../errors.js';
import { parseUrl } from '../parse-url.js';

/** Numbers that are tried. */
const MAX_NUMBERED_NAMES = 100;
/** Directories of one host that are read, the latest names first. */
const MAX_READ_DIRECTORIES = 200;
const PARENT = 'crawls';

/** The latest directory of the same crawl (name, tokens, first seed, no seed missing), or a new one. */
export async function directoryFor(crawl: CrawlIdentity, nowMs: number): Promise<string> {
  const [seed = ''] = crawl.seeds;
  let latest: { readonly path: string; readonly createdAtMs: number } | null = null;
  for (const name of await namesFor(seed)) {
    const path = join(PARENT, name);
    const manifest = await manifestOf(path);
    if (manifest === null || !isSameCrawl(manifest, crawl)) continue;
    const { createdAtMs } = manifest;
    if (latest === null || createdAtMs > latest.createdAtMs) latest = { path, createdAtMs };
  }
  return latest?.path ?? defaultDirectory(seed, nowMs);
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

async function namesFor(seed: string): Promise<string[]> {
  if (!existsSync(PARENT)) return [];
  const names = (await readdir(PARENT)).filter((name) => name.startsWith(`${nameOf(seed)}-`));
  return names.sort().reverse().slice(0, MAX_READ_DIRECTORIES);
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
