// The request logs of a crawl as one sequence in the order of ends, whatever number of processes wrote them. Every
// request comes with the promise of the run that made it. Streams: a bounded window repairs the order within a log.

import { parseLine, readLines } from '../../directory/read-lines.js';
import type { RequestRecord } from '../decision.js';
import { inOrder, isRequest, isRunLine } from '../read-logs.js';
import type { RunPromise } from '../run-line.js';
import { AUDIT_WINDOW_LINES } from './limits.js';

/** One thing that a log says. */
export type AuditEntry =
  /** `part`: which of the logs. */
  | { readonly kind: 'request'; readonly record: RequestRecord; readonly run: RunPromise | null; readonly part: number }
  | { readonly kind: 'run'; readonly run: RunPromise }
  | { readonly kind: 'unreadable'; readonly path: string; readonly line: number };

/** The entries of some logs. @throws The platform's error when a log cannot be read; absent is empty. */
export function auditEntries(paths: readonly string[]): AsyncGenerator<AuditEntry> {
  return inOrder(paths.map(orderedEntries), timeOf);
}

/** The entries of one log, requests in the order of their ends as far as the window reaches. */
async function* orderedEntries(path: string, part: number): AsyncGenerator<AuditEntry> {
  const window: (AuditEntry & { kind: 'request' })[] = [];
  let run: RunPromise | null = null;
  let number = 0;
  for await (const line of readLines(path)) {
    number += 1;
    const value = parseLine(line);
    if (isRunLine(value)) {
      // Two runs of one log never overlap.
      yield* window.splice(0);
      run = value.run;
      yield { kind: 'run', run };
    } else if (!isRequest(value) || !isTold(value)) {
      yield { kind: 'unreadable', path, line: number };
    } else {
      let at = window.length;
      while (at > 0 && (window[at - 1]?.record.endedAtMs ?? 0) > value.endedAtMs) at -= 1;
      window.splice(at, 0, { kind: 'request', record: value, run, part });
      const earliest = window.length > AUDIT_WINDOW_LINES ? window.shift() : undefined;
      if (earliest !== undefined) yield earliest;
    }
  }
  yield* window;
}

/** Whether the fields that everything rests on are there. */
function isTold({ url, purpose, startedAtMs, endedAtMs }: RequestRecord): boolean {
  return (
    typeof url === 'string' && typeof purpose === 'string' && Number.isFinite(startedAtMs) && Number.isFinite(endedAtMs)
  );
}

function timeOf(entry: AuditEntry): number {
  if (entry.kind === 'request') return entry.record.endedAtMs;
  return entry.kind === 'run' ? entry.run.startedAtMs : 0;
}
