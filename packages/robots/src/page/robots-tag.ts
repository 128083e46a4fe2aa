// `X-Robots-Tag` and `Robots-Tag`: rules in response fields, some of them for named agents only (page-level §3). An
// agent's scope ends with its field line, which is why raw lines are wanted.

import { MAX_TAG_CHARS } from '../limits.js';
import { isValuedRule, mergeTags, NO_TAGS, type PageTags, readTagRule, tagPieces } from './tag-rules.js';

/**
 * Reads the field lines of `X-Robots-Tag` (page-level §3).
 * @param values - Raw field lines, each by itself.
 * @param tokens - The crawler's product tokens; compared whole, ignoring case.
 * @param isJoined - Lines may have been joined into one: rules behind any agent then also apply to all, the stricter
 *   error (DECISION L5). Default false.
 */
export function parseRobotsTag(values: readonly string[], tokens: readonly string[], isJoined = false): PageTags {
  const rules: PageTags[] = [];
  for (const value of values) {
    let applies = true;
    for (const piece of tagPieces(value)) {
      const { agent, rule } = splitAgent(piece);
      if (agent !== null) applies = isOurs(agent, tokens);
      if ((applies || isJoined) && rule !== '') rules.push(readTagRule(rule));
    }
  }
  return rules.length === 0 ? NO_TAGS : mergeTags(rules);
}

/**
 * Reads the field lines of `Robots-Tag`: lists of rules for `token=`, for `*=` or for all, separated by semicolons
 * (draft-illyes-repext; page-level §3, DECISION L6).
 * @param values - Raw field lines.
 * @param tokens - The crawler's product tokens.
 */
export function parseRobotsTagLists(values: readonly string[], tokens: readonly string[]): PageTags {
  const lists = values.flatMap((value) => value.slice(0, MAX_TAG_CHARS).split(';'));
  const rules = lists.flatMap((list) => {
    const match = /^([^=,:]*)=(.*)$/s.exec(list);
    const token = match?.[1]?.trim() ?? '';
    if (token !== '' && !isOurs(token, tokens)) return [];
    return tagPieces(match?.[2] ?? list).map(readTagRule);
  });
  return rules.length === 0 ? NO_TAGS : mergeTags(rules);
}

/** `word: rest` names an agent unless the word is a rule that takes a value. */
function splitAgent(piece: string): { agent: string | null; rule: string } {
  const match = /^([^\s:]+)[ \t]*:(.*)$/s.exec(piece);
  const word = match?.[1] ?? '';
  if (match === null || isValuedRule(word)) return { agent: null, rule: piece };
  return { agent: word, rule: match[2]?.trim() ?? '' };
}

function isOurs(agent: string, tokens: readonly string[]): boolean {
  const name = agent.toLowerCase();
  return name === '*' || tokens.some((token) => token.toLowerCase() === name);
}
