// The audit of a crawl directory from its request logs and its copies of robots.txt. It only reads, as streams.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkOptions, checkPaths } from '../../call-options.js';
import { sizeOf } from '../../directory/atomic-file.js';
import { readLines } from '../../directory/read-lines.js';
import { invalidOption } from '../../errors.js';
import { ROBOTS_BODY_BYTES } from '../../limits.js';
import { parseJson } from '../../parse-json.js';
import type { RequestRecord, RunDeclaration } from '../decision.js';
import { isRequest, mergeByTime, readRunsAndClocks } from '../read-logs.js';
import { plural } from '../table.js';
import { type AuditReport, VIOLATION_KINDS, type Violation, type ViolationKind } from './audit-report.js';
import type { AuditedRequest } from './auditor.js';
import { AUDIT_WINDOW_LINES, MAX_LISTED_VIOLATIONS, MAX_TOLERANCE_MS, MIN_CLOCK_SET_BACK_MS } from './limits.js';
import { aheadMs, ComparedClocks, type LogClock, steadyClock, withComparison } from './log-clocks.js';
import { findLogFaults, type RecordedLogs } from './recorded-logs.js';

export interface AuditedCrawl extends RecordedLogs {
  /** The request logs of all processes of the crawl. @default the one above */
  readonly parts?: readonly RecordedLogs[];
  readonly robotsPath: string;
  /** Other directories of the same crawl, judged together with this one. @default none */
  readonly others?: readonly AuditedCrawl[];
  readonly manifest: { readonly name: string; readonly tokens: readonly string[] } | null;
}

interface AuditOptions {
  /** How early a request may be, milliseconds, 0 … 60,000: for clocks that were not compared. @default 0 */
  readonly toleranceMs?: number;
  /** Called with each request, in the order in which they ended. */
  readonly onRequest?: (request: AuditedRequest) => void | Promise<void>;
  readonly onRun?: (run: RunDeclaration) => void;
}

/**
 * Judges the politeness of a crawl from its request logs and the kept copies of robots.txt alone, as streams. Memory
 * grows with hosts and authorities, within bounds.
 * @throws MannerlyError `option-invalid`; the platform's error if something cannot be read. An absent log is empty, and
 *   an empty audit has not passed.
 */
export async function auditCrawl(crawl: AuditedCrawl, options: AuditOptions = {}): Promise<AuditReport> {
  checkOptions('auditCrawl', options, { toleranceMs: 'number', onRequest: 'function', onRun: 'function' });
  const { toleranceMs = 0 } = options;
  if (!(toleranceMs >= 0 && toleranceMs <= MAX_TOLERANCE_MS))
    throw invalidOption('auditCrawl.toleranceMs', `a number from 0 to ${MAX_TOLERANCE_MS}`, toleranceMs);
  const all = [crawl, ...(crawl?.others ?? [])];
  for (const each of all) checkPaths('auditCrawl', each, 'requestsPath', 'robotsPath');
  const logs = all.flatMap((each) => each.parts ?? [each]);
  const folders = all.map(({ robotsPath }) => robotsPath);
  // Loaded here: a crawl does not need it.
  const { Auditor } = await import('./auditor.js');
  const { isReadableRun } = await import('./robots-in-force.js');
  const auditor = new Auditor((hash) => readCopy(folders, hash), toleranceMs);
  const counts = Object.fromEntries(VIOLATION_KINDS.map((kind) => [kind, 0])) as Record<ViolationKind, number>;
  const violations: Violation[] = [];
  const add = (found: readonly Violation[]): void => {
    for (const { kind } of found) counts[kind] += 1;
    violations.push(...found.slice(0, MAX_LISTED_VIOLATIONS - violations.length));
  };
  let unfinishedRuns = 0;
  for (const log of logs) {
    const faults = await findLogFaults(log);
    unfinishedRuns += faults.unfinishedRuns;
    add(faults.changes.map((detail) => ({ kind: 'log', url: null, host: null, atMs: null, detail })));
  }
  const clocks = new ComparedClocks();
  const signing = new Map<RunDeclaration | null, SignedRun>();
  let runs = 0;
  let requests = 0;
  let startedAtMs: number | null = null;
  let endedAtMs: number | null = null;
  let setBackMs = 0;
  const onSetBack = (byMs: number): void => {
    setBackMs = Math.max(setBackMs, byMs);
  };
  const ordered = logs.map((log, part) => orderedEntries(log, part, isReadableRun, onSetBack));
  for await (const entry of mergeByTime(ordered, timeOf)) {
    if (entry.kind === 'unreadable') {
      const detail = `line ${entry.line} of ${entry.path} cannot be read`;
      add([{ kind: 'log', url: null, host: null, atMs: null, detail }]);
    } else if (entry.kind === 'run') {
      runs += 1;
      clocks.add(entry.clock);
      add(identityFaults(entry.run, crawl.manifest));
      add(damageFaults(entry.run));
      options.onRun?.(entry.run);
    } else {
      const { record, run, part, clock } = entry;
      const audited = await auditor.audit(record, run, part, clock);
      requests += 1;
      startedAtMs = Math.min(startedAtMs ?? record.startedAtMs, record.startedAtMs);
      endedAtMs = Math.max(endedAtMs ?? record.endedAtMs, record.endedAtMs);
      await options.onRequest?.(audited);
      add(audited.violations);
      countSignature(signing, run, record);
    }
  }
  for (const run of signing.values()) add(unsignedFaults(run));
  const { hostCount: hosts, forgotten } = auditor;
  const notes: string[] = [];
  if (requests === 0) notes.push('There is no request to judge.');
  if (forgotten > 0)
    notes.push(
      `A host had to be forgotten ${plural(forgotten, 'time')}: the gap before its next request was not judged.`,
    );
  if (unfinishedRuns > 0) notes.push(unfinishedRunsText(unfinishedRuns));
  if (setBackMs > 0) notes.push(setBackText(setBackMs));
  const clockNote = clocks.note();
  if (clockNote !== null) notes.push(clockNote);
  const passed = requests > 0 && violations.length === 0;
  return { format: 1, passed, runs, requests, hosts, startedAtMs, endedAtMs, counts, violations, notes };
}

