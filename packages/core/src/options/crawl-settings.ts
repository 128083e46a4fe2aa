// What a frontier is told of pace, robots.txt and bounds, kept next to the crawl (`settings.json`), so that a question
// about a stopped crawl is answered by what its last run kept to, not by the defaults.

import { readFile } from 'node:fs/promises';
import type { FrontierOptions } from '@mannerly/frontier';
import { sizeOf, writeWhole } from '../directory/whole-file.js';
import { MannerlyError } from '../errors.js';
import { MAX_MANIFEST_BYTES } from '../limits.js';
import type { ResolvedOptions } from './options.js';

/** The part of a crawl's options that its frontier reads; plain JSON. */
export type CrawlSettings = Pick<FrontierOptions, 'robots' | 'politeness' | 'hostKeyBy' | 'maxQueued' | 'bounds'>;

/** What a crawl tells its frontier. Never throws. */
export function crawlSettings(options: ResolvedOptions): CrawlSettings {
  const { identity, robots, bounds, spacing } = options;
  const { pages, minutes, bytes, pagesPerHost, bytesPerHost, minutesPerHost, queuedUrls } = bounds;
  return {
    robots: { ...robots, tokens: identity.tokens },
    politeness: spacing.politeness,
    hostKeyBy: spacing.hostKeyBy,
    ...(queuedUrls === null ? {} : { maxQueued: queuedUrls }),
    bounds: {
      ...(pages === null ? {} : { pages }),
      ...(minutes === null ? {} : { minutes }),
      ...(bytes === null ? {} : { bytes }),
      ...(pagesPerHost === null ? {} : { pagesPerHost }),
      ...(bytesPerHost === null ? {} : { bytesPerHost }),
      ...(minutesPerHost === null ? {} : { minutesPerHost }),
    },
  };
}

/** Writes the settings of a run that begins. @throws MannerlyError `log-failed`. */
export async function keepSettings(file: string, settings: CrawlSettings): Promise<void> {
  try {
    await writeWhole(file, `${JSON.stringify(settings, null, 2)}\n`);
  } catch (cause) {
    throw new MannerlyError('log-failed', `${file} could not be written: ${String(cause)}`, { cause });
  }
}

/**
 * The settings of the last run. Where none were kept: the defaults, for these tokens.
 *
 * @throws MannerlyError `directory-format` for a file that is no JSON object; its values are checked where they are
 *   used.
 */
export async function readSettings(file: string, tokens: readonly string[]): Promise<CrawlSettings> {
  const size = await sizeOf(file);
  if (size === null) return { robots: { tokens } };
  const text = size <= MAX_MANIFEST_BYTES ? await readFile(file, 'utf8') : '';
  const value = parseObject(text);
  if (value === null) {
    throw new MannerlyError('directory-format', `${file} is not what this version writes`, {
      hint: 'Remove it: the next run writes it anew, and until then the defaults are assumed.',
    });
  }
  return { ...value, robots: { ...value.robots, tokens } };
}

function parseObject(text: string): Partial<CrawlSettings> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
