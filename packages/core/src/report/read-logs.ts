// Reads the logs of a crawl directory as streams. Incomplete or foreign lines are skipped, an absent file is empty, and
// the logs of several processes are read as one in the order of time. Every reader throws
// `option-invalid` for a directory, and the platform's error if a file exists and cannot be read.

import { type CanonicalRule, canonicalize, type HostWarning } from '@mannerly/frontier';
import type { CrawlPaths } from '../directory/crawl-paths.js';
import { readLines, readValues } from '../directory/read-lines.js';
import { isStageCounts } from '../handle/item-stages.js';
import type { RejectedItem } from '../handle/staged.js';
import { MAX_DATE_MS } from '../limits.js';
import { isObject, parseJson } from '../parse-json.js';
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
import { MAX_OPEN_DECISIONS } from './limits.js';
import { createRepeatedExclusionCheck, splitOutcomes } from './outcome-counts.js';
import { isRetryable } from './reasons.js';

export type PartLogPaths = Pick<CrawlPaths, 'requestsPath' | 'decisionsPath' | 'warningsPath'> &
  Partial<Pick<CrawlPaths, 'runsPath'>>;

export interface LogPaths extends PartLogPaths {
  /** The logs of all processes of the crawl, which are read together. @default these alone */
  readonly parts?: readonly PartLogPaths[];
}

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isNumber: Test = (value) => typeof value === 'number';
/** A time that a date can hold, epoch milliseconds. */
const isTime: Test = (value) => typeof value === 'number' && Math.abs(value) <= MAX_DATE_MS;
const isPresent: Test = (value) => value !== undefined;
/** A product token, as options take it. */
const isToken: Test = (value) => typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value);
const optional =
  (test: Test): Test =>
  (value) =>
    value == null || test(value);
const orNull =
  (test: Test): Test =>
  (value) =>
    value === null || test(value);
const listOf =
  (test: Test, minLength = 0): Test =>
  (value) =>
    Array.isArray(value) && value.length >= minLength && value.every((each) => test(each));

/** Makes the test of an object from rows: a test, and the names of the members that have to pass it. */
function objectWith<T>(...rows: readonly (readonly [test: Test, ...names: string[]])[]) {
  const members = rows.flatMap(([test, ...names]) => names.map((name) => [name, test] as const));
  return (value: unknown): value is T => isObject(value) && members.every(([name, test]) => test(value[name]));
}

export const isRequest = objectWith<RequestRecord>(
  [isText, 'host'],
  [isTime, 'startedAtMs', 'endedAtMs'],
  [optional(Number.isFinite), 'gapMs', 'crawlDelayMs', 'requestIntervalMs'],
);
const isCopy = objectWith([isText, 'authority', 'phase'], [orNull(isText), 'hash'], [orNull(isTime), 'receivedAtMs']);
const isOutcome = objectWith([isText, 'status', 'reason']);
export const isDecision = objectWith<UrlDecision>(
  [isText, 'status', 'reason', 'url', 'layer'],
  [isTime, 'atMs'],
  [optional(isText), 'detail', 'pattern', 'from'],
  [optional(isNumber), 'line'],
  [optional(isCopy), 'robots'],
  [(value) => value === undefined || isOutcome(value), 'replaces'],
);
const isLeftOut = objectWith<LeftOutLine>([isObject, 'leftOut'], [isNumber, 'atMs']);
const isRunDeclaration = objectWith<RunDeclaration>(
  [isText, 'userAgent'],
  [listOf(isToken, 1), 'tokens'],
  [objectWith([isNumber, 'minMs']), 'pace'],
  [isObject, 'robots', 'versions'],
  [isNumber, 'concurrency'],
);
const isClockLine = objectWith<ClockLine>([objectWith([Number.isFinite, 'aheadMs', 'errorMs']), 'clock']);

