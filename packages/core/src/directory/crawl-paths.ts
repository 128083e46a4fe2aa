// The paths of a crawl directory. Several processes may share it: the files that each of them writes by itself carry
// its number.

import { join } from 'node:path';
import { namesIn } from './whole-file.js';

/** The paths of a crawl directory. */
export interface CrawlPaths {
  readonly path: string;
  readonly itemsPath: string;
  readonly requestsPath: string;
  readonly decisionsPath: string;
  /** Items that their schema rejected; absent where there were none. */
  readonly rejectedPath: string;
  readonly warningsPath: string;
  readonly datasetsPath: string;
  /** The options of the last run: pace, robots.txt and bounds. */
  readonly settingsPath: string;
  /** The manifest of the last run. */
  readonly runPath: string;
  readonly robotsPath: string;
  /** What handlers save. */
  readonly filesPath: string;
  /** The WARC files of the crawl and their indexes. */
  readonly archivePath: string;
  /** The archive as one file. */
  readonly waczPath: string;
  /** Where the durable frontier is. */
  readonly frontierPath: string;
}

/**
 * The paths of a crawl directory, whether it exists or not.
 *
 * @param part - The number of a process among several; `null`: a run that has the directory for itself.
 * @throws Never
 */
export function crawlPaths(path: string, part: number | null = null): CrawlPaths {
  const own = (stem: string, ending: string): string =>
    join(path, `${stem}${part === null ? '' : `-${part}`}${ending}`);
  return {
    path,
    itemsPath: own('items', '.jsonl'),
    requestsPath: own('requests', '.jsonl'),
    decisionsPath: own('decisions', '.jsonl'),
    rejectedPath: own('rejected', '.jsonl'),
    warningsPath: own('warnings', '.jsonl'),
    datasetsPath: own('datasets', '.jsonl'),
    settingsPath: join(path, 'settings.json'),
    runPath: own('run', '.json'),
    robotsPath: join(path, 'robots'),
    filesPath: join(path, 'files'),
    archivePath: own('archive', ''),
    waczPath: own('archive', '.wacz'),
    frontierPath: join(path, 'frontier'),
  };
}

/**
 * The paths of all processes that have worked in a directory: first those of a run alone, whether there was one or not.
 *
 * @throws The platform's error when the directory cannot be read; an absent one has the first alone.
 */
export async function partsOf(path: string): Promise<CrawlPaths[]> {
  const pattern = /^(?:items|rejected|requests|decisions|warnings|datasets)-([1-9]\d{0,5})\.jsonl$/;
  const numbers = (await namesIn(path)).flatMap((name) => pattern.exec(name)?.slice(1).map(Number) ?? []);
  const parts = [...new Set(numbers)].sort((a, b) => a - b);
  return [crawlPaths(path), ...parts.map((part) => crawlPaths(path, part))];
}
