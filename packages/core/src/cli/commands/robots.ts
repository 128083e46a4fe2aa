// `mannerly robots`: a robots.txt as Mannerly reads it, its errors, and a verdict for each URL with its reason.

import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import {
  type CompileOptions,
  compileRules,
  parseRobots,
  type RobotsDocument,
  type RobotsRules,
} from '@mannerly/robots';
import { robotsUrl } from '@mannerly/robots/access';
import { diagnose, diagnosticMeaning } from '@mannerly/robots/diagnostics';
import { type Explanation, explain } from '@mannerly/robots/explain';
import { fileOutline } from '@mannerly/robots/outline';
import { sitePreferences } from '@mannerly/robots/preferences';
import { siteFields } from '@mannerly/robots/site-fields';
import { parseUrl } from '../../parse-url.js';
import { printable } from '../../report/table.js';
import { identityFrom } from '../crawl-flags.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { type Flags, json } from '../flags.js';
import type { CliIo } from '../io.js';
import { MAX_SITEMAPS_PRINTED } from '../limits.js';
import { requestRobots } from '../single-request.js';

/** Bytes that are read of a file: one more than the parser reads, to show that there are more. */
const MAX_FILE_BYTES = 8 * 1024 * 1024 + 1;
/** The token if none is given; no file is expected to name it. */
const DEFAULT_TOKEN = 'mannerly';

/** What a crawl does if there are no rules to read. */
const ACCESS_SENTENCES = {
  allowed: 'A crawl may request every URL of this site.',
  held: 'A crawl requests nothing of this site until its robots.txt can be read.',
  unknown: 'What the site allows is not known.',
} as const;

type UrlVerdict = Explanation & {
  readonly url: string;
  /** What the lines of the file say about the use of the content; empty for a URL that may not be fetched. */
  readonly preferences: Readonly<Record<string, string>>;
  readonly isNoindex: boolean;
};

/**
 * Runs the command. A disallowed URL is not an error; a site that does not answer is.
 * @throws UsageError, MannerlyError, RobotsError
 */
export async function robotsCommand(
  source: string,
  others: readonly string[],
  flags: Flags,
  io: CliIo,
): Promise<number> {
  const isUrl = /^https?:\/\//i.test(source);
  const urls = isUrl && isPage(source) ? [source, ...others] : others;
  const invalid = urls.find((url) => !url.startsWith('/') && parseUrl(url) === null);
  if (invalid !== undefined)
    throw new UsageError(`"${invalid}" is neither a URL nor a path`, 'Write https://example.org/page or /page.');
  const answer = isUrl ? await requestSource(source, flags) : { kind: 'body' as const, body: await readInput(source) };
  if (answer.kind === 'nothing') {
    const { why, access } = answer;
    const text = [`No rules from ${robotsUrl(source) ?? source}: ${why}.`, ACCESS_SENTENCES[access]];
    io.out(flags.json === true ? json({ why, access }) : text.join('\n'));
    return access === 'allowed' ? EXIT.ok : EXIT.failed;
  }
  const { body } = answer;
  const document = parseRobots(body, isUrl ? { robotsUrl: robotsUrl(source) ?? source } : {});
  const tokens = (flags.agent ?? flags.name ?? DEFAULT_TOKEN).split(',');
  const { dialect, policy } = flags;
  const rules = compileRules(document, { tokens, dialect, policy } as CompileOptions);
  const { preferences } = sitePreferences(rules);
  const verdicts = urls.map((url) => ({
    url,
    ...explain(rules, url),
    preferences: preferences(url),
    isNoindex: rules.isNoindex(url),
  }));
  io.out(flags.json === true ? json(jsonOf(document, rules, verdicts)) : answerText(document, rules, tokens, verdicts));
  return EXIT.ok;
}

/** Whether the URL of a source names a page of the site: that page is checked too. */
function isPage(source: string): boolean {
  const url = parseUrl(source);
  return url !== null && !['/', '/robots.txt'].includes(url.pathname + url.search);
}

