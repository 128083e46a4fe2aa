// What a site wants signatures to look like (`Accept-Signature`, RFC 9421 section 5), as far as we can comply
// (specification, identity 6).

import { type InnerList, isInnerList, serializeItem } from 'structured-headers';
import { MAX_REQUESTED_NONCE_CHARS } from './limits.js';
import { ALGORITHM, agentComponent, REQUEST_TAG } from './profile.js';
import type { SigningTerms } from './sign-request.js';
import { parseMembers } from './structured-field.js';

/** Components that are signed if a site requests them: none that an intermediary changes, and no body. */
const SIGNABLE: readonly string[] = ['"@method"', '"@authority"', '"@path"', '"@query"'];
const PARAMETERS: readonly string[] = ['created', 'expires', 'keyid', 'alg', 'nonce', 'tag'];

/**
 * The terms that answer a field: its label, its components and its nonce; `null` if it requests anything else.
 *
 * @param own - The terms of the crawl. Host and agent are covered in any case.
 */
export function requestedTerms(field: string, own: SigningTerms, keyid: string): SigningTerms | null {
  for (const [label, member] of parseMembers(field) ?? []) {
    const terms = isInnerList(member) ? termsOf(label, member, own, keyid) : null;
    if (terms !== null) return terms;
  }
  return null;
}

function termsOf(label: string, [items, parameters]: InnerList, own: SigningTerms, keyid: string): SigningTerms | null {
  const agent = agentComponent(own.form, label);
  const requested = items.map((item) => serializeItem(item));
  const matches = (name: string, expected: string): boolean =>
    !parameters.has(name) || parameters.get(name) === expected;
  const nonce = parameters.get('nonce') ?? own.nonce;
  const isPlain =
    [...parameters.keys()].every((name) => PARAMETERS.includes(name)) &&
    requested.every((each) => each === agent || SIGNABLE.includes(each)) &&
    new Set(requested).size === requested.length &&
    matches('tag', REQUEST_TAG) &&
    matches('keyid', keyid) &&
    matches('alg', ALGORITHM) &&
    (!parameters.has('nonce') || isPlainText(nonce));
  if (!isPlain) return null;
  const components = requested.filter((each) => each !== agent);
  const needed = components.includes('"@authority"') ? components : [...components, '"@authority"'];
  return { ...own, label, components: needed, nonce };
}

/** It is sent unchanged, between quotes. */
function isPlainText(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && text.length <= MAX_REQUESTED_NONCE_CHARS && !/["\\]/.test(text);
}
