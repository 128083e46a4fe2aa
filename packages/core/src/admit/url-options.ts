// Which URLs count as one: the canonical rules of a crawl. What the rules are: docs/urls.md.

import { CANONICAL_RULES, type CanonicalRule, canonicalRulesWith, trackingParameters } from '@mannerly/frontier';
import { invalidOption, MannerlyError } from '../errors.js';

/** Which URLs count as one. It decides what is known, never what is requested. The same for all runs of a crawl, or pages are fetched again. */
export interface UrlOptions {
  /**
   * Parameters that say where a visitor came from: `keep` them, `drop` those of `TRACKING_PARAMETERS`, or drop the ones named
   * here (a `*` at the end of a name stands for any ending). Dropping may take two pages for one. @default 'keep'
   */
  readonly trackingParameters?: 'keep' | 'drop' | readonly string[];
  /** Other rules in the place of the default ones, in their order; then `trackingParameters` is left to them. @default CANONICAL_RULES */
  readonly rules?: readonly CanonicalRule[];
}

/**
 * Checks the option `urls`.
 *
 * @returns The rules in their order.
 * @throws MannerlyError `option-invalid`, `option-unknown`.
 */
export function resolveUrlOptions(given: UrlOptions = {}): readonly CanonicalRule[] {
  if (typeof given !== 'object' || given === null) throw invalidOption('urls', 'an object', given);
  const unknown = Object.keys(given).find((name) => name !== 'trackingParameters' && name !== 'rules');
  if (unknown !== undefined) {
    const message = `\`urls.${unknown}\` is no option of createCrawler; known are trackingParameters, rules`;
    throw new MannerlyError('option-unknown', message);
  }
  const { rules, trackingParameters: tracking } = given;
  if (rules !== undefined) {
    const isRule = (rule: unknown): boolean =>
      typeof rule === 'object' && rule !== null && 'apply' in rule && typeof rule.apply === 'function';
    if (!Array.isArray(rules) || !rules.every(isRule))
      throw invalidOption('urls.rules', 'a list of canonical rules', rules);
    if (tracking !== undefined) throw invalidOption('urls.trackingParameters', 'absent beside `urls.rules`', tracking);
    return [...rules];
  }
  if (tracking === undefined || tracking === 'keep') return CANONICAL_RULES;
  if (tracking === 'drop') return canonicalRulesWith(trackingParameters());
  if (!Array.isArray(tracking) || !tracking.every((name) => typeof name === 'string' && /^[^*]+\*?$/.test(name))) {
    throw invalidOption('urls.trackingParameters', "'keep', 'drop' or a list of names", tracking);
  }
  return canonicalRulesWith(trackingParameters(tracking.map((name: string) => name.toLowerCase())));
}
