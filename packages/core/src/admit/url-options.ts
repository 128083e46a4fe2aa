// Which URLs count as one: the canonical rules of a crawl. What the rules are: docs/urls.md.

import { CANONICAL_RULES, type CanonicalRule, canonicalRulesWith, trackingParameters } from '@mannerly/frontier';
import { MannerlyError } from '../errors.js';

/**
 * The canonical rules of a crawl, in their order.
 *
 * @param options - The option `urls`, checked by the option table.
 * @throws MannerlyError `option-invalid` for tracking parameters next to rules of the user's own.
 */
export function resolveUrlOptions(
  options: {
    readonly trackingParameters?: 'keep' | 'drop' | readonly string[];
    readonly rules?: readonly CanonicalRule[];
  } = {},
): readonly CanonicalRule[] {
  const { rules, trackingParameters: tracking } = options;
  if (rules !== undefined && tracking !== undefined) {
    throw new MannerlyError(
      'option-invalid',
      `expected \`urls.trackingParameters\` to be absent next to \`urls.rules\`, got ${JSON.stringify(tracking)}`,
    );
  }
  if (rules !== undefined) return [...rules];
  if (tracking === undefined || tracking === 'keep') return CANONICAL_RULES;
  if (tracking === 'drop') return canonicalRulesWith(trackingParameters());
  return canonicalRulesWith(trackingParameters(tracking.map((name) => name.toLowerCase())));
}
