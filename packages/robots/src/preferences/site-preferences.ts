// What a robots.txt says may be done with content, for one crawler: the Content-Usage and Content-Signal lines of the
// groups that speak to it. They never make a URL disallowed by themselves (robots §10).

import type { RobotsRules } from '../rules.js';
import {
  mergePreferences,
  type Preferences,
  parseContentSignal,
  parseContentUsage,
  resolvePreferences,
  resolveSignals,
} from './preference-fields.js';

/** The answers of one file to one crawler. */
export interface SitePreferences {
  /**
   * Category → `allow` or `disallow`; absent is unknown. Empty for a URL that may not be fetched. Lines before the
   * first group and lines of the groups are weighed apart, and disallow counts over allow over unknown.
   */
  preferences(url: string): Preferences;
  /** The Content-Signal values: key → `allow`, `disallow`, or for `use` its word; absent is unknown. */
  signals(url: string): Readonly<Record<string, string>>;
}

/**
 * Reads the preference lines once; ask as often as you like (robots §10.1, §10.2, R49, R51).
 * @param rules - Compiled rules; later questions go to them.
 */
export function sitePreferences(rules: RobotsRules): SitePreferences {
  const sources = rules.fields.map((fields) => {
    const read = <T>(name: string, parse: (value: string) => T | null): T[] =>
      fields.filter(({ field }) => field === name).flatMap(({ value }) => parse(value) ?? []);
    return { usage: read('content-usage', parseContentUsage), signals: read('content-signal', parseContentSignal) };
  });
  if (sources.every(({ usage, signals }) => usage.length === 0 && signals.length === 0)) return NO_PREFERENCES;
  const allSignals = sources.flatMap(({ signals }) => signals);
  return {
    preferences(url) {
      if (!rules.isAllowed(url)) return {};
      return sources.map(({ usage, signals }) => resolvePreferences(usage, signals, url)).reduce(mergePreferences, {});
    },
    signals: (url) => resolveSignals(allSignals, url),
  };
}

/** Most files. */
const NO_PREFERENCES: SitePreferences = { preferences: () => ({}), signals: () => ({}) };
