// The paths of a crawl directory. Several processes may share it: the files that each of them writes separately carry
// its number.

import { join } from 'node:path';
import { listNames } from './atomic-file.js';

/** The directory need not exist. @param part - The number of a process among several; `null` if it works alone. */
export function crawlPaths(path: string, part: number | null = null) {
  const pathOf = (stem: string, extension: string): string =>
    join(path, `${stem}${part === null ? '' : `-${part}`}${extension}`);
  return {
    path,
    /** The number of the process; `null` for a run that works alone. */
    part,
    itemsPath: pathOf('items', '.jsonl'),
    /** What each run declares, one line each. */
    runsPath: pathOf('runs', '.jsonl'),
    requestsPath: pathOf('requests', '.jsonl'),
    decisionsPath: pathOf('decisions', '.jsonl'),
    /** Items that their schema rejected; absent if there were none. */
    rejectedPath: pathOf('rejected', '.jsonl'),
    /** Errors of handlers, hooks and sinks; absent if there were none. */
    errorsPath: pathOf('errors', '.jsonl'),
    warningsPath: pathOf('warnings', '.jsonl'),
    /** The pages that are being read; absent after a run that ended normally. */
    readingPath: pathOf('reading', '.jsonl'),
    /** Decisions that another link may still reverse; absent after a run that ended normally. */
    pendingPath: pathOf('pending', '.jsonl'),
    datasetsPath: pathOf('datasets', '.jsonl'),
    /** URLs from `mannerly add`, one line each; absent if there were none. */
    addedPath: join(path, 'added.jsonl'),
    /** The last order of `mannerly pause`, `resume` and `stop`; absent if there was none. */
    orderPath: join(path, 'order.json'),
    /** The options of the last run: pace, robots.txt and bounds. */
    settingsPath: join(path, 'settings.json'),
    runPath: pathOf('run', '.json'),
    robotsPath: join(path, 'robots'),
    filesPath: join(path, 'files'),
    archivePath: pathOf('archive', ''),
    waczPath: pathOf('archive', '.wacz'),
    /** Responses that a polite fetch keeps, if it keeps any. */
    cachePath: join(path, 'cache.sqlite'),
    frontierPath: join(path, 'frontier'),
    reportJsonPath: join(path, 'report.json'),
    reportHtmlPath: join(path, 'report.html'),
  };
}

export interface CrawlPaths extends Readonly<ReturnType<typeof crawlPaths>> {}

/**
 * The paths of all processes that worked in a directory; first those of a run alone, even if there was none.
 * @throws The platform's error if the directory cannot be read.
 */
export async function partsOf(path: string): Promise<CrawlPaths[]> {
  const pattern =
    /^(?:items|rejected|errors|runs|requests|decisions|warnings|datasets|reading|pending)-([1-9]\d{0,5})\.jsonl$/;
  const numbers = (await listNames(path)).flatMap((name) => pattern.exec(name)?.slice(1).map(Number) ?? []);
  const parts = [...new Set(numbers)].sort((a, b) => a - b);
  return [crawlPaths(path), ...parts.map((part) => crawlPaths(path, part))];
}
