// What is odd about a file, computed from its records on demand (robots §11). No decision about URLs depends on it, so
// a crawler that does not show it need not load it.

import { textOf } from '../bytes.js';
import { agentsOf, parseRobotVersion, plainKind, rfc9309, versionReading } from '../dialects.js';
import type { RobotsDocument } from '../document.js';
import { BAD, fieldName, isGroupField, isKnownField, REMARK, UNKNOWN } from '../fields.js';
import {
  isAbsoluteUrl,
  isHostValue,
  isLicenseUrl,
  parseCleanParam,
  readLicense,
  readPleaseVisit,
  readSitemap,
} from '../file-fields.js';
import { LARGE_CRAWL_DELAY_SECONDS, MAX_CLEAN_PARAM_LINES, MAX_DIAGNOSTICS, MAX_EXCERPT_CHARS } from '../limits.js';
import { repairedLines, ruleEffect, titleOf } from '../line-effect.js';
import { canonical } from '../normalize.js';
import {
  foldName,
  INVALID_UTF8,
  isRule,
  MISSING_COLON,
  NUL,
  ODD_WHITESPACE,
  type PackedRecord,
  records,
  TOO_LONG,
} from '../packed-records.js';
import { parseCrawlDelay, parseRequestRate, parseVisitTimes } from '../politeness-fields.js';
import { isReadableSignal, parseDictionary, withoutPath } from '../preferences/preferences.js';
import { absoluteUrl, isSeveralPaths, startsLikePath } from '../reading.js';
import {
  type Diagnostic,
  type DiagnosticCode,
  diagnosticSeverity,
  isWithoutEffect,
  type LineEffect,
} from './diagnostic.js';

/** Codes, and whether each applies to a line. */
type Findings = { readonly [Code in DiagnosticCode]?: unknown };

/** The fields that occur before a line: in the whole file (for Host only valid ones), and in its group. */
interface SeenFields {
  readonly file: Set<string>;
  readonly group: Set<string>;
  /** Whether its group has fields that are neither rules nor its version. */
  hasValues: boolean;
  /** Readable Clean-param lines. */
  cleanParams: number;
  /** The last known field. */
  last: string;
}

/** The oddities of a file, ordered by line (robots §11). @returns At most 1 000; a new list for each call. */
export function diagnose(document: RobotsDocument): Diagnostic[] {
  const found: Diagnostic[] = [];
  const add = (code: DiagnosticCode, line: number, text: string, { counts, readAs }: LineEffect) => {
    found.push({
      code,
      severity: diagnosticSeverity(code),
      line,
      excerpt: truncate(text),
      counts,
      readAs: readAs.map(truncate),
    });
  };
  for (const { code, line } of document.notes) add(code, line, '', { counts: true, readAs: [] });
  const before: SeenFields = { file: new Set(), group: new Set(), hasValues: false, cleanParams: 0, last: '' };
  const { file, group } = before;
  let isFirst = true;
  for (const record of records(document.packed)) {
    if (found.length >= MAX_DIAGNOSTICS) break;
    if (isFirst && excerptOf(record).startsWith('<')) add('file-html', 0, '', { counts: true, readAs: [] });
    isFirst = false;
    const findings = lineFindings(document, record, before);
    const codes = (Object.keys(findings) as DiagnosticCode[]).filter((code) => findings[code]);
    const effect = codes.length > 0 && effectOf(document, record, before, codes);
    if (effect) for (const code of codes) add(code, record.line, excerptOf(record), effect);
    const kind = plainKind(record);
    if (!isKnownField(kind)) continue;
    const field = fieldName(kind);
    if (field === 'user-agent' && (!file.has(field) || hasRule(group))) {
      group.clear();
      before.hasValues = false;
    }
    group.add(field);
    before.hasValues ||= isGroupField(kind) && field !== 'robot-version';
    if (field !== 'host' || isHostValue(textOf(record.value))) file.add(field);
    before.last = field;
  }
  return found.slice(0, MAX_DIAGNOSTICS);
}

function hasRule(group: ReadonlySet<string>): boolean {
  return group.has('disallow') || group.has('allow');
}

