// What the selected groups require besides rules, read once per file and crawler. Sources are kept apart, because the
// stricter one counts, not their sum: lines before the first group (R36), the selected groups, and, if the option says
// so, the `*` groups (R37).

import { type GroupSpan, plainKind } from './dialects.js';
import type { FieldRecord, RobotsDocument } from './document.js';
import { isGroupField, USER_AGENT } from './fields.js';
import { fieldRecord, records } from './packed-records.js';
import { parseRequestRate, parseVisitTimes, type RequestRate, rateInForce, visitState } from './politeness-fields.js';

/** The fields of one source. */
export interface FieldSource {
  /** All fields with a value, as written. */
  readonly fields: readonly FieldRecord[];
  readonly requestRates: readonly (RequestRate & { readonly line: number })[];
  readonly visitWindows: ReturnType<typeof parseVisitTimes>['windows'];
}

/**
 * Whether requests may start at a time, according to the file's Request-rate and Visit-time lines. `intervalMs` is the
 * Request-rate's, `null` for none; a Crawl-delay applies besides.
 */
export type Schedule =
  | { readonly kind: 'open'; readonly intervalMs: number | null }
  | { readonly kind: 'closed'; readonly untilMs: number; readonly reason: 'visit-time' | 'closed-rate' };

/** Reads the group fields of some groups; `null`: the lines before the first User-agent line (robots §9, R36). */
export function readGroupFields(
  document: RobotsDocument,
  spans: readonly Pick<GroupSpan, 'from' | 'to'>[] | null,
): FieldSource {
  const { packed } = document;
  const fields: FieldRecord[] = [];
  for (const { from, to } of spans ?? [{ from: 0, to: packed.length }]) {
    for (const record of records(packed, from, to)) {
      const kind = plainKind(record);
      if (kind === USER_AGENT && spans === null) break;
      if (isGroupField(kind) && record.value !== '') fields.push(fieldRecord(record));
    }
  }
  return {
    fields,
    requestRates: valuesOf(fields, 'request-rate', (value, line) => {
      const rate = parseRequestRate(value);
      return rate && { ...rate, line };
    }),
    visitWindows: valuesOf(fields, 'visit-time', (value) => parseVisitTimes(value).windows),
  };
}

/** Whether requests may start now: every source must be open; the longest interval counts (robots §9.2, §9.3). */
export function scheduleOf(sources: readonly FieldSource[], nowMs: number): Schedule {
  const closed: Extract<Schedule, { kind: 'closed' }>[] = [];
  let intervalMs: number | null = null;
  for (const { visitWindows, requestRates } of sources) {
    const visit = visitState(visitWindows, nowMs);
    const rate = rateInForce(requestRates, nowMs);
    if (visit.kind === 'closed') closed.push({ kind: 'closed', untilMs: visit.opensAtMs, reason: 'visit-time' });
    if (rate.kind === 'closed') closed.push({ kind: 'closed', untilMs: rate.untilMs, reason: 'closed-rate' });
    else if (rate.kind === 'rate') intervalMs = Math.max(intervalMs ?? 0, rate.intervalMs);
  }
  const [latest] = closed.sort((a, b) => b.untilMs - a.untilMs);
  return latest ?? { kind: 'open', intervalMs };
}

/** The readable values of a field. */
export function valuesOf<T>(
  fields: readonly FieldRecord[],
  name: string,
  read: (value: string, line: number) => T | readonly T[] | null,
): T[] {
  return fields.filter(({ field }) => field === name).flatMap(({ value, line }) => read(value, line) ?? []);
}