async function requestSource(source: string, flags: Flags): ReturnType<typeof requestRobots> {
  const url = parseUrl(source);
  if (url === null) throw new UsageError(`"${source}" is not a URL`);
  return requestRobots(url.origin, identityFrom(flags), flags.allowAddress);
}

/** @throws UsageError if the path is not a file, such as a directory. */
async function readInput(path: string): Promise<Uint8Array> {
  try {
    return await buffer(createReadStream(path, { end: MAX_FILE_BYTES - 1 }));
  } catch (error) {
    const hint = 'Name a file, or a URL that begins with http:// or https://.';
    throw new UsageError(`${path} cannot be read: ${String(error)}`, hint);
  }
}

function jsonOf(document: RobotsDocument, rules: RobotsRules, verdicts: readonly UrlVerdict[]): unknown {
  const { truncated, sitemaps, licenses } = document;
  const { groups, unknown, orphans } = fileOutline(document);
  const { agents, crawlDelayMs, crawlDelayLine, requestRates, visitWindows, robotVersion, comments, noindex } = rules;
  return {
    truncated,
    groups: groups.map((group) => ({ ...group, speaksToUs: appliesToUs(group, rules) })),
    sitemaps,
    ...siteFields(document),
    licenses,
    unknown,
    orphans,
    diagnostics: diagnose(document).map((each) => ({ ...each, meaning: diagnosticMeaning(each.code) })),
    asks: { agents, crawlDelayMs, crawlDelayLine, requestRates, visitWindows, robotVersion, comments, noindex },
    verdicts,
  };
}

function appliesToUs(group: { readonly agentLines: readonly number[] }, { groupLines }: RobotsRules): boolean {
  return group.agentLines.some((line) => groupLines.includes(line));
}