/** Makes the reader of one log, starting at a byte. @param isLine - Whether a value is a line of it. */
const createLogReader =
  <T>(isLine: (value: unknown) => value is T) =>
  (path: string, start = 0): AsyncGenerator<T> =>
    readValues(path, isLine, start);

/** The requests of one log in the order of their ends. */
export const readRequests = createLogReader(isRequest);
/** The decisions of one log in the order of writing. */
export const readDecisions = createLogReader(isDecision);
/** The warnings of one log in the order of writing. */
export const readHostWarnings = createLogReader(
  objectWith<HostWarning>([isText, 'host', 'code', 'detail'], [isTime, 'atMs'], [optional(isTime), 'untilMs']),
);
/** What the runs of one log declare, in the order of their starts; each followed by its comparisons of clocks. */
export const readRunsAndClocks = createLogReader(
  (value): value is RunDeclaration | ClockLine => isRunDeclaration(value) || isClockLine(value),
);
/** What the stages of the items did in the runs of one log. */
export const readStages = createLogReader(objectWith<StagesLine>([listOf(isStageCounts), 'stages']));
/** The errors of handlers, hooks and sinks of one log in the order of writing. */
export const readErrors = createLogReader(
  objectWith<CodeError>([isText, 'message'], [isPresent, 'code', 'url', 'stack']),
);
/** The rejected items of one log in the order of writing. */
export const readRejected = createLogReader(objectWith<RejectedItem>([isText, 'url'], [isPresent, 'issues', 'data']));

/** The requests of all processes in the order of their ends. */
export function allRequests(parts: readonly Pick<PartLogPaths, 'requestsPath'>[]): AsyncGenerator<RequestRecord> {
  const logs = parts.map(({ requestsPath }) => readRequests(requestsPath));
  return mergeByTime(logs, ({ endedAtMs }) => endedAtMs);
}

/** The warnings of all processes in the order of time. */
export function allWarnings(parts: readonly Pick<PartLogPaths, 'warningsPath'>[]): AsyncGenerator<HostWarning> {
  const logs = parts.map(({ warningsPath }) => readHostWarnings(warningsPath));
  return mergeByTime(logs, ({ atMs }) => atMs);
}

/**
 * The decisions of all processes so that each URL counts once. A URL held at the end of one run is decided in the next,
 * a failed one may be requested again, and what one run excludes or drops the next may drop again. In the order of
 * time, URLs that are held or failed, and seeds that were left out, last.
 * @param onLeftOut - Called with the counts of URLs that have no line.
 * @param onEarlierPage - Called with each earlier decision of such a URL that counted as a page.
 */
export async function* finalDecisions(
  parts: readonly Pick<PartLogPaths, 'decisionsPath'>[],
  onLeftOut: (counts: OutcomeTable) => void,
  onEarlierPage: (decision: UrlDecision) => void = () => undefined,
): AsyncGenerator<UrlDecision> {
  /** URLs that a later run, or a retry, decides again. */
  const open = new Map<string, UrlDecision>();
  const isRepeatedExclusion = createRepeatedExclusionCheck();
  const logs = parts.map(({ decisionsPath }) => readCountedDecisions(decisionsPath, onLeftOut));
  for await (const decision of mergeByTime(logs, ({ atMs }) => atMs)) {
    const { status, url, depth } = decision;
    if (isRepeatedExclusion(decision)) {
      if (decision.isPage === true) onEarlierPage(decision);
      continue;
    }
    const earlier = open.get(url);
    if (earlier?.isPage === true) onEarlierPage(earlier);
    open.delete(url);
    // Held or failed decisions have not been counted: replace the decision that they replaced.
    const final = earlier === undefined ? decision : withReplaces(decision, earlier.replaces);
    // A seed is offered again in each run: one that was dropped may be fetched.
    const isLeftSeed = depth === 0 && (status === 'dropped' || status === 'excluded');
    if ((status === 'held' || isLeftSeed || isRetryable(decision)) && open.size < MAX_OPEN_DECISIONS)
      open.set(url, final);
    else yield final;
  }
  yield* open.values();
}

