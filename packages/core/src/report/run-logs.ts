// The logs of one run: files and robots.txt bodies in a crawl directory; or, if there is none, the last decisions in
// memory for `explain`. With a directory, memory holds only the decisions that got no line.

import { createHash } from 'node:crypto';
import type { HostWarning } from '@mannerly/frontier';
import { sizeOf } from '../directory/atomic-file.js';
import type { CrawlDirectory } from '../directory/crawl-directory.js';
import { partsOf } from '../directory/crawl-paths.js';
import type { StageCounts } from '../handle/item-stages.js';
import type { RejectedItem } from '../handle/staged.js';
import { keepLatest } from '../keep-latest.js';
import type { DatasetFound } from '../page/datasets.js';
import type { CodeError } from './code-error.js';
import type {
  ClockLine,
  LeftOutLine,
  OutcomeTable,
  RequestRecord,
  RunDeclaration,
  StagesLine,
  UrlDecision,
} from './decision.js';
import {
  LATEST_DECISIONS_BYTES,
  MAX_DECISION_LINES,
  MAX_ERROR_LOG_BYTES,
  MAX_RECENT_DECISIONS,
  MAX_RECENT_ERRORS,
  MAX_REJECTED_BYTES,
} from './limits.js';
import { LineLog } from './line-log.js';
import { OutcomeCounts } from './outcome-counts.js';
import { findDecision, findError, mergeByTime, readDecisions } from './read-logs.js';

/** Which URLs have a line in the decision log, as the option `decisionLog`. */
export interface DecisionSample {
  readonly sample?: number;
  readonly maxLines?: number;
}

/** Writes the entries of a run, and finds the decision about a URL again. Methods throw MannerlyError `log-failed`. */
export class RunLogs {
  readonly #recent = new Map<string, UrlDecision>();
  readonly #directory: CrawlDirectory | null;
  readonly #requests: LineLog<RequestRecord> | null = null;
  readonly #decisions: DecisionLog | null = null;
  readonly #warnings: LineLog<HostWarning> | null = null;
  readonly #datasets: LineLog<DatasetFound> | null = null;
  /** Most crawls reject nothing, so the file is made with the first item. */
  #rejected: LineLog<RejectedItem> | null = null;
  #errors: LineLog<CodeError> | null = null;
  readonly #recentErrors = new Map<string, CodeError>();
  /** Bodies are written one after another; `close` throws the first failure again. */
  #robotsWrites: Promise<void> = Promise.resolve();

  /**
   * @param directory - `null`: nothing is written. @param declaration - The line of the run in the log of runs.
   * @param sample - Which decisions get a line. @default all
   */
  constructor(directory: CrawlDirectory | null, declaration: RunDeclaration, sample: DecisionSample = {}) {
    this.#directory = directory;
    if (directory === null) return;
    this.#run(declaration);
    this.#requests = new LineLog(directory.requestsPath);
    this.#decisions = new DecisionLog(directory.decisionsPath, sample);
    this.#warnings = new LineLog(directory.warningsPath);
    this.#datasets = new LineLog(directory.datasetsPath);
  }

  stages(stages: readonly StageCounts[]): void {
    if (stages.length > 0) this.#run({ stages });
  }

  clock(clock: ClockLine['clock']): void {
    this.#run({ clock });
  }

