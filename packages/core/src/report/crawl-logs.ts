// The logs of one run: files and robots.txt bodies in a crawl directory, or, without one, the last decisions in memory,
// so that `explain` has something to read. With a directory, memory holds only the decisions that got no line.

import { createHash } from 'node:crypto';
import type { HostWarning } from '@mannerly/frontier';
import type { CrawlDirectory } from '../directory/crawl-directory.js';
import { partsOf } from '../directory/directory-parts.js';
import type { RejectedItem } from '../handle/staged.js';
import type { DatasetFound } from '../page/datasets.js';
import type { RequestRecord, UrlDecision } from './decision.js';
import { DecisionLog, type DecisionLogOptions } from './decision-log.js';
import { MAX_RECENT_DECISIONS, MAX_REJECTED_BYTES } from './limits.js';
import { LineLog } from './line-log.js';
import { findDecision, inOrder, readDecisions } from './read-logs.js';
import type { RunLine, RunPromise } from './run-line.js';

/** Takes the entries of a run, and finds a URL's decision again. Methods throw MannerlyError `log-failed`. */
export interface CrawlLogs {
  request(record: RequestRecord): void;
  decision(decision: UrlDecision): void;
  warning(warning: HostWarning): void;
  dataset(found: DatasetFound): void;
  /** Keeps items that their schema refused, up to `MAX_REJECTED_BYTES`. */
  rejected(items: readonly RejectedItem[]): void;
  /** Keeps the body of a robots.txt that was read; resolves when a killed process cannot undo it. */
  robots(authority: string, body: Uint8Array): Promise<void>;
  /** The latest decision about a URL; `null`: none is known. */
  find(url: string): Promise<UrlDecision | null>;
  /** The decisions of the crawl in the order of writing; without a directory the latest in memory. */
  decisions(): AsyncIterable<UrlDecision>;
  /** Resolves when everything is in its files. */
  close(): Promise<void>;
}

/**
 * Opens the logs of a run.
 *
 * @param directory - `null`: nothing is written.
 * @param promise - The first line of the run in the request log.
 * @param decisionLog - Which decisions get a line. @default all
 * @throws MannerlyError `log-failed`.
 */
export function openCrawlLogs(
  directory: CrawlDirectory | null,
  promise: RunPromise,
  decisionLog: DecisionLogOptions = {},
): CrawlLogs {
  const recent = createRecentDecisions();
  if (directory === null) return inMemory(recent);
  const requests = new LineLog<RequestRecord | RunLine>(directory.requestsPath);
  requests.append({ run: promise });
  const decisions = new DecisionLog(directory.decisionsPath, decisionLog);
  const warnings = new LineLog<HostWarning>(directory.warningsPath);
  const datasets = new LineLog<DatasetFound>(directory.datasetsPath);
  const rejected = openRejectedLog(directory.rejectedPath);
  /** Those of all processes that have worked in the directory. */
  const decisionsPaths = async () => (await partsOf(directory.path)).map(({ decisionsPath }) => decisionsPath);
  // Bodies are kept one after another; `close` throws the first failure once more.
  let kept: Promise<void> = Promise.resolve();
  return {
    request: (record) => requests.append(record),
    decision(decision) {
      if (!decisions.append(decision)) recent.add(decision);
    },
    warning: (warning) => warnings.append(warning),
    dataset: (found) => datasets.append(found),
    rejected: rejected.append,
    robots(authority, body) {
      const hash = createHash('sha256').update(body).digest('hex').slice(0, ROBOTS_HASH_CHARS);
      kept = kept.then(() => directory.keepRobots(authority, hash, body));
      kept.catch(() => undefined);
      return kept;
    },
    async find(url) {
      decisions.flush();
      const logged = await findDecision(await decisionsPaths(), url);
      const leftOut = recent.find(url);
      return logged === null || (leftOut !== null && leftOut.atMs > logged.atMs) ? leftOut : logged;
    },
    async *decisions() {
      decisions.flush();
      yield* inOrder((await decisionsPaths()).map(readDecisions), ({ atMs }) => atMs);
    },
    async close() {
      for (const log of [requests, decisions, warnings, datasets, rejected]) log.close();
      await kept;
    },
  };
}

/** As `RobotsCopyRef.hash`. */
const ROBOTS_HASH_CHARS = 16;

function inMemory(recent: ReturnType<typeof createRecentDecisions>): CrawlLogs {
  const nothing = (): void => undefined;
  return {
    request: nothing,
    decision: recent.add,
    warning: nothing,
    dataset: nothing,
    rejected: nothing,
    robots: async () => undefined,
    find: async (url) => recent.find(url),
    decisions: async function* () {
      yield* recent.all();
    },
    close: async () => undefined,
  };
}

/** The latest decision of each URL; past `limit` URLs the oldest goes. */
export function createRecentDecisions(limit = MAX_RECENT_DECISIONS) {
  const recent = new Map<string, UrlDecision>();
  return {
    add(decision: UrlDecision): void {
      recent.delete(decision.url);
      recent.set(decision.url, decision);
      const [oldest] = recent.keys();
      if (recent.size > limit && oldest !== undefined) recent.delete(oldest);
    },
    find: (url: string): UrlDecision | null => recent.get(url) ?? null,
    all: (): readonly UrlDecision[] => [...recent.values()],
  };
}

/**
 * The log of rejected items, `rejected.jsonl`. Most crawls have none, so the file is made with the first item. It is
 * bounded, because a schema that fits no page rejects everything.
 *
 * @param maxBytes - Size of the file, with what earlier runs wrote.
 */
export function openRejectedLog(path: string, maxBytes = MAX_REJECTED_BYTES) {
  let log: LineLog<RejectedItem> | null = null;
  let bytesLeft = 0;
  return {
    append(items: readonly RejectedItem[]): void {
      if (log === null) {
        log = new LineLog(path);
        bytesLeft = maxBytes - log.bytesBefore;
      }
      for (const item of items) {
        const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
        if (bytes > bytesLeft) return;
        bytesLeft -= bytes;
        log.append(item);
      }
    },
    close: (): void => log?.close(),
  };
}
