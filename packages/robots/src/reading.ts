// One reading of a file for one crawler: the rules of the selected groups in one dialect, compiled. A policy is one or
// several readings: all of them must allow, and the first that denies decides. A file can select 2.0.0 itself, but RFC
// 9309 does not let other records interfere with rules: the intersection honours both (R34).
//
// The repairs of values may make a crawl stricter, never less strict (P1): they turn a malformed `Disallow` into rules
// and drop a malformed `Allow`.

import { byteArray, bytesOf, textOf } from './bytes.js';
import {
  type BaseDialect,
  type Dialect,
  type GroupSpan,
  google,
  plainKind,
  rfc9309,
  type Selection,
  selectGeneral,
  type VersionReading,
  v2,
  versionReading,
  y1994,
  y1996,
} from './dialects.js';
import type { RobotsDocument } from './document.js';
import { ALLOW, DISALLOW } from './fields.js';
import { groupSpans, selectGroups } from './groups.js';
import { canonical } from './normalize.js';
import type { ResolvedCompileOptions } from './options.js';
import { INVALID_UTF8, isPlainRule, nextRecordAt, PackedRecord, RecordWriter, TOO_LONG } from './packed-records.js';
import { hostOf, readHost } from './read-url.js';
import { encodeRows, LOOKUPS_BEFORE_SORT, lengthWeight, QUERY_ONLY, type RuleIndex } from './rule-index.js';

export interface Reading extends RuleIndex {
  readonly dialect: Dialect;
  /** The name that selected the groups: one of the crawler's tokens, `*`, or `null`. */
  readonly agent: string | null;
  /** The answer if no rule matches. `overfull`: the file or a group is over a limit, nothing is allowed. */
  readonly fallback: 'open' | 'closed' | 'overfull';
}

/** The readings of a file in the order in which they are evaluated; all must allow. */
export type Readings = readonly [Reading, ...Reading[]];

/** Compiles the rules of the selected groups. */
export function compileReading(
  document: RobotsDocument,
  dialect: Dialect,
  { spans, agent }: Selection,
  { ambiguousRules, maxRulesPerGroup, onOversize }: ResolvedCompileOptions,
): Reading {
  const references: number[] = [];
  let copies: RecordWriter | null = null;
  const isAsWritten = dialect.form === 'n0' && dialect.kindOf === plainKind;
  const usesClasses = dialect.precedence === 'classes';
  const { packed } = document;
  let isOverfull = document.truncated && onOversize === 'disallow-all';
  let hasExplicitAllow = false;
  let hasWildcardAllow = false;
  let hasDisallow = false;
  for (const span of spans) {
    let count = 0;
    for (let at = span.from, next: number; at < span.to; at = next) {
      if (isAsWritten && isPlainRule(packed, at)) {
        references.push(2 * at);
        next = nextRecordAt(packed, at);
        count++;
        continue;
      }
      const record = new PackedRecord(packed, at);
      ({ next } = record);
      const kind = dialect.kindOf(record);
      const isAllow = kind === ALLOW;
      if (kind !== DISALLOW && !(isAllow && dialect.hasAllow)) continue;
      count++;
      const value = dialect.valueOf(record);
      const patterns = patternsOf(document, dialect, record, value, isAllow);
      for (const pattern of patterns) {
        copies ??= new RecordWriter();
        addPattern(references, copies, dialect, record, kind, pattern);
      }
      if (!isAllow) hasDisallow ||= patterns.length > 0;
      else if (patterns.some((pattern) => pattern.includes('*'))) hasWildcardAllow = true;
      else hasExplicitAllow ||= value !== '';
    }
    isOverfull ||= maxRulesPerGroup > 0 && count > maxRulesPerGroup;
  }
  // Steps 4 to 7 of robots §7.5: what a 2.0.0 group says about a URL that none of its rules matches.
  const isClosed =
    usesClasses && (hasWildcardAllow || (hasExplicitAllow && !(hasDisallow && ambiguousRules === 'everything-else')));
  const fallback = isOverfull ? 'overfull' : isClosed ? 'closed' : 'open';
  const extra = copies?.finish() ?? '';
  return {
    packed,
    extra,
    rows: encodeRows({ packed, extra }, references),
    parents: '',
    lookupsLeft: LOOKUPS_BEFORE_SORT,
    dialect,
    agent,
    fallback,
  };
}

