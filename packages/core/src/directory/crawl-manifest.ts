// The manifest of a crawl directory, `crawl.json`, which decides whether two runs are the same crawl. A crawl is its
// name, its tokens and its seeds: seeds may be added, but not removed.

import { join } from 'node:path';
import { MannerlyError } from '../errors.js';
import { MAX_DATE_MS, MAX_MANIFEST_BYTES } from '../limits.js';
import { MANNERLY_VERSION } from '../own-package.js';
import { isObject } from '../parse-json.js';
import { readJsonObject } from './atomic-file.js';

const CRAWL_DIRECTORY_FORMAT = 3;

export const MANIFEST_NAME = 'crawl.json';

export interface CrawlIdentity {
  readonly name: string;
  /** Product tokens for reading robots.txt. */
  readonly tokens: readonly string[];
  readonly seeds: readonly string[];
}

export interface CrawlManifest extends CrawlIdentity {
  readonly format: number;
  readonly createdAtMs: number;
  readonly versions: { readonly mannerly: string; readonly node: string };
}

export function newManifest({ name, tokens, seeds }: CrawlIdentity, nowMs: number): CrawlManifest {
  return {
    format: CRAWL_DIRECTORY_FORMAT,
    name,
    tokens: [...tokens],
    seeds: [...seeds],
    createdAtMs: nowMs,
    versions: { mannerly: MANNERLY_VERSION, node: process.version },
  };
}

export function manifestText(manifest: CrawlManifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** The manifest of a directory; `null` if there is none. @throws MannerlyError `directory-format` */
export async function readManifest(path: string): Promise<CrawlManifest | null> {
  const file = join(path, MANIFEST_NAME);
  const manifest = await readAnyManifest(file);
  if (manifest === 'unreadable') {
    throw new MannerlyError('directory-format', `${file} is damaged, or is not the manifest of a crawl`, {
      hint: 'Restore it from a copy, or name another directory.',
    });
  }
  if (manifest === null || manifest.format === CRAWL_DIRECTORY_FORMAT) return manifest;
  const reads = `This version (${MANNERLY_VERSION}) reads format ${CRAWL_DIRECTORY_FORMAT}.`;
  throw new MannerlyError(
    'directory-format',
    `${path} was created by another version: it has format ${manifest.format}`,
    {
      hint: `${reads} Use the version that made the directory, or name another one.`,
    },
  );
}

/** The manifest of any format; `null` if there is no file. @throws The platform's error if it cannot be read. */
export async function readAnyManifest(file: string): Promise<CrawlManifest | 'unreadable' | null> {
  const value = await readJsonObject(file, MAX_MANIFEST_BYTES);
  return value === null || isManifest(value) ? value : 'unreadable';
}

/** The same object if no seed is new. @throws MannerlyError `directory-taken` for the directory of another crawl. */
export function continueManifest(path: string, manifest: CrawlManifest, crawl: CrawlIdentity): CrawlManifest {
  for (const field of ['name', 'tokens'] as const) {
    const [before, now] = [JSON.stringify(manifest[field]), JSON.stringify(crawl[field])];
    if (before !== now) {
      const hint = 'Name another directory, or run the same crawl as before.';
      throw otherCrawlError(path, `its ${field} ${before}, not ${now}`, hint);
    }
  }
  const seedSet = new Set(crawl.seeds);
  const missing = manifest.seeds.find((seed) => !seedSet.has(seed));
  if (missing !== undefined) {
    throw otherCrawlError(
      path,
      `its seed ${missing} is missing now`,
      'Name all of its seeds (more may be added) or another directory; to start over in this one, ask for a reset (--reset).',
    );
  }
  return manifest.seeds.length === seedSet.size ? manifest : { ...manifest, seeds: [...seedSet] };
}

function otherCrawlError(path: string, difference: string, hint: string): MannerlyError {
  return new MannerlyError('directory-taken', `${path} belongs to another crawl: ${difference}`, { hint });
}

function isManifest(value: unknown): value is CrawlManifest {
  if (!isObject(value)) return false;
  const isList = (list: unknown): boolean => Array.isArray(list) && list.every((entry) => typeof entry === 'string');
  const { format, name, tokens, seeds, createdAtMs } = value;
  const areTokens = isList(tokens) && (tokens as readonly string[]).every((token) => /^[\w-]+$/.test(token));
  const isTime = typeof createdAtMs === 'number' && Math.abs(createdAtMs) <= MAX_DATE_MS;
  const hasValidStart = isTime || format !== CRAWL_DIRECTORY_FORMAT;
  return typeof format === 'number' && typeof name === 'string' && areTokens && isList(seeds) && hasValidStart;
}
