// The audit of a crawl directory from its request logs and its copies of robots.txt. Reads only.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sizeOf } from '../../directory/whole-file.js';
import { ROBOTS_BODY_BYTES } from '../../limits.js';
import type { RunPromise } from '../run-line.js';
import type { JudgedRequest } from './auditor.js';
import { MAX_LISTED_VIOLATIONS } from './limits.js';
import { type AuditReport, VIOLATION_KINDS, type Violation, type ViolationKind } from './violation.js';

/** Where the evidence is, and the name of the crawl. */
export interface AuditedCrawl {
  readonly requestsPath: string;
  /** The request logs of all processes of the crawl, judged together. @default the one above */
  readonly parts?: readonly { readonly requestsPath: string }[];
  readonly robotsPath: string;
  /**
   * Other directories of the same crawl: their logs are judged together, and their copies are read too. @default none
   */
  readonly others?: readonly AuditedCrawl[];
  readonly manifest: { readonly name: string; readonly tokens: readonly string[] } | null;
}

/** Tolerance and listeners. */
export interface AuditOptions {
  /** How early a request may be, milliseconds, 0 … 60,000: for clocks of several machines. @default 0 */
  readonly toleranceMs?: number;
  /** Called with each request in the order of ends. */
  readonly onRequest?: (request: JudgedRequest) => void | Promise<void>;
  /** Called with each run that a log opens. */
  readonly onRun?: (run: RunPromise) => void;
}

/**
 * Judges the politeness of a crawl from its request logs and the kept copies of robots.txt alone.
 *
 * Streams: memory grows with hosts and authorities, within bounds.
 *
 * @throws The platform's error when something cannot be read; absent logs are empty, and an empty audit has not passed.
 */
export async function auditCrawl(crawl: AuditedCrawl, options: AuditOptions = {}): Promise<AuditReport> {
  const all = [crawl, ...(crawl.others ?? [])];
  const logs = all.flatMap((each) => (each.parts ?? [each]).map(({ requestsPath }) => requestsPath));
  const folders = all.map(({ robotsPath }) => robotsPath);
  const [{ Auditor }, { auditEntries }] = await Promise.all([import('./auditor.js'), import('./audit-entry.js')]);
  const auditor = new Auditor({
    readCopy: (hash) => readCopy(folders, hash),
    crawl: crawl.manifest,
    toleranceMs: options.toleranceMs ?? 0,
  });
  const counts = Object.fromEntries(VIOLATION_KINDS.map((kind) => [kind, 0])) as Record<ViolationKind, number>;
  const violations: Violation[] = [];
  let found = 0;
  let runs = 0;
  let requests = 0;
  let startedAtMs: number | null = null;
  let endedAtMs: number | null = null;
  for await (const entry of auditEntries(logs)) {
    const judged = await auditor.judge(entry);
    if (entry.kind === 'run') {
      runs += 1;
      options.onRun?.(entry.run);
    }
    if (judged.request !== null) {
      const { record } = judged.request;
      requests += 1;
      startedAtMs = Math.min(startedAtMs ?? record.startedAtMs, record.startedAtMs);
      endedAtMs = Math.max(endedAtMs ?? record.endedAtMs, record.endedAtMs);
      await options.onRequest?.(judged.request);
    }
    for (const violation of judged.violations) {
      found += 1;
      counts[violation.kind] += 1;
      if (violations.length < MAX_LISTED_VIOLATIONS) violations.push(violation);
    }
  }
  const { hostCount: hosts, forgotten } = auditor;
  const notes: string[] = [];
  if (requests === 0) notes.push('There is no request to judge.');
  if (forgotten > 0)
    notes.push(`${forgotten} times a host had to be forgotten: the gap before its next request was not judged.`);
  const passed = found === 0 && requests > 0;
  return { format: 1, passed, runs, requests, hosts, startedAtMs, endedAtMs, counts, violations, notes };
}

async function readCopy(folders: readonly string[], hash: string): Promise<Uint8Array | null> {
  if (!/^[0-9a-f]{8,64}$/.test(hash)) return null;
  for (const folder of folders) {
    const file = join(folder, `${hash}.txt`);
    const size = await sizeOf(file);
    if (size !== null && size <= ROBOTS_BODY_BYTES) return readFile(file);
  }
  return null;
}