type SignedRun = { signed: number; unsigned: number; first: RequestRecord | null };

function countSignature(
  runs: Map<RunDeclaration | null, SignedRun>,
  run: RunDeclaration | null,
  record: RequestRecord,
): void {
  if (!/^https:/i.test(record.url)) return;
  const counts = runs.get(run) ?? { signed: 0, unsigned: 0, first: null };
  runs.set(run, counts);
  counts[record.signed === true ? 'signed' : 'unsigned'] += 1;
  if (record.signed !== true) counts.first ??= record;
}

/** One violation for all requests of a run: a run signs all its https requests, or none. */
function unsignedFaults({ signed, unsigned, first }: SignedRun): Violation[] {
  if (signed === 0 || first === null) return [];
  const { url, host, startedAtMs: atMs } = first;
  const detail = `it and ${unsigned - 1} more had no signature, ${signed} of the same run had one`;
  return [{ kind: 'signature', url, host, atMs, detail }];
}

async function readCopy(folders: readonly string[], hash: string): Promise<Uint8Array | null> {
  if (!/^[0-9a-f]{64}$/.test(hash)) return null;
  for (const folder of folders) {
    const file = join(folder, `${hash}.txt`);
    const size = await sizeOf(file);
    if (size !== null && size <= ROBOTS_BODY_BYTES) return readFile(file);
  }
  return null;
}

/** One line of a log. Every request comes with the declaration of the run that made it. */
type AuditEntry =
  /** `part`: the log that has it. */
  | (DeclaredRun & { readonly kind: 'request'; readonly record: RequestRecord; readonly part: number })
  | { readonly kind: 'run'; readonly run: RunDeclaration; readonly clock: LogClock | null }
  | { readonly kind: 'unreadable'; readonly path: string; readonly line: number };

/** What a run declares, and its clock; `null` if not known. */
interface DeclaredRun {
  readonly run: RunDeclaration | null;
  readonly clock: LogClock | null;
}

/** The runs of one log, each with everything that was found out about its clock. */
async function* declaredRuns(
  path: string | undefined,
  isReadable: (run: RunDeclaration) => boolean,
): AsyncGenerator<DeclaredRun & { readonly run: RunDeclaration }> {
  let run: RunDeclaration | null = null;
  let clock: LogClock | null = null;
  for await (const line of path === undefined ? [] : readRunsAndClocks(path)) {
    if ('clock' in line) clock = withComparison(clock, line);
    else if (isReadable(line)) {
      if (run !== null) yield { run, clock: steadyClock(clock) };
      [run, clock] = [line, null];
    }
  }
  if (run !== null) yield { run, clock: steadyClock(clock) };
}

