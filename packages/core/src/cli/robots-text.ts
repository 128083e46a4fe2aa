// A robots.txt as it was read, for people: groups with line numbers, what they ask, oddities, and a verdict per URL.

import type { RobotsDocument, RobotsRules } from '@mannerly/robots';
import { diagnose, diagnosticMeaning } from '@mannerly/robots/diagnostics';
import type { Explanation } from '@mannerly/robots/explain';
import { printable } from '../report/table.js';

/** The answer about one URL. */
export type UrlVerdict = Explanation & { readonly url: string };

/** The file as read: every group, marked where it speaks to us, and what stands outside groups. @throws Never */
export function documentText(document: RobotsDocument, rules: RobotsRules): string {
  const lines: string[] = [];
  const ours = new Set(rules.groupLines);
  for (const group of document.groups) {
    const isOurs = group.agentLines.some((line) => ours.has(line));
    lines.push(`Group for ${printable(group.agents.join(', '))}${isOurs ? '   <- speaks to us' : ''}`);
    const records = [
      ...group.rules.map(({ line, kind, raw }) => ({
        line,
        text: `${kind === 'allow' ? 'Allow' : 'Disallow'}: ${raw}`,
      })),
      ...group.fields.map(({ line, rawField, value }) => ({ line, text: `${capital(rawField)}: ${value}` })),
    ].sort((a, b) => a.line - b.line);
    for (const { line, text } of records) lines.push(`${String(line).padStart(6)}  ${printable(text)}`);
    if (group.rules.length === 0) lines.push('        (no rules: everything is allowed)');
  }
  if (document.groups.length === 0) lines.push('No group: everything is allowed to everybody.');
  for (const { line, rawField, value } of document.orphans)
    lines.push(`Outside any group:\n${String(line).padStart(6)}  ${printable(`${rawField}: ${value}`)}`);
  for (const sitemap of document.sitemaps) lines.push(`Sitemap: ${printable(sitemap, 500)}`);
  if (document.host !== null) lines.push(`Host: ${printable(document.host)}`);
  if (document.truncated) lines.push('The file is longer than what is read; the rest does not count here.');
  return lines.join('\n');
}

function capital(field: string): string {
  return field.slice(0, 1).toUpperCase() + field.slice(1);
}

/** What the file asks of one crawler next to allow and disallow. Empty where it asks nothing. @throws Never */
export function askedText(rules: RobotsRules): string {
  const lines: string[] = [];
  if (rules.crawlDelayMs !== null)
    lines.push(`Crawl-delay: ${rules.crawlDelayMs / 1_000} s from the end of an answer to the next request`);
  for (const { documents, periodSeconds, window } of rules.requestRates) {
    lines.push(`Request-rate: ${documents} per ${periodSeconds} s${window === null ? '' : `, ${timesText([window])}`}`);
  }
  if (rules.visitWindows.length > 0) lines.push(`Visit-time: ${timesText(rules.visitWindows)}`);
  if (rules.robotVersion !== null) lines.push(`Robot-version: ${rules.robotVersion}`);
  for (const comment of rules.comments) lines.push(`Comment: ${printable(comment, 500)}`);
  return lines.join('\n');
}

/** The oddities, one line each. Empty where there are none. @throws Never */
export function diagnosticsText(document: RobotsDocument): string {
  return diagnose(document)
    .map(
      ({ code, severity, line, excerpt }) =>
        `${line === 0 ? '  file' : String(line).padStart(6)}  ${severity}: ${diagnosticMeaning(code)} (${code})${excerpt === '' ? '' : `\n        ${printable(excerpt)}`}`,
    )
    .join('\n');
}

/** One verdict with its reason, and what would have decided otherwise. @throws Never */
export function verdictText({ url, decision, otherwise, readings, sentence }: UrlVerdict): string {
  const lines = [
    `${decision.allowed ? 'allowed   ' : 'disallowed'}  ${printable(url, 500)}`,
    `            ${printable(sentence, 500)}`,
  ];
  if (otherwise !== null) {
    lines.push(
      `            without it, line ${otherwise.line} would decide: ${otherwise.kind} ${printable(otherwise.pattern)}`,
    );
  } else if (decision.reason === 'rule') {
    lines.push(`            without it, no other line would say the opposite`);
  }
  for (const reading of readings.length > 1 ? readings : []) {
    lines.push(`            ${reading.dialect}: ${reading.allowed ? 'allowed' : 'disallowed'}`);
  }
  return lines.join('\n');
}

function timesText(windows: readonly { readonly startMinute: number; readonly endMinute: number }[]): string {
  const time = (minute: number): string =>
    `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  return `${windows.map(({ startMinute, endMinute }) => `${time(startMinute)}-${time(endMinute)}`).join(', ')} UTC`;
}
