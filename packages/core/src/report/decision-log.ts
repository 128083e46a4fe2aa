// The decision log of a crawl directory, `decisions.jsonl`: one line per URL, its final word and reason.

import { parseLine, readLines, readValues } from '../directory/read-lines.js';
import type { UrlDecision } from './decision.js';
import { openLineLog } from './line-log.js';
import { createLogShare, type DecisionLogOptions, isLeftOutLine, type LeftOutLine } from './log-share.js';

/** The decision log while a crawl runs. */
export interface DecisionLog {
  /** @returns Whether it got a line. */
  decision(decision: UrlDecision): boolean;
  flush(): void;
  close(): void;
}

/**
 * Opens the log for writing, continued if it is there. The caller closes it.
 *
 * @param options - Which decisions get a line. @default all
 * @throws MannerlyError `log-failed`, here and from every method.
 */
export function openDecisionLog(path: string, options: DecisionLogOptions = {}): DecisionLog {
  const log = openLineLog<UrlDecision | LeftOutLine>(path);
  const share = createLogShare(options);
  let isOpen = true;
  return {
    decision(decision) {
      const isTaken = share.takes(decision);
      if (isTaken) log.append(decision);
      return isTaken;
    },
    flush: log.flush,
    close() {
      const leftOut = isOpen ? share.leftOut() : null;
      isOpen = false;
      if (leftOut !== null) log.append({ atMs: Date.now(), leftOut });
      log.close();
    },
  };
}

/** The same with what runs have left out, counted. @throws As `readDecisions`. */
export function readDecisionLines(path: string): AsyncGenerator<UrlDecision | LeftOutLine> {
  return readValues(path, (value) => isDecision(value) || isLeftOutLine(value));
}

/** The decisions of a log in the order of writing. @throws The platform's error when the file cannot be read; absent is empty. */
export function readDecisions(path: string): AsyncGenerator<UrlDecision> {
  return readValues(path, isDecision);
}

/**
 * The last word of the log about one URL.
 *
 * Reads the whole log; lines that cannot be about the URL are not parsed.
 *
 * @param path - One log, or those of all processes of a crawl.
 * @param url - As requested: the URL parser's serialisation without fragment.
 * @returns `null` when the log does not mention it.
 * @throws The platform's error when the file cannot be read; absent is empty.
 */
export async function findDecision(path: string | readonly string[], url: string): Promise<UrlDecision | null> {
  const needle = JSON.stringify(url);
  let found: UrlDecision | null = null;
  for (const each of typeof path === 'string' ? [path] : path) {
    for await (const line of readLines(each)) {
      if (!line.includes(needle)) continue;
      const value = parseLine(line);
      // Of words of one log the last counts, of words of several the latest.
      if (isDecision(value) && value.url === url && value.atMs >= (found?.atMs ?? 0)) found = value;
    }
  }
  return found;
}

function isDecision(value: unknown): value is UrlDecision {
  if (typeof value !== 'object' || value === null) return false;
  return 'url' in value && typeof value.url === 'string' && 'status' in value && 'reason' in value && 'layer' in value;
}
