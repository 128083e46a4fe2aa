// The language that a page declares. It is what the site says, not a guess from the text.

import type { CheerioAPI } from 'cheerio';
import { type HeaderLines, headerValue } from '../fetch/outcome.js';
import { loadDocument } from './cheerio.js';
import { LANGUAGE_CHARS } from './limits.js';

/**
 * The language of a page: `lang` of its `html` element, otherwise its `meta` with `http-equiv=content-language`,
 * otherwise the field Content-Language; the last two count only where they name one language.
 * @param html - `null`: it is no HTML, and only the field counts.
 * @returns A tag in canonical form, such as `pt-BR`; `null`: none is declared, or it is no tag.
 */
export function declaredLanguage(html: string | null, headers: HeaderLines): string | null {
  return canonicalTag((html === null ? null : languageIn(html)) ?? headerValue(headers, 'content-language') ?? '');
}

function languageIn(html: string): string | null {
  const $ = beginningOf(html);
  if ($ === null) return null;
  const root = $('html').attr() ?? {};
  const pragma = $('head > meta[http-equiv="content-language" i]').attr('content');
  return root['lang'] ?? root['xml:lang'] ?? pragma ?? null;
}

/** `null`: it is too much for a tree. */
function beginningOf(html: string): CheerioAPI | null {
  try {
    return loadDocument(html.slice(0, LANGUAGE_CHARS), false);
  } catch {
    return null;
  }
}

/** Sites write `de_DE` too. */
function canonicalTag(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text.trim().replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null; // No tag, or a list of them.
  }
}