function unfinishedRunsText(runs: number): string {
  const what = `${plural(runs, 'run')} ${runs === 1 ? 'was' : 'were'} killed, or ${runs === 1 ? 'is' : 'are'} under way`;
  return `${what}: requests whose answers had not come by then, at most one for each host, are not in the log.`;
}

function setBackText(byMs: number): string {
  const what = `The clock of a machine was set back by up to ${Math.round(byMs / 1_000)} s between two requests of its log`;
  const found = 'and may be found early, or before its robots.txt, without being so';
  return `${what}: what came before cannot be compared with what came after, ${found}.`;
}

/** The entries of one log. A bounded window sorts requests by their ends. */
async function* orderedEntries(
  { requestsPath: path, runsPath }: Pick<AuditedCrawl, 'requestsPath' | 'runsPath'>,
  part: number,
  isReadable: (run: RunDeclaration) => boolean,
  onSetBack: (byMs: number) => void,
): AsyncGenerator<AuditEntry> {
  const runs = declaredRuns(runsPath, isReadable);
  let next = await runs.next();
  const window: (AuditEntry & { kind: 'request' })[] = [];
  let declared: DeclaredRun = { run: null, clock: null };
  let line = 0;
  let latestMs = Number.NEGATIVE_INFINITY;
  for await (const text of readLines(path)) {
    line += 1;
    const value = parseJson(text);
    if (!isRequest(value) || typeof value.url !== 'string' || typeof value.purpose !== 'string') {
      yield { kind: 'unreadable', path, line };
      continue;
    }
    if (latestMs - value.endedAtMs > MIN_CLOCK_SET_BACK_MS) onSetBack(latestMs - value.endedAtMs);
    latestMs = Math.max(latestMs, value.endedAtMs);
    // Two runs of one log never overlap.
    for (; !next.done && next.value.run.startedAtMs <= value.startedAtMs; next = await runs.next()) {
      yield* window.splice(0);
      declared = next.value;
      yield { kind: 'run', ...next.value };
    }
    const after = window.findLastIndex(({ record }) => record.endedAtMs <= value.endedAtMs);
    window.splice(after + 1, 0, { kind: 'request', record: value, ...declared, part });
    if (window.length > AUDIT_WINDOW_LINES) yield* window.splice(0, 1);
  }
  yield* window;
  for (; !next.done; next = await runs.next()) yield { kind: 'run', ...next.value };
}

/** The time by the server's clock, if that is known. */
function timeOf(entry: AuditEntry): number {
  if (entry.kind === 'unreadable') return 0;
  return (entry.kind === 'request' ? entry.record.endedAtMs : entry.run.startedAtMs) + aheadMs(entry.clock);
}

/** What the run found damaged when it started: the record of the run before it, which said so too, is gone. */
function damageFaults({ damaged, startedAtMs: atMs }: RunDeclaration): Violation[] {
  const sentences = Array.isArray(damaged) ? damaged.filter((each) => typeof each === 'string') : [];
  return sentences.map((each) => ({ kind: 'log', url: null, host: null, atMs, detail: `when a run started, ${each}` }));
}

/** Whether a run names itself as the crawl does, and how its operator can be reached. */
function identityFaults(run: RunDeclaration, crawl: AuditedCrawl['manifest']): Violation[] {
  const faults: string[] = [];
  const { userAgent, tokens, name } = run;
  if (!/^[\w-]+\/[\w.+-]+ \(\+[^()]+\)$/.test(userAgent) || !userAgent.startsWith(`${name}/`))
    faults.push(`${JSON.stringify(userAgent)} is not a name with a contact`);
  const absent = tokens.find((token) => !userAgent.toLowerCase().includes(token.toLowerCase()));
  if (absent !== undefined) faults.push(`robots.txt is read for ${absent}, which the User-Agent does not say`);
  if (crawl !== null && (crawl.name !== name || JSON.stringify(crawl.tokens) !== JSON.stringify(tokens)))
    faults.push(`the run is by ${name} (${tokens.join(', ')}), the crawl is ${crawl.name}'s`);
  return faults.map((detail) => ({ kind: 'wrong-identity', url: null, host: null, atMs: run.startedAtMs, detail }));
}
