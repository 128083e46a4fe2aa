// Content-Signal and Content-Usage lines of robots.txt: what content may be used for once it is fetched (robots §10).
// These lines never make a URL disallowed; what a crawl does with a preference depends on the purposes it declares
// (page-level §7). The labels are data (DECISION R50): later documents will rename them.

import { bytesOf } from '../bytes.js';
import { valuesOf } from '../groups.js';
import { MAX_PREFERENCE_LINES } from '../limits.js';
import { canonical } from '../normalize.js';
import { matchesSpellings, spellingsOf, targetOf } from '../pattern.js';
import type { RobotsRules } from '../rules.js';

/** What a source says about one category of use; an absent category is unknown. */
type PreferenceVerdict = 'allow' | 'disallow';

/** Category of use (`search`, `train-ai`, `ai-use`) → verdict; absent means unknown. */
export type Preferences = Readonly<Record<string, PreferenceVerdict>>;

/** A Content-Signal line. Signals are `allow`, `disallow`, or a level of `use`. */
export interface ContentSignalLine {
  readonly path: string | null;
  readonly signals: Readonly<Record<string, string>>;
}

/** A readable Content-Usage line. */
export interface ContentUsageLine {
  readonly path: string | null;
  readonly usage: Preferences;
}

/** How far content is used, as in Content-Signal's `use`, least first: the least one wins a conflict. */
export const CONTENT_USES = ['immediate', 'reference', 'full'] as const;

/** A level of use. */
export type ContentUse = (typeof CONTENT_USES)[number];

/** Labels that Content-Usage may use: AIPREF working-group text of September 2026. */
const USAGE_LABELS: readonly string[] = ['train-ai', 'ai-use', 'search'];

/** Content-Signal keys with yes and no, which are also purposes → their category of use (DECISION R51). */
export const USE_CATEGORIES = { search: 'search', 'ai-train': 'train-ai', 'ai-input': 'ai-use' } as const;

/** The meaning of each key's values. */
const SIGNALS = new Map<string, Readonly<Record<string, string>>>([
  ...Object.keys(USE_CATEGORIES).map((key) => [key, { yes: 'allow', no: 'disallow' }] as const),
  ['use', Object.fromEntries(CONTENT_USES.map((use) => [use, use]))],
]);

/** The signals of a key are compared by their position here. */
const STRICTEST_FIRST: readonly string[] = ['disallow', 'allow', ...CONTENT_USES];

/** One `key=value`: a known key and its signal, or `other` for an unknown key; null if it cannot be read. */
function readSignal(part: string): readonly [key: string, signal: string] | 'other' | null {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(part) ?? [];
  const [key, word] = [name.trim().toLowerCase(), value.trim().toLowerCase()];
  const signals = SIGNALS.get(key);
  if (signals === undefined) return key === '' ? null : 'other';
  return Object.hasOwn(signals, word) ? [key, signals[word] as string] : null;
}

/** Whether one signal can be read; one that cannot is reported as `content-signal-invalid`. */
export function isReadableSignal(part: string): boolean {
  return readSignal(part) !== null;
}

/** Reads a Content-Signal value; null if it has no known signal (robots §10.1). */
export function parseContentSignal(value: string): ContentSignalLine | null {
  const signals: Record<string, string> = {};
  for (const part of withoutPath(value).split(',').map(readSignal)) {
    if (part === null || part === 'other') continue;
    const [key, signal] = part;
    signals[key] = stricterSignal(signals[key], signal);
  }
  return Object.keys(signals).length === 0 ? null : { path: pathOf(value), signals };
}

/** Reads a Content-Usage value; null if the dictionary does not parse (robots §10.2). */
export function parseContentUsage(value: string): ContentUsageLine | null {
  const usage = parseUsage(withoutPath(value));
  return usage === null ? null : { path: pathOf(value), usage };
}

/** The `y` and `n` of a Content-Usage dictionary's known labels; null if it does not parse (robots §10.2, R50). */
function parseUsage(dictionary: string): Preferences | null {
  const members = parseDictionary(dictionary);
  if (members === null) return null;
  const usage: Record<string, PreferenceVerdict> = {};
  for (const label of USAGE_LABELS) {
    const value = members.get(label);
    if (value === 'y') usage[label] = 'allow';
    if (value === 'n') usage[label] = 'disallow';
  }
  return usage;
}