function withReplaces({ replaces: _, ...decision }: UrlDecision, replaces: UrlDecision['replaces']): UrlDecision {
  return replaces === undefined ? decision : { ...decision, replaces };
}

/** The decisions of one log. The next run decides URLs without a line that one run left open. */
async function* readCountedDecisions(
  path: string,
  onLeftOut: (counts: OutcomeTable) => void,
): AsyncGenerator<UrlDecision> {
  let open: OutcomeTable = {};
  const isLine = (value: unknown): value is UrlDecision | LeftOutLine => isDecision(value) || isLeftOut(value);
  for await (const line of readValues(path, isLine)) {
    if (!('leftOut' in line)) {
      open = {};
      yield line;
      continue;
    }
    const { decided, open: last } = splitOutcomes(line.leftOut);
    open = last;
    onLeftOut(decided);
  }
  onLeftOut(open);
}

/**
 * The latest decision about one URL; `null` if there is no line. Reads whole logs, and parses few lines.
 * @param path - One log, or those of all processes of a crawl.
 * @param url - As requested: the URL parser's serialization without fragment.
 */
export async function findDecision(path: string | readonly string[], url: string): Promise<UrlDecision | null> {
  const needle = JSON.stringify(url);
  let found: UrlDecision | null = null;
  for (const each of typeof path === 'string' ? [path] : path) {
    for await (const line of readLines(each)) {
      if (!line.includes(needle)) continue;
      const value = parseJson(line);
      // Within one log the last line counts, between logs the latest.
      if (isDecision(value) && value.url === url && value.atMs >= (found?.atMs ?? 0)) found = value;
    }
  }
  return found;
}

/**
 * A URL with a decision that counts as the same as `url`, such as one with another order of parameters; `null` if there
 * is none. Reads whole logs. @param paths - The decision logs of all processes. @param rules - Those of the crawl.
 */
export async function findOtherSpelling(
  paths: readonly string[],
  url: string,
  rules?: readonly CanonicalRule[],
): Promise<string | null> {
  const key = canonicalize(url, rules);
  if (key === null) return null;
  const { hostname } = new URL(key);
  for (const path of paths) {
    for await (const line of readLines(path)) {
      const value = line.includes(hostname) ? parseJson(line) : null;
      if (isDecision(value) && value.url !== url && canonicalize(value.url, rules) === key) return value.url;
    }
  }
  return null;
}

/** The latest error of the user's own code about one URL. @param paths - The error logs of all processes. */
export async function findError(paths: readonly string[], url: string): Promise<CodeError | null> {
  let found: CodeError | null = null;
  for (const path of paths) {
    for await (const error of readErrors(path))
      if (error.url === url && error.atMs >= (found?.atMs ?? 0)) found = error;
  }
  return found;
}

/**
 * Merges the values of several sources in the order of their times; each source is already in order. At equal times the
 * earlier source comes first. A clock that was set back keeps its source in order. @param timeOf - Epoch milliseconds.
 */
export async function* mergeByTime<T>(
  sources: readonly AsyncIterable<T>[],
  timeOf: (value: T) => number,
): AsyncGenerator<T, void, undefined> {
  const [only] = sources;
  if (sources.length === 1 && only !== undefined) {
    yield* only;
    return;
  }
  const heads: { readonly rest: AsyncIterator<T>; value: T; atMs: number }[] = [];
  for (const source of sources) {
    const rest = source[Symbol.asyncIterator]();
    const first = await rest.next();
    if (first.done !== true) heads.push({ rest, value: first.value, atMs: timeOf(first.value) });
  }
  while (heads.length > 0) {
    const next = heads.reduce((earliest, head) => (head.atMs < earliest.atMs ? head : earliest));
    yield next.value;
    const following = await next.rest.next();
    if (following.done === true) heads.splice(heads.indexOf(next), 1);
    else {
      next.value = following.value;
      next.atMs = Math.max(next.atMs, timeOf(following.value));
    }
  }
}