function truncate(text: string): string {
  return [...text].slice(0, MAX_EXCERPT_CHARS).join('');
}

/** Labels of the AIPREF drafts of 2025 (licensing §7). */
const LEGACY_LABELS: readonly string[] = ['all', 'bots', 'tdm'];

/** A Crawl-delay that counts with a value other than the written one. */
const DELAY_REPAIRS: readonly DiagnosticCode[] = ['crawl-delay-unit', 'crawl-delay-comma', 'crawl-delay-clamped'];

/** What became of a line with oddities. */
function effectOf(
  document: RobotsDocument,
  record: PackedRecord,
  before: SeenFields,
  codes: readonly DiagnosticCode[],
): LineEffect {
  const { kind } = record;
  const field = fieldName(kind);
  const text = textOf(record.value);
  const isOutside = !before.file.has('user-agent');
  const hasNoEffect =
    !isKnownField(plainKind(record)) ||
    codes.some(isWithoutEffect) ||
    (isOutside && (field === 'noindex' || field === 'robot-version')) ||
    (field === 'clean-param' && before.cleanParams > MAX_CLEAN_PARAM_LINES) ||
    (field === 'visit-time' && parseVisitTimes(text).windows.length === 0) ||
    (field === 'content-signal' && !withoutPath(text).split(',').some(isReadableSignal));
  if (hasNoEffect) return { counts: false, readAs: [] };
  if (isRule(kind)) return ruleEffect(document, rfc9309, record);
  const agents = field === 'user-agent' ? agentsOf(text, document.repair) : [];
  const isName = agents.length === 1 && agents[0] === text.toLowerCase();
  const isRelative = !isAbsoluteUrl(text);
  const read = field === 'sitemap' ? readSitemap : field === 'license' ? readLicense : null;
  const url = isRelative && read !== null ? read(text, document.robotsUrl) : null;
  const delay = field === 'crawl-delay' || field === 'cache-delay' ? parseCrawlDelay(text) : null;
  const isChanged = delay !== null && codes.some((code) => DELAY_REPAIRS.includes(code));
  const value = isChanged ? String(delay.delayMs / 1_000) : (url ?? record.value);
  const values = agents.length === 0 || isName ? [value] : agents;
  return { counts: true, readAs: repairedLines(record, values) };
}

function excerptOf({ kind, name, value, notes }: PackedRecord): string {
  const text = textOf(value);
  if (kind === BAD || kind === REMARK) return text;
  const field = textOf(name) || titleOf(kind);
  return `${field}${notes & MISSING_COLON ? '' : ':'} ${text}`;
}

