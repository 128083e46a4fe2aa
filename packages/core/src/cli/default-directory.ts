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
const MAX_TRIES = 100;
/** Directories of one host that are read, the latest names first. */
const MAX_LOOKS = 200;
const PARENT = 'crawls';

/** The latest directory of the same crawl (name, tokens, first seed, no seed missing), or a new one. */
export async function directoryFor(crawl: CrawlIdentity, nowMs: number): Promise<string> {
  const [seed = ''] = crawl.seeds;
  let youngest: { readonly path: string; readonly createdAtMs: number } | null = null;
  for (const name of await namesFor(seed)) {
    const path = join(PARENT, name);
    const manifest = await manifestOf(path);
    if (manifest === null || !isSame(manifest, crawl)) continue;
    const { createdAtMs } = manifest;
    if (youngest === null || createdAtMs > youngest.createdAtMs) youngest = { path, createdAtMs };
  }
  return youngest?.path ?? defaultDirectory(seed, nowMs);
}

/** A directory that does not exist yet. @param seed - An absolute URL; anything else gives `crawl-<date>`. */
export function defaultDirectory(seed: string, nowMs: number, exists: (path: string) => boolean = existsSync): string {
  const base = join(PARENT, `${nameOf(seed)}-${new Date(nowMs).toISOString().slice(0, 10)}`);
  if (!exists(base)) return base;
  for (let number = 2; number < MAX_TRIES; number += 1) {
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
  return names.sort().reverse().slice(0, MAX_LOOKS);
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

function isSame(kept: CrawlManifest, { name, tokens, seeds }: CrawlIdentity): boolean {
  const named = new Set(seeds);
  return (
    kept.name === name &&
    JSON.stringify(kept.tokens) === JSON.stringify(tokens) &&
    kept.seeds[0] === seeds[0] &&
    kept.seeds.every((seed) => named.has(seed))
  );
}
