// Records → groups. A group is a range of the packed file that begins with a run of User-agent lines. Both grammars are
// here: groups, which end at the next User-agent line after a rule (RFC 9309), and records, which end at a blank line
// (1996).
//
// Also what the selected groups require besides rules, read once per file and crawler. Sources are kept apart, because
// the stricter one counts, not their sum: lines before the first group (R36), the selected groups, and, if the option
// says so, the `*` groups (R37).

import { type Dialect, type GroupSpan, parseRobotVersion, plainKind, type Selection } from './dialects.js';
import type { FieldRecord, RobotsDocument } from './document.js';
import { isGroupField, isKnownField, ROBOT_VERSION, UNKNOWN, USER_AGENT } from './fields.js';
import {
  fieldRecord,
  isMeaningless,
  isPlainRule,
  isRule,
  kindAt,
  nextRecordAt,
  PackedRecord,
  records,
} from './packed-records.js';
import { parseRequestRate, parseVisitTimes, type RequestRate, rateInForce, visitState } from './politeness-fields.js';

/**
 * The groups of a file in file order (RFC 9309 §2.2.1; robots §4.1, §4.2, R15, R16).
 * @param within - A group to split after every line with content, not only after its rules.
 */
export function groupSpans(document: RobotsDocument, dialect: Dialect, within?: GroupSpan): GroupSpan[] {
  const spans: GroupSpan[] = [];
  let open: Writable<GroupSpan> | null = null;
  let hasRule = false;
  let mayDeclare = false;
  const { packed } = document;
  const maySkip = dialect.kindOf === plainKind && !dialect.hasRecords;
  const end = within?.to ?? packed.length;
  for (let at = within?.from ?? 0, next: number; at < end; at = next) {
    // Before the first group only a User-agent line counts.
    if (maySkip && (isPlainRule(packed, at) || (open === null && kindAt(packed, at) !== USER_AGENT))) {
      next = nextRecordAt(packed, at);
      hasRule = true;
      mayDeclare = false;
      if (open !== null) open.to = next;
      continue;
    }
    const record = new PackedRecord(packed, at);
    ({ next } = record);
    const kind = dialect.kindOf(record);
    // R16: a blank line ends a record only once the record has a rule line.
    if (record.isAfterBlank && dialect.hasRecords && hasRule) open = null;
    if (kind === USER_AGENT) {
      if (open === null || hasRule) {
        open = { agents: [], agentLines: [], from: record.at, to: 0, version: null };
        spans.push(open);
        hasRule = false;
        mayDeclare = true;
      }
      open.agents.push(...dialect.agentsOf(dialect.valueOf(record), document.repair));
      open.agentLines.push(record.line);
    } else {
      const isRuleLine = dialect.hasRecords && (isGroupField(kind) || kind === UNKNOWN);
      hasRule ||= isRule(kind) || isRuleLine || (within !== undefined && !isMeaningless(plainKind(record)));
    }
    if (open === null) continue;
    open.to = next;
    const plain = plainKind(record);
    if (!mayDeclare || plain === USER_AGENT || !isKnownField(plain)) continue;
    mayDeclare = false;
    if (plain === ROBOT_VERSION) open.version = parseRobotVersion(record.value);
  }
  return spans;
}

type Writable<Span> = { -readonly [Key in keyof Span]: Span[Key] extends readonly (infer Item)[] ? Item[] : Span[Key] };

/**
 * The groups that apply to a crawler: those of the first token that has any, else the `*` groups. Groups are merged in
 * file order (R19); of records only the first counts. Named groups and `*` groups never mix (robots §4.3).
 * @param tokens - Lower-case product tokens in order of preference.
 */
export function selectGroups(dialect: Dialect, groups: readonly GroupSpan[], tokens: readonly string[]): Selection {
  for (const agent of [...tokens, '*']) {
    const spans = groups.filter(({ agents }) => areAddressed(dialect, agents, agent));
    if (spans.length > 0) return { spans: dialect.hasRecords ? spans.slice(0, 1) : spans, agent };
  }
  return { spans: [], agent: null };
}

/**
 * The ranges of groups whose extension lines apply to a crawler. A group may name agents several times before its first
 * rule: its rules apply to all of them, the fields in between to the agents named last (robots §4.1, R15b).
 * @param selection - The groups, and the name that selected them.
 */
export function fieldSpans(document: RobotsDocument, dialect: Dialect, { spans, agent }: Selection): GroupSpan[] {
  if (agent === null) return [];
  return spans
    .flatMap((span) => groupSpans(document, dialect, span))
    .filter(({ agents }) => areAddressed(dialect, agents, agent));
}

function areAddressed(dialect: Dialect, agents: readonly string[], agent: string): boolean {
  return agents.some((name) => (name === '*' || agent === '*' ? name === agent : dialect.matchesToken(name, agent)));
}

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
