// The logs of one run together: three files and the robots.txt bodies in a crawl directory, or, without one, the last
// decisions in memory, so that `explain` has something to read either way. With a directory memory has those alone that got no line.

import { createHash } from 'node:crypto';
import type { HostWarning } from '@mannerly/frontier';
import type { CrawlDirectory } from '../directory/crawl-directory.js';
import { partsOf } from '../directory/directory-parts.js';
import type { RejectedItem } from '../handle/rejected-item.js';
import type { DatasetFound } from '../page/datasets.js';
import type { RequestRecord, UrlDecision } from './decision.js';
import { findDecision, openDecisionLog, readDecisions } from './decision-log.js';
import { inOrder } from './in-order.js';
import { openLineLog } from './line-log.js';
import type { DecisionLogOptions } from './log-share.js';
import { createRecentDecisions } from './recent-decisions.js';
import { openRejectedLog } from './rejected-log.js';
import { openRequestLog } from './request-log.js';
import type { RunPromise } from './run-line.js';
import { openWarningLog } from './warning-log.js';

/** Takes the facts of a run, and finds a URL's final word again. */
export interface CrawlLogs {
  request(record: RequestRecord): void;
  decision(decision: UrlDecision): void;
  notice(notice: HostWarning): void;
  dataset(found: DatasetFound): void;
  /** Keeps items that their schema did not take, as far as there is room. */
  rejected(items: readonly RejectedItem[]): void;
  /** Keeps the body of a robots.txt that was read; resolves when a killed process cannot undo it. @throws MannerlyError `log-failed` */
  robots(authority: string, body: Uint8Array): Promise<void>;
  /** The last word about a URL; `null`: none that is remembered. */
  find(url: string): Promise<UrlDecision | null>;
  /** The decisions of the crawl in the order of telling; without a directory the latest in memory. */
  decisions(): AsyncIterable<UrlDecision>;
  /** Everything is on its medium. @throws MannerlyError `log-failed` */
  close(): Promise<void>;
}

/**
 * Opens the logs of a run.
 *
 * @param directory - `null`: nothing is written.
 * @param promise - What the run promises; it opens the run in the request log.
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
  const requests = openRequestLog(directory.requestsPath);
  requests.run(promise);
  const decisions = openDecisionLog(directory.decisionsPath, decisionLog);
  const notices = openWarningLog(directory.warningsPath);
  const datasets = openLineLog<DatasetFound>(directory.datasetsPath);
  const rejected = openRejectedLog(directory.rejectedPath);
  /** Of all processes that have worked in the directory. */
  const decisionsPaths = async () => (await partsOf(directory.path)).map(({ decisionsPath }) => decisionsPath);
  // Bodies are kept one after another; the first failure is told at the end once more.
  let kept: Promise<void> = Promise.resolve();
  return {
    request: requests.request,
    decision(decision) {
      if (!decisions.decision(decision)) recent.decision(decision);
    },
    notice: notices.notice,
    dataset: datasets.append,
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
      const logs = (await decisionsPaths()).map(readDecisions);
      yield* inOrder(logs, ({ atMs }) => atMs);
    },
    async close() {
      for (const log of [requests, decisions, notices, datasets, rejected]) log.close();
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
    decision: recent.decision,
    notice: nothing,
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