/** What is odd about a line, in the order in which it is reported. */
function lineFindings(document: RobotsDocument, record: PackedRecord, before: SeenFields): Findings {
  const { notes, kind, name } = record;
  const value = textOf(record.value);
  const isDropped = notes & TOO_LONG && plainKind(record) === BAD;
  const isKnown = isKnownField(kind) && !isDropped;
  const isOutside = !before.file.has('user-agent');
  const field = fieldName(kind);
  return {
    'nul-byte': notes & NUL,
    'invalid-utf8': notes & INVALID_UTF8,
    'odd-whitespace': notes & ODD_WHITESPACE,
    'line-too-long': notes & TOO_LONG,
    syntax: kind === BAD && !isDropped,
    'unknown-field': kind === UNKNOWN && !isDropped,
    'field-typo': isKnown && name !== '' && foldName(textOf(name)) !== fieldName(kind),
    'missing-colon': isKnown && notes & MISSING_COLON,
    'quoted-value': isKnown && field !== 'comment' && /^(["']).*\1$/.test(value),
    'rule-outside-group': isRule(kind) && isOutside,
    ...(isRule(kind)
      ? ruleFindings(document, record, value)
      : isKnown && FIELD_FINDINGS[field]?.(value, before, document)),
    'field-outside-group': isKnown && isGroupField(kind) && field !== 'license' && isOutside,
  };
}

function ruleFindings(document: RobotsDocument, record: PackedRecord, value: string): Findings {
  const isAllow = fieldName(record.kind) === 'allow';
  const isSeveral = !isAllow && document.repair && isSeveralPaths(value);
  const hasBlank = /[ \t]/.test(value);
  if (value === '') return { 'empty-allow': isAllow };
  if (absoluteUrl(value) !== null) return { 'absolute-url': true };
  return {
    'multiple-paths': hasBlank && isSeveral,
    'space-in-path': hasBlank && !isSeveral,
    'path-no-slash': !startsLikePath(value),
    'rule-names-robots': /^\/robots\.txt\$?$/.test(canonical(record.value, 'n0', true)),
  };
}

/** What is odd about the value of a field. */
const FIELD_FINDINGS: Readonly<
  Record<string, (value: string, before: SeenFields, document: RobotsDocument) => Findings>
> = {
  'user-agent'(value, { file, group, hasValues }, { repair }) {
    const [agent, ...more] = agentsOf(value, repair);
    return {
      'extension-splits-group': file.has('user-agent') && !hasRule(group) && hasValues,
      'agent-empty': value === '',
      'multiple-agents': more.length > 0,
      'agent-invalid': agent === undefined && value !== '',
      'agent-trailing': agent !== undefined && more.length === 0 && agent !== value.toLowerCase(),
    };
  },
  'robot-version'(value, { file, group, last }) {
    if (!file.has('user-agent')) return {};
    if (group.has('robot-version')) return { 'robot-version-repeated': true };
    if (last !== 'user-agent') return { 'robot-version-misplaced': true };
    const version = parseRobotVersion(value);
    const reading = versionReading(version);
    return {
      'robot-version-invalid': version === null,
      'robot-version-short': version !== null && !/\..*\./.test(value),
      'robot-version-experimental': reading === 'experimental',
      'robot-version-unsupported': reading === 'unsupported',
    };
  },
  'crawl-delay': delayFindings,
  'cache-delay': delayFindings,
  'request-rate'(value) {
    const rate = parseRequestRate(value);
    return { 'request-rate-invalid': rate === null, 'request-rate-zero': rate?.documents === 0 };
  },
  'visit-time': (value, { group }) => ({
    'visit-time-invalid': parseVisitTimes(value).hasInvalid,
    'visit-time-repeated': group.has('visit-time'),
  }),
  host: (value, { file }) => ({
    'host-invalid': !isHostValue(value),
    'host-repeated': isHostValue(value) && file.has('host'),
  }),
  sitemap(value, _, { robotsUrl }) {
    const isValid = readSitemap(value, robotsUrl) !== null;
    return { 'sitemap-invalid': !isValid, 'sitemap-relative': isValid && !isAbsoluteUrl(value) };
  },
  license(value, _, { robotsUrl }) {
    const isValid = isLicenseUrl(readLicense(value, robotsUrl), robotsUrl);
    return { 'license-invalid': !isValid, 'license-relative': isValid && !isAbsoluteUrl(value) };
  },
  pleasevisit: (value, _, { robotsUrl }) => ({ 'pleasevisit-foreign': readPleaseVisit(value, robotsUrl) === null }),
  'clean-param'(value, before) {
    const isValid = parseCleanParam(value) !== null;
    if (isValid) before.cleanParams += 1;
    const isExcess = isValid && before.cleanParams === MAX_CLEAN_PARAM_LINES + 1;
    return { 'clean-param-invalid': !isValid, 'clean-param-excess': isExcess };
  },
  'content-signal': (value) => ({ 'content-signal-invalid': !withoutPath(value).split(',').every(isReadableSignal) }),
  'content-usage'(value) {
    const usage = parseDictionary(withoutPath(value));
    return {
      'content-usage-invalid': usage === null,
      'content-usage-legacy': LEGACY_LABELS.some((label) => usage?.has(label)),
    };
  },
};

function delayFindings(value: string): Findings {
  const delay = parseCrawlDelay(value);
  return {
    'crawl-delay-invalid': delay === null,
    'crawl-delay-unit': delay?.hasUnit,
    'crawl-delay-comma': delay && value.includes(','),
    'crawl-delay-large': delay && delay.requiredMs > LARGE_CRAWL_DELAY_SECONDS * 1000,
    'crawl-delay-clamped': delay && delay.requiredMs > delay.delayMs,
  };
}