/** The same for a line of the response field: each `n` counts, not only the last value of its label. */
export function parseUsageField(line: string): Preferences | null {
  const usage = parseUsage(line);
  if (usage === null) return null;
  const refused = (readMembers(line) ?? []).filter(([label, value]) => value === 'n' && USAGE_LABELS.includes(label));
  return { ...usage, ...Object.fromEntries(refused.map(([label]) => [label, 'disallow' as const])) };
}

/**
 * The preferences that apply to a URL: the longest matching Content-Usage paths, then Content-Signal; disallow wins
 * over allow, and allow over unknown (robots §10.2, DECISION R51).
 * @param url - An absolute URL, or a path with query.
 * @throws Never
 */
export function resolvePreferences(
  usageLines: readonly ContentUsageLine[],
  signalLines: readonly ContentSignalLine[],
  url: string,
): Preferences {
  let longest = -1;
  let preferences: Preferences = {};
  const { compared, rest } = linesFor(usageLines, url);
  for (const { path, usage } of compared) {
    const length = path === null ? 0 : canonical(bytesOf(path), 'n0', true).length;
    if (length >= longest) preferences = length > longest ? usage : mergePreferences(preferences, usage);
    longest = Math.max(longest, length);
  }
  for (const { usage } of rest) preferences = mergePreferences(preferences, refusalsOf(usage));
  return mergePreferences(preferences, signalPreferences(resolveSignals(signalLines, url)));
}

/** The signals for a URL. All matching lines count, and the strictest value of each key wins (robots §10.1, R49). */
export function resolveSignals(
  signalLines: readonly ContentSignalLine[],
  url: string,
): Readonly<Record<string, string>> {
  const { compared, rest } = linesFor(signalLines, url);
  const signals = compared.flatMap((line) => Object.entries(line.signals));
  const refusals = rest.flatMap((line) => Object.entries(line.signals)).filter(([, signal]) => signal !== 'allow');
  const resolved: Record<string, string> = {};
  for (const [key, signal] of [...signals, ...refusals]) resolved[key] = stricterSignal(resolved[key], signal);
  return resolved;
}

/**
 * The lines whose path matches a URL, and those that are not compared, because comparing takes time: of these a refusal
 * counts for every path, and a permission for none.
 */
function linesFor<Line extends ContentSignalLine | ContentUsageLine>(lines: readonly Line[], url: string) {
  const target = lines.length === 0 ? null : spellingsOf(targetOf(url).path, false);
  const isMatch = (path: string | null) =>
    path === null || (target !== null && matchesSpellings(spellingsOf(bytesOf(path), true), target));
  return {
    compared: lines.slice(0, MAX_PREFERENCE_LINES).filter(({ path }) => isMatch(path)),
    rest: lines.slice(MAX_PREFERENCE_LINES),
  };
}

/** The categories of signals: `ai-train` is `train-ai`, `ai-input` is `ai-use`, `use` has none (DECISIONS R51, C10). */
export function signalPreferences(signals: Readonly<Record<string, string>>): Preferences {
  const preferences: Record<string, PreferenceVerdict> = {};
  for (const [key, category] of Object.entries(USE_CATEGORIES)) {
    const signal = signals[key];
    if (signal === 'allow' || signal === 'disallow') preferences[category] = signal;
  }
  return preferences;
}

/** Merges two sources: per category disallow wins over allow, and allow over unknown (page-level §6). */
export function mergePreferences(left: Preferences, right: Preferences): Preferences {
  const merged: Record<string, PreferenceVerdict> = { ...left };
  for (const [category, verdict] of Object.entries(right)) {
    if (merged[category] !== 'disallow') merged[category] = verdict;
  }
  return merged;
}

/** A value that starts with `/` has a path up to the first blank. */
function pathOf(value: string): string | null {
  return /^\/[^ \t]*/.exec(value.trim())?.[0] ?? null;
}

function stricterSignal(current: string | undefined, signal: string): string {
  if (current === undefined) return signal;
  return STRICTEST_FIRST.indexOf(signal) < STRICTEST_FIRST.indexOf(current) ? signal : current;
}