function answerText(
  document: RobotsDocument,
  rules: RobotsRules,
  tokens: readonly string[],
  verdicts: readonly UrlVerdict[],
): string {
  const titled = (title: string, lines: readonly string[]) => (lines.length === 0 ? [] : [[title, ...lines]]);
  // DECISION R18.
  const withDigits = tokens.filter((token) => /\d/.test(token));
  return [
    documentLines(document, rules),
    ...titled(`What it requires of ${rules.agents.join(', ') || 'us'}:`, requirementLines(rules)),
    ...titled('Errors and warnings:', diagnosticLines(document)),
    ...withDigits.map((token) => [`Note: product token "${token}" has digits, which RFC 9309 does not allow`]),
    ...verdicts.map(verdictLines),
  ]
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** Every group, with a mark if it applies to us, and the lines outside groups. */
function documentLines(document: RobotsDocument, rules: RobotsRules): string[] {
  const lines: string[] = [];
  const { groups, orphans } = fileOutline(document);
  for (const group of groups) {
    const mark = appliesToUs(group, rules) ? '   <- speaks to us' : '';
    lines.push(`Group for ${printable(group.agents.join(', '))}${mark}`);
    const records = [
      ...group.rules.map(
        ({ line, kind, raw }) => [line, `${kind === 'allow' ? 'Allow' : 'Disallow'}: ${raw}`] as const,
      ),
      ...group.fields.map(
        ({ line, rawField, value }) =>
          [line, `${rawField.charAt(0).toUpperCase()}${rawField.slice(1)}: ${value}`] as const,
      ),
    ].sort(([a], [b]) => a - b);
    for (const [line, text] of records) lines.push(numberedLine(line, text));
    if (group.rules.length === 0) lines.push('        (no rules: everything is allowed)');
  }
  if (groups.length === 0) lines.push('No group: everything is allowed to everybody.');
  for (const { line, rawField, value } of orphans)
    lines.push('Outside any group:', numberedLine(line, `${rawField}: ${value}`));
  const { sitemaps } = document;
  for (const sitemap of sitemaps.slice(0, MAX_SITEMAPS_PRINTED)) lines.push(`Sitemap: ${printable(sitemap, 500)}`);
  if (sitemaps.length > MAX_SITEMAPS_PRINTED)
    lines.push(`… ${sitemaps.length} sitemaps in all; --json names every one.`);
  for (const license of rules.licenses) lines.push(`License: ${printable(license, 500)}`);
  const { host } = siteFields(document);
  if (host !== null) lines.push(`Host: ${printable(host)}`);
  if (document.truncated) lines.push('The file is too long. Its end is not read.');
  return lines;
}

function numberedLine(line: number, text: string): string {
  return `${String(line).padStart(6)}  ${printable(text)}`;
}

function requirementLines(rules: RobotsRules): string[] {
  const lines: string[] = [];
  if (rules.crawlDelayMs !== null)
    lines.push(
      `Crawl-delay: ${rules.crawlDelayMs / 1_000} s from the end of an answer to the next request (line ${rules.crawlDelayLine})`,
    );
  for (const { documents, periodSeconds, window, line } of rules.requestRates) {
    const times = window === null ? '' : `, ${timesText([window])}`;
    lines.push(`Request-rate: ${documents} per ${periodSeconds} s${times} (line ${line})`);
  }
  if (rules.visitWindows.length > 0) lines.push(`Visit-time: ${timesText(rules.visitWindows)}`);
  if (rules.robotVersion !== null) lines.push(`Robot-version: ${rules.robotVersion}`);
  for (const comment of rules.comments) lines.push(`Comment: ${printable(comment, 500)}`);
  return lines;
}

function diagnosticLines(document: RobotsDocument): string[] {
  const found = diagnose(document);
  return found.map(({ code, severity, line, excerpt, counts, readAs }, at) => {
    const where = line === 0 ? '  file' : String(line).padStart(6);
    const quoted = excerpt === '' ? '' : `\n        ${printable(excerpt)}`;
    const effect = counts ? readAs.map((text) => `counts as ${printable(text)}`) : ['does not count'];
    // Once for a line, however many diagnostics it has.
    const effectLines = line === found[at + 1]?.line ? [] : effect;
    const lines = [`${where}  ${severity}: ${diagnosticMeaning(code)} (${code})${quoted}`, ...effectLines];
    return lines.join('\n        ');
  });
}

/** One verdict with its reason, and what would have decided otherwise. */
function verdictLines(verdict: UrlVerdict): string[] {
  const { url, decision, otherwise, readings, ignored, sentence, preferences, isNoindex } = verdict;
  const more = [printable(sentence, 500)];
  if (otherwise !== null) {
    const { line, kind, pattern } = otherwise;
    more.push(`without it, line ${line} would decide: ${kind} ${printable(pattern)}`);
  } else if (decision.reason === 'rule') more.push('no other line says the opposite');
  for (const { line, kind, pattern } of ignored)
    more.push(`line ${line} does not count: ${kind} ${printable(pattern)}`);
  if (readings.length > 1) {
    for (const { dialect, allowed } of readings) more.push(`${dialect}: ${allowed ? 'allowed' : 'disallowed'}`);
  }
  const uses = Object.entries(preferences).map(([category, answer]) => `${category} ${answer}`);
  if (uses.length > 0) more.push(`use of its content: ${uses.join(', ')}`);
  if (decision.allowed && isNoindex) more.push('a Noindex line matches it: the page counts as noindex');
  const head = `${decision.allowed ? 'allowed   ' : 'disallowed'}  ${printable(url, 500)}`;
  return [head, ...more.map((line) => `            ${line}`)];
}

function timesText(windows: readonly { readonly startMinute: number; readonly endMinute: number }[]): string {
  const time = (minute: number): string =>
    `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  return `${windows.map(({ startMinute, endMinute }) => `${time(startMinute)}-${time(endMinute)}`).join(', ')} UTC`;
}