/** Adds a reference to a record's pattern; a pattern with another spelling or weight is copied. */
function addPattern(
  references: number[],
  copies: RecordWriter,
  { form, precedence }: Dialect,
  record: PackedRecord,
  kind: number,
  written: string,
): void {
  const star = written.indexOf('*');
  const spelling = canonical(written, form, true);
  let weight = lengthWeight(spelling.length, kind);
  if (precedence === 'first') weight = 0;
  if (precedence === 'classes') weight = kind === DISALLOW ? 1 : star < 0 ? 2 : 0;
  // 2.0.0 does not imply a wildcard at the end, so the pattern is anchored (robots §5.5).
  const pattern = form === 'decoded-star' ? `${spelling}$` : spelling;
  const mark = written.indexOf('?');
  const query = form === 'n0' && mark >= 0 ? canonical(written, 'n1', true) : pattern;
  if (query !== pattern) {
    references.push(2 * copies.addCopy(kind | QUERY_ONLY, record.at, query, weight) + 1);
    // A text that begins with all of a pattern up to its query matches the rest in form `n1`, too.
    if (star < 0 || star > mark) return;
  }
  const isAsWritten = record.kind === kind && weight === lengthWeight(pattern.length, kind) && record.value === pattern;
  references.push(isAsWritten ? 2 * record.at : 2 * copies.addCopy(kind, record.at, pattern, weight) + 1);
}

/** The patterns that a rule line stands for in a dialect, in bytes; none if it does not count. */
export function patternsOf(
  document: RobotsDocument,
  dialect: Dialect,
  { notes }: PackedRecord,
  value: string,
  isAllow: boolean,
): string[] {
  if (!dialect.repairs) {
    // `Allow: /dir/index.html` also allows `/dir/` (specification, robots §5.2.5).
    const directory = isAllow && /^(.*\/)index\.htm[^/]*$/s.exec(value);
    return directory ? [value, `${directory[1]}$`] : value === '' ? [] : [value];
  }
  if (isAllow || !document.repair) return startsLikePath(value) && !(isAllow && notes & TOO_LONG) ? [value] : [];
  const patterns = repairedPatterns(value, document.robotsUrl);
  if (document.charset === null || !(notes & INVALID_UTF8)) return patterns;
  // R4: a second alternative, in the charset that the response declared.
  return [...patterns, ...patterns.flatMap((pattern) => transcoded(pattern, document.charset as string))];
}

/** A value re-encoded as UTF-8 from another charset; nothing for a charset that the platform does not know. */
function transcoded(bytes: string, charset: string): string[] {
  try {
    return [bytesOf(new TextDecoder(charset).decode(byteArray(bytes)))];
  } catch {
    // A RangeError: the charset is unknown, so only the bytes themselves count.
    return [];
  }
}

/**
 * The patterns of a `Disallow` line, in bytes; none for an empty value or a foreign URL (robots §3.6, §3.7, R13, R14).
 * @param robotsUrl - The URL requested for the file, to recognise its own authority; if it is unknown, any authority
 *   counts as its own, which is the stricter reading.
 */
function repairedPatterns(value: string, robotsUrl: string | null): string[] {
  if (isSeveralPaths(value)) return value.split(/[ \t]+/);
  if (value === '' || startsLikePath(value)) return value === '' ? [] : [value];
  const url = absoluteUrl(value);
  if (url === null) return [`/${value}`];
  const isForeign = robotsUrl !== null && readHost(textOf(url.authority)) !== hostOf(robotsUrl);
  return isForeign ? [] : [url.path];
}

/** Whether a value is a path or begins with a wildcard. */
export function startsLikePath(value: string): boolean {
  return value.startsWith('/') || value.startsWith('*');
}

