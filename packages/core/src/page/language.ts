// The language that a page declares. It is what the site says, not a guess from the text.

import { Parser } from 'htmlparser2';
import { type HeaderLines, headerValue } from '../fetch/outcome.js';
import { LANGUAGE_CHARS } from './limits.js';

/**
 * The language of a page: `lang` of its `html` element, otherwise its `meta` with `http-equiv=content-language`,
 * otherwise the field Content-Language; the last two count only where they name one language.
 *
 * @param html - `null`: it is no HTML, and only the field counts.
 * @returns A language tag in canonical form, such as `pt-BR`; `null`: none is declared, or it is no tag.
 * @throws Never
 * @see HTML, "The lang and xml:lang attributes"
 */
export function declaredLanguage(html: string | null, headers: HeaderLines): string | null {
  const { root, pragma } = html === null ? NONE : languagesIn(html.slice(0, LANGUAGE_CHARS));
  return canonicalTag(root ?? pragma ?? headerValue(headers, 'content-language') ?? '');
}

const NONE = { root: null, pragma: null };

function languagesIn(head: string): { readonly root: string | null; readonly pragma: string | null } {
  let root: string | null = null;
  let pragma: string | null = null;
  let isOver = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (isOver) return;
      if (name === 'html') root ??= attributes['lang'] ?? attributes['xml:lang'] ?? null;
      if (name === 'meta' && attributes['http-equiv']?.toLowerCase() === 'content-language') {
        pragma ??= attributes['content'] ?? null;
      }
      isOver = name === 'body';
    },
  });
  parser.end(head);
  return { root, pragma };
}

/** Sites write `de_DE` too. */
function canonicalTag(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text.trim().replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null; // No tag, or a list of them.
  }
}
