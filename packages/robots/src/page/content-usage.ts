// AI preferences that arrive with a response: the `Content-Usage` and `Content-Signal` fields, and the `noai` words
// (page-level §6).

import {
  mergePreferences,
  type Preferences,
  parseContentSignal,
  parseUsage,
  resolveSignals,
} from '../preferences/preference-fields.js';
import type { PageTags } from './tag-rules.js';

/**
 * Reads the field lines of `Content-Usage` as one dictionary. A key that differs between lines has its restrictive
 * value (DECISION L10). When a line does not parse the whole is no dictionary: what the other lines allow is unknown
 * then, while what they disallow still counts, which is the stricter error (page-level §6; RFC 9651 §4.2).
 * @param values - Raw field lines.
 */
export function parseContentUsageField(values: readonly string[]): Preferences {
  const lines = values.map(parseUsage);
  const merged = lines.reduce<Preferences>((left, right) => mergePreferences(left, right ?? {}), {});
  if (!lines.includes(null)) return merged;
  return Object.fromEntries(Object.entries(merged).filter(([, verdict]) => verdict === 'disallow'));
}

/**
 * Reads the field lines of `Content-Signal` like the line of robots.txt (page-level §6).
 * @param url - The URL of the response.
 * @returns Key → `allow`, `disallow`, or the word of `use`.
 */
export function parseContentSignalField(values: readonly string[], url: string): Readonly<Record<string, string>> {
  return resolveSignals(
    values.flatMap((value) => parseContentSignal(value) ?? []),
    url,
  );
}

/** What `noai` and `noimageai` say about categories of use: both refuse training and input (page-level §2). */
export function tagPreferences(tags: PageTags): Preferences {
  const refuses = tags.restrictions.includes('noai') || tags.restrictions.includes('noimageai');
  return refuses ? { 'train-ai': 'disallow', 'ai-input': 'disallow' } : {};
}