/** Only the refusals. */
export function refusalsOf(usage: Preferences): Preferences {
  return Object.fromEntries(Object.entries(usage).filter(([, verdict]) => verdict === 'disallow'));
}

/** A preference line without the path that it may begin with (robots §10.1, §10.2, R49). */
export function withoutPath(value: string): string {
  return value.trim().replace(/^\/[^ \t]*[ \t]*/, '');
}

/** The preferences of one file for one crawler. A URL is absolute, or a path with query, as for `rules.decide`. */
interface SitePreferences {
  /**
   * Category → verdict; absent is unknown. Empty for a URL that may not be fetched.
   * @throws RobotsError `foreign-url`, as `rules.decide`, if the file has preference lines.
   */
  preferences(url: string | URL): Preferences;
  /** The Content-Signal values: key → `allow`, `disallow`, or the level of `use`; absent is unknown. */
  signals(url: string | URL): Readonly<Record<string, string>>;
}

/** Reads the preference lines once; reuse the result (robots §10.1, §10.2, R49, R51). */
export function sitePreferences(rules: RobotsRules): SitePreferences {
  const sources = rules.fields.map((fields) => ({
    usage: valuesOf(fields, 'content-usage', parseContentUsage),
    signals: valuesOf(fields, 'content-signal', parseContentSignal),
  }));
  if (sources.every(({ usage, signals }) => usage.length === 0 && signals.length === 0)) return NO_PREFERENCES;
  const allSignals = sources.flatMap(({ signals }) => signals);
  return {
    preferences(url) {
      if (!rules.isAllowed(url)) return {};
      return sources
        .map(({ usage, signals }) => resolvePreferences(usage, signals, String(url)))
        .reduce(mergePreferences, {});
    },
    signals: (url) => resolveSignals(allSignals, String(url)),
  };
}

/** The result for most files, shared: a crawler keeps one for each authority. */
const NO_PREFERENCES: SitePreferences = { preferences: () => ({}), signals: () => ({}) };

// A reader of Structured Field dictionaries (RFC 9651 §4.2; robots §10.2). It accepts everything that the grammar does
// (items, inner lists, parameters, all eight bare types), since one bad member makes the whole field unreadable. Only
// tokens are returned, because only they have a meaning here.
//
// Constant patterns. Every alternative begins with its own character and ends where no other could continue, so that
// none can match in more than one way and each is linear.
const KEY = '[a-z*][a-z\\d_\\-.*]*';
const TOKEN = "[A-Za-z*][\\w!#$%&'*+\\-.^`|~:/]*";
const OTHER =
  '"(?:[ !#-[\\]-~]|\\\\["\\\\])*"|%"(?:[ !#$&-~]|%[\\da-f]{2})*"|@-?\\d{1,15}(?![\\d.])|-?(?:\\d{1,12}\\.\\d{1,3}|\\d{1,15})(?![\\d.])|:[A-Za-z\\d+/=]*:|\\?[01]';
const PARAMETERS = `(?:; *${KEY}(?:=(?:${TOKEN}|${OTHER}))?)*`;
const ITEM = `(?:${TOKEN}|${OTHER})${PARAMETERS}`;
const INNER_LIST = `\\( *(?:${ITEM}(?: +${ITEM})*)? *\\)`;
/** A member and the comma after it, which requires another member. */
const MEMBER = new RegExp(
  `(${KEY})(?:=(?:(${TOKEN})|${OTHER}|${INNER_LIST}))?${PARAMETERS}(?:$|[ \\t]*,[ \\t]*(?!$))`,
  'y',
);

/** Reads a dictionary: key → token, or `''` for other values; null when the text does not parse (RFC 9651 §4.2.2). */
export function parseDictionary(text: string): ReadonlyMap<string, string> | null {
  const members = readMembers(text);
  return members === null ? null : new Map(members);
}

/** The members of a dictionary in order, a repeated key each time. */
function readMembers(text: string): readonly (readonly [string, string])[] | null {
  const trimmed = text.replace(/^ +|(?<! ) +$/g, '');
  const member = new RegExp(MEMBER); // sticky: it has a position, so each call has its own
  const members: [string, string][] = [];
  while (member.lastIndex < trimmed.length) {
    const match = member.exec(trimmed);
    if (match === null) return null;
    members.push([match[1] as string, match[2] ?? '']);
  }
  return members;
}