/** Whether a `Disallow` value is several paths. If a part has a `*`, the blank is part of one pattern. */
export function isSeveralPaths(value: string): boolean {
  return /^\/[^* \t]*(?:[ \t]+\/[^* \t]*)+$/.test(value);
}

/** The parts of an absolute http(s) URL; `null` for anything else. */
export function absoluteUrl(value: string): { authority: string; path: string } | null {
  const match = /^(https?:\/\/[^/?#]*)([^#]*)/i.exec(value);
  if (match === null) return null;
  const [, authority = '', path = ''] = match;
  return { authority, path: path.startsWith('/') ? path : `/${path}` };
}

const DIALECTS: Readonly<Record<BaseDialect, Dialect>> = { rfc9309, google, '1996': y1996, '1994': y1994 };

/** The groups that apply to a crawler in a base dialect, all groups, and the `*` groups (robots §4.3, §9). */
export function selectionOf(
  document: RobotsDocument,
  name: BaseDialect,
  tokens: readonly string[],
): Selection & Record<'all' | 'starred', readonly GroupSpan[]> & { readonly dialect: Dialect } {
  const dialect = DIALECTS[name];
  const all = groupSpans(document, dialect);
  const starred = all.filter(({ agents }) => agents.includes('*'));
  const { spans, agent } = selectGroups(dialect, all, tokens);
  return { spans, agent, all, starred, dialect };
}

/** The readings of a file that count for a crawler; at least one (robots §5.5, §8). */
export function readingsOf(document: RobotsDocument, settings: ResolvedCompileOptions): Readings {
  const { tokens, policy, dialect } = settings;
  const base = DIALECTS[dialect];
  const selection = selectionOf(document, dialect, tokens);
  const { all, starred } = selection;
  const isNamed = selection.agent !== null && selection.agent !== '*';
  const readings: Reading[] = [];
  const addAlways = (reading: Dialect, selected: Selection) =>
    readings.push(compileReading(document, reading, selected, settings));
  const add = (reading: Dialect, spans: readonly GroupSpan[], agent: string | null) => {
    if (spans.length > 0) addAlways(reading, { spans, agent });
  };
  const ofVersion = (spans: readonly GroupSpan[], reading: VersionReading) =>
    spans.filter((span) => versionReading(span.version) === reading);
  // A 2.0.0 author who named us by a general match withheld something that the base dialect cannot see.
  const general = selectGeneral(isNamed ? [] : ofVersion(all, 'two'), tokens);
  if (policy === 'declared-only') {
    // The pure reading: declared groups in 2.0.0, others in the base dialect.
    const { spans, agent } = general.agent === null ? selection : general;
    const experimental = ofVersion(spans, 'experimental');
    // R23: without a `*` group an experimental group is read in the base dialect after all.
    const isReplaced = experimental.length > 0 && agent !== '*' && starred.length > 0;
    const kept = { spans: isReplaced ? spans.filter((span) => !experimental.includes(span)) : spans, agent };
    for (const selected of isReplaced ? [kept, { spans: starred, agent: '*' }] : [kept]) {
      const declared = ofVersion(selected.spans, 'two');
      const others = selected.spans.filter((span) => !declared.includes(span));
      add(base, others, selected.agent);
      add(v2, declared, selected.agent);
    }
    // If no group applies, one reading says so.
    if (spans.length === 0) addAlways(base, selection);
  } else {
    for (const name of policy === 'strictest' ? settings.strictDialects : [dialect]) {
      addAlways(DIALECTS[name], name === dialect ? selection : selectionOf(document, name, tokens));
    }
    if (policy !== 'base') {
      add(v2, ofVersion(selection.spans, 'two'), selection.agent);
      add(v2, general.spans, general.agent);
      if (isNamed && ofVersion(selection.spans, 'experimental').length > 0) add(base, starred, '*');
    }
  }
  // A copy has no spare capacity.
  return readings.slice() as [Reading, ...Reading[]];
}
