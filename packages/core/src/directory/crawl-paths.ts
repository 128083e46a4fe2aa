// The paths of a crawl directory. Several processes may share it: the files that each of them writes by itself carry
// its number.

import { join } from 'node:path';
import { namesIn } from './whole-file.js';

/** Whether the directory exists or not. @param part - The number of a process among several; `null`: it is alone. */
export function crawlPaths(path: string, part: number | null = null) {
  const own = (stem: string, ending: string): string =>
    join(path, `${stem}${part === null ? '' : `-${part}`}${ending}`);
  return {
    path,
    /** The number of the process; `null`: a run that has the directory for itself. */
    part,
    itemsPath: own('items', '.jsonl'),
    /** What each run declares, a line each. */
    runsPath: own('runs', '.jsonl'),
    requestsPath: own('requests', '.jsonl'),
    decisionsPath: own('decisions', '.jsonl'),
    /** Items that their schema rejected; absent where there were none. */
    rejectedPath: own('rejected', '.jsonl'),
    /** Errors of handlers, hooks and sinks; absent where there were none. */
    errorsPath: own('errors', '.jsonl'),
    warningsPath: own('warnings', '.jsonl'),
    /** The pages that are being read; absent after a run that ended by itself. */
    readingPath: own('reading', '.jsonl'),
    /** Decisions that another link may still lift; absent after a run that ended by itself. */
    pendingPath: own('pending', '.jsonl'),
    datasetsPath: own('datasets', '.jsonl'),
    /** URLs that `mannerly add` hands to the crawl, a line each; absent where there were none. */
    addedPath: join(path, 'added.jsonl'),
    /** What `mannerly pause`, `resume` and `stop` say, the last of it; absent where nothing was said. */
    orderPath: join(path, 'order.json'),
    /** The options of the last run: pace, robots.txt and bounds. */
    settingsPath: join(path, 'settings.json'),
    runPath: own('run', '.json'),
    robotsPath: join(path, 'robots'),
    filesPath: join(path, 'files'),
    archivePath: own('archive', ''),
    waczPath: own('archive', '.wacz'),
    /** What a polite fetch keeps of responses, where it keeps any. */
    cachePath: join(path, 'cache.sqlite'),
    frontierPath: join(path, 'frontier'),
  };
}

export interface CrawlPaths extends Readonly<ReturnType<typeof crawlPaths>> {}

/**
 * Of all processes that have worked in a directory, first those of a run alone, whether there was one or not.
 * @throws The platform's error when the directory cannot be read.
 */
export async function partsOf(path: string): Promise<CrawlPaths[]> {
  const pattern =
    /^(?:items|rejected|errors|runs|requests|decisions|warnings|datasets|reading|pending)-([1-9]\d{0,5})\.jsonl$/;
  const numbers = (await namesIn(path)).flatMap((name) => pattern.exec(name)?.slice(1).map(Number) ?? []);
  const parts = [...new Set(numbers)].sort((a, b) => a - b);
  return [crawlPaths(path), ...parts.map((part) => crawlPaths(path, part))];
}
