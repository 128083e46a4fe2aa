// The language that a page declares, not a guess from its text.

import type { CheerioAPI } from 'cheerio';
import { type HeaderLines, headerValue } from '../fetch/outcome.js';
import { loadDocument } from './cheerio.js';
import { LANGUAGE_CHARS } from './limits.js';

/**
 * The language of a page: `lang` of its `html` element, otherwise its `meta` with `http-equiv=content-language`,
 * otherwise the field Content-Language. The last two count only if they name a single language.
 * @param html - `null`: it is not HTML, and only the field counts.
 * @returns A tag in canonical form, such as `pt-BR`; `null`: none is declared, or it is invalid.
 */
export function declaredLanguage(html: string | null, headers: HeaderLines): string | null {
  return canonicalTag((html === null ? null : languageIn(html)) ?? headerValue(headers, 'content-language') ?? '');
}

function languageIn(html: string): string | null {
  let $: CheerioAPI;
  try {
    $ = loadDocument(html.slice(0, LANGUAGE_CHARS), false);
  } catch {
    return null; // It is too much for a tree.
  }
  const root = $('html').attr() ?? {};
  const pragma = $('head > meta[http-equiv="content-language" i]').attr('content');
  return root['lang'] ?? root['xml:lang'] ?? pragma ?? null;
}

/** Sites also write `de_DE`. */
function canonicalTag(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text.trim().replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null; // No tag, or a list of them.
  }
}