  #run(line: RunDeclaration | ClockLine | StagesLine): void {
    if (this.#directory === null) return;
    const runs = new LineLog<typeof line>(this.#directory.runsPath);
    runs.append(line);
    runs.close();
  }

  request(record: RequestRecord): void {
    this.#requests?.append(record);
  }

  decision(decision: UrlDecision): void {
    if (this.#decisions?.append(decision) !== true)
      keepLatest(this.#recent, decision.url, decision, MAX_RECENT_DECISIONS);
  }

  leftOut(counts: OutcomeTable): void {
    this.#decisions?.leftOut(counts);
  }

  warning(warning: HostWarning): void {
    this.#warnings?.append(warning);
  }

  dataset(found: DatasetFound): void {
    this.#datasets?.append(found);
  }

  /** Keeps an error of user code, at most `MAX_ERROR_LOG_BYTES`; without a directory, the latest of each URL. */
  error(error: CodeError): void {
    if (this.#directory !== null) {
      this.#errors ??= new LineLog(this.#directory.errorsPath, MAX_ERROR_LOG_BYTES);
      this.#errors.append(error);
    } else if (error.url !== null) keepLatest(this.#recentErrors, error.url, error, MAX_RECENT_ERRORS);
  }

  /** Keeps items that their schema rejected, at most `MAX_REJECTED_BYTES`: a schema may reject every page. */
  rejected(items: readonly RejectedItem[]): void {
    if (this.#directory === null) return;
    for (const item of items) {
      this.#rejected ??= new LineLog(this.#directory.rejectedPath, MAX_REJECTED_BYTES);
      this.#rejected.append(item);
    }
  }

  /** Keeps the body of a robots.txt that was read; resolves once it survives a killed process. */
  async robots(authority: string, body: Uint8Array): Promise<void> {
    const directory = this.#directory;
    if (directory === null) return;
    const hash = createHash('sha256').update(body).digest('hex');
    const written = this.#robotsWrites.then(() => directory.saveRobots(authority, hash, body));
    this.#robotsWrites = written;
    written.catch(() => undefined);
    await written;
  }

  async find(url: string): Promise<UrlDecision | null> {
    const logged = await findDecision(await this.#decisionsPaths(), url);
    const recent = this.#recent.get(url) ?? null;
    return logged === null || (recent !== null && recent.atMs > logged.atMs) ? recent : logged;
  }

  /** The latest error of the user's code about a URL; `null` if none is kept. */
  async findError(url: string): Promise<CodeError | null> {
    if (this.#directory === null) return this.#recentErrors.get(url) ?? null;
    this.#errors?.flush();
    const paths = (await partsOf(this.#directory.path)).map(({ errorsPath }) => errorsPath);
    return findError(paths, url);
  }

  /** The decisions of the crawl in the order of writing; without a directory, the latest in memory. */
  async *decisions(): AsyncGenerator<UrlDecision> {
    if (this.#directory === null) yield* this.#recent.values();
    else yield* mergeByTime((await this.#decisionsPaths()).map(readDecisions), ({ atMs }) => atMs);
  }

  /** Decisions at the end of the logs of all processes, one process after the other. */
  async *latest(): AsyncGenerator<UrlDecision> {
    const paths = await this.#decisionsPaths();
    for (const path of paths) {
      const start = ((await sizeOf(path)) ?? 0) - LATEST_DECISIONS_BYTES / paths.length;
      yield* readDecisions(path, Math.max(0, Math.ceil(start)));
    }
  }

  async close(): Promise<void> {
    const logs = [this.#requests, this.#decisions, this.#warnings, this.#datasets, this.#rejected, this.#errors];
    for (const log of logs) log?.close();
    await this.#robotsWrites;
  }

  /** The decision logs of all processes that worked in the directory. */
  async #decisionsPaths(): Promise<string[]> {
    if (this.#directory === null) return [];
    this.#decisions?.flush();
    return (await partsOf(this.#directory.path)).map(({ decisionsPath }) => decisionsPath);
  }
}

/**
 * The decision log, `decisions.jsonl`. A large crawl may log a sample; decisions without a line are counted, so that
 * totals stay complete. A URL is chosen by its hash, so every run chooses the same ones.
 */
export class DecisionLog {
  readonly #log: LineLog<UrlDecision | LeftOutLine>;
  readonly #sample: number;
  readonly #leftOut = new OutcomeCounts();
  #remainingLines: number;

  /** @throws MannerlyError `log-failed`, as every method. */
  constructor(path: string, { sample = 1, maxLines = MAX_DECISION_LINES }: DecisionSample = {}) {
    this.#log = new LineLog(path);
    this.#sample = sample;
    this.#remainingLines = maxLines;
  }

  /** @returns Whether the decision got a line; otherwise it is counted. */
  append(decision: UrlDecision): boolean {
    const { url, status } = decision;
    const isAlwaysLogged = this.#sample >= 1 || status === 'excluded' || status === 'failed';
    if (this.#remainingLines <= 0 || !(isAlwaysLogged || fractionOf(url) < this.#sample)) {
      this.#leftOut.decision(decision);
      return false;
    }
    this.#remainingLines -= 1;
    this.#log.append(decision);
    return true;
  }

  leftOut(counts: OutcomeTable): void {
    this.#leftOut.leftOut(counts);
  }

  flush(): void {
    this.#log.flush();
  }

  close(): void {
    const leftOut = this.#leftOut.outcomes();
    if (Object.keys(leftOut).length > 0) this.#log.append({ atMs: Date.now(), leftOut });
    this.#log.close();
  }
}

/** A number in [0, 1) that depends on the URL alone. */
function fractionOf(url: string): number {
  return createHash('sha256').update(url).digest().readUInt32BE(0) / 2 ** 32;
}
