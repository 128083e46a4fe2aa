// What is odd about a file, computed from its records on demand (robots §11). No decision about URLs depends on it, so
// a crawler that does not show it need not load it.

import { textOf } from '../bytes.js';
import { agentsOf, parseRobotVersion, plainKind, rfc9309, versionReading } from '../dialects.js';
import type { RobotsDocument } from '../document.js';
import {
  ALLOW,
  BAD,
  CACHE_DELAY,
  CLEAN_PARAM,
  COMMENT,
  CONTENT_SIGNAL,
  CONTENT_USAGE,
  CRAWL_DELAY,
  DISALLOW,
  fieldName,
  HOST,
  isGroupField,
  isKnownField,
  LICENSE,
  NOINDEX,
  PLEASE_VISIT,
  REMARK,
  REQUEST_RATE,
  ROBOT_VERSION,
  SITEMAP,
  UNKNOWN,
  USER_AGENT,
  VISIT_TIME,
} from '../fields.js';
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

/** Reports a code if a condition holds. */
type Report = (condition: unknown, code: DiagnosticCode) => void;

/** The kinds of line that occur before a line: in the whole file (for Host only valid ones), and in its group. */
interface SeenFields {
  readonly file: Set<number>;
  readonly group: Set<number>;
  /** Readable Clean-param lines. */
  cleanParams: number;
  /** The last known field. */
  last: number;
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
  const before: SeenFields = { file: new Set(), group: new Set(), cleanParams: 0, last: 0 };
  const { file, group } = before;
  let isFirst = true;
  for (const record of records(document.packed)) {
    if (found.length >= MAX_DIAGNOSTICS) break;
    if (isFirst && excerptOf(record).startsWith('<')) add('file-html', 0, '', { counts: true, readAs: [] });
    isFirst = false;
    const codes: DiagnosticCode[] = [];
    reportLine(document, record, before, (condition, code) => {
      if (condition) codes.push(code);
    });
    const effect = codes.length > 0 && effectOf(document, record, before, codes);
    if (effect) for (const code of codes) add(code, record.line, excerptOf(record), effect);
    const kind = plainKind(record);
    if (!isKnownField(kind)) continue;
    if (kind === USER_AGENT && (!file.has(kind) || group.has(DISALLOW) || group.has(ALLOW))) group.clear();
    group.add(kind);
    if (kind !== HOST || isHostValue(textOf(record.value))) file.add(kind);
    before.last = kind;
  }
  return found.slice(0, MAX_DIAGNOSTICS);
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
  const text = textOf(record.value);
  const isOutside = !before.file.has(USER_AGENT);
  const hasNoEffect =
    !isKnownField(plainKind(record)) ||
    codes.some(isWithoutEffect) ||
    (isOutside && (kind === NOINDEX || kind === ROBOT_VERSION)) ||
    (kind === CLEAN_PARAM && before.cleanParams > MAX_CLEAN_PARAM_LINES) ||
    (kind === VISIT_TIME && parseVisitTimes(text).windows.length === 0) ||
    (kind === CONTENT_SIGNAL && !withoutPath(text).split(',').some(isReadableSignal));
  if (hasNoEffect) return { counts: false, readAs: [] };
  if (kind === DISALLOW || kind === ALLOW) return ruleEffect(document, rfc9309, record);
  const agents = kind === USER_AGENT ? agentsOf(text, document.repair) : [];
  const isName = agents.length === 1 && agents[0] === text.toLowerCase();
  const isRelative = !isAbsoluteUrl(text);
  const read = kind === SITEMAP ? readSitemap : kind === LICENSE ? readLicense : null;
  const url = isRelative && read !== null ? read(text, document.robotsUrl) : null;
  const delay = kind === CRAWL_DELAY || kind === CACHE_DELAY ? parseCrawlDelay(text) : null;
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

function reportLine(document: RobotsDocument, record: PackedRecord, before: SeenFields, report: Report): void {
  const { notes, kind, name } = record;
  const value = textOf(record.value);
  const isDropped = notes & TOO_LONG && plainKind(record) === BAD;
  const isKnown = isKnownField(kind) && !isDropped;
  const isOutside = !before.file.has(USER_AGENT);
  report(notes & NUL, 'nul-byte');
  report(notes & INVALID_UTF8, 'invalid-utf8');
  report(notes & ODD_WHITESPACE, 'odd-whitespace');
  report(notes & TOO_LONG, 'line-too-long');
  report(kind === BAD && !isDropped, 'syntax');
  report(kind === UNKNOWN && !isDropped, 'unknown-field');
  report(isKnown && name !== '' && foldName(textOf(name)) !== fieldName(kind), 'field-typo');
  report(isKnown && notes & MISSING_COLON, 'missing-colon');
  report(isKnown && kind !== COMMENT && /^(["']).*\1$/.test(value), 'quoted-value');
  if (kind === DISALLOW || kind === ALLOW) {
    report(isOutside, 'rule-outside-group');
    reportRule(document, record, value, report);
  } else if (isKnown) reportField(document, kind, value, before, report);
  report(isKnown && isGroupField(kind) && kind !== LICENSE && isOutside, 'field-outside-group');
}

function reportRule(document: RobotsDocument, record: PackedRecord, value: string, report: Report): void {
  const isAllow = record.kind === ALLOW;
  const isAbsolute = absoluteUrl(value) !== null;
  report(isAllow && value === '', 'empty-allow');
  report(isAbsolute, 'absolute-url');
  if (value === '' || isAbsolute) return;
  const isSeveral = !isAllow && document.repair && isSeveralPaths(value);
  report(/[ \t]/.test(value), isSeveral ? 'multiple-paths' : 'space-in-path');
  report(!startsLikePath(value), 'path-no-slash');
  report(/^\/robots\.txt\$?$/.test(canonical(record.value, 'n0', true)), 'rule-names-robots');
}

function reportField(document: RobotsDocument, kind: number, value: string, before: SeenFields, report: Report): void {
  const { file, group } = before;
  const { robotsUrl, repair } = document;
  if (kind === USER_AGENT) {
    const [agent, ...more] = agentsOf(value, repair);
    const joins = file.has(USER_AGENT) && !group.has(DISALLOW) && !group.has(ALLOW);
    const hasValues = [...group].some((field) => isGroupField(field) && field !== ROBOT_VERSION);
    report(joins && hasValues, 'extension-splits-group');
    report(value === '', 'agent-empty');
    report(more.length > 0, 'multiple-agents');
    report(agent === undefined && value !== '', 'agent-invalid');
    report(agent !== undefined && more.length === 0 && agent !== value.toLowerCase(), 'agent-trailing');
  } else if (kind === ROBOT_VERSION) {
    if (file.has(USER_AGENT)) reportVersion(value, before, report);
  } else if (kind === CRAWL_DELAY || kind === CACHE_DELAY) {
    const delay = parseCrawlDelay(value);
    report(delay === null, 'crawl-delay-invalid');
    report(delay?.hasUnit, 'crawl-delay-unit');
    report(delay && value.includes(','), 'crawl-delay-comma');
    report(delay && delay.requiredMs > LARGE_CRAWL_DELAY_SECONDS * 1000, 'crawl-delay-large');
    report(delay && delay.requiredMs > delay.delayMs, 'crawl-delay-clamped');
  } else if (kind === REQUEST_RATE) {
    const rate = parseRequestRate(value);
    report(rate === null, 'request-rate-invalid');
    report(rate?.documents === 0, 'request-rate-zero');
  } else if (kind === VISIT_TIME) {
    report(parseVisitTimes(value).hasInvalid, 'visit-time-invalid');
    report(group.has(kind), 'visit-time-repeated');
  } else if (kind === HOST) {
    report(!isHostValue(value), 'host-invalid');
    report(isHostValue(value) && file.has(kind), 'host-repeated');
  } else if (kind === SITEMAP) {
    const url = readSitemap(value, robotsUrl);
    report(url === null, 'sitemap-invalid');
    report(url !== null && !isAbsoluteUrl(value), 'sitemap-relative');
  }
  if (kind === LICENSE) {
    const isValid = isLicenseUrl(readLicense(value, robotsUrl), robotsUrl);
    report(!isValid, 'license-invalid');
    report(isValid && !isAbsoluteUrl(value), 'license-relative');
  }
  report(kind === PLEASE_VISIT && readPleaseVisit(value, robotsUrl) === null, 'pleasevisit-foreign');
  if (kind === CLEAN_PARAM) {
    const isValid = parseCleanParam(value) !== null;
    report(!isValid, 'clean-param-invalid');
    if (isValid) before.cleanParams += 1;
    report(isValid && before.cleanParams === MAX_CLEAN_PARAM_LINES + 1, 'clean-param-excess');
  }
  report(kind === CONTENT_SIGNAL && !withoutPath(value).split(',').every(isReadableSignal), 'content-signal-invalid');
  const usage = kind === CONTENT_USAGE ? parseDictionary(withoutPath(value)) : undefined;
  report(usage === null, 'content-usage-invalid');
  report(usage && LEGACY_LABELS.some((label) => usage.has(label)), 'content-usage-legacy');
}

function reportVersion(value: string, { group, last }: SeenFields, report: Report): void {
  const isRepeated = group.has(ROBOT_VERSION);
  const isMisplaced = !isRepeated && last !== USER_AGENT;
  report(isRepeated, 'robot-version-repeated');
  report(isMisplaced, 'robot-version-misplaced');
  if (isRepeated || isMisplaced) return;
  const version = parseRobotVersion(value);
  const reading = versionReading(version);
  report(version === null, 'robot-version-invalid');
  report(version !== null && !/\..*\./.test(value), 'robot-version-short');
  report(reading === 'experimental', 'robot-version-experimental');
  report(reading === 'unsupported', 'robot-version-unsupported');
}
