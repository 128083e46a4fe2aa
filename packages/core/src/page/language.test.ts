// A declared language is read from the site's own declarations, in the order in which browsers read them.

import { describe, expect, it } from 'vitest';
import { declaredLanguage } from './language.js';

describe('the declared language', () => {
  const rows: [html: string | null, field: string | null, expected: string | null][] = [
    ['<!doctype html><html lang="pt-br"><p>x', null, 'pt-BR'],
    ['<!-- <html lang=fr> --><html class=a LANG=de_DE>', 'en', 'de-DE'],
    ['<html xml:lang=nl>', null, 'nl'],
    ['<html><meta http-equiv=Content-Language content=it>', 'en', 'it'],
    ['<html><body><meta http-equiv=content-language content=it>', 'en', 'en'],
    ['<html>', 'en', 'en'],
    ['<html>', 'en, fr', null],
    ['<html lang="">', 'en', null],
    ['<html lang="not a tag">', null, null],
    ['<p>no html element', null, null],
    [`${' '.repeat(20_000)}<html lang=de>`, null, null],
    [`<html lang=de>${'<div>'.repeat(2_000)}`, 'en', 'en'], // Too deep for a tree.
    [null, 'fr-CA', 'fr-CA'],
    [null, null, null],
  ];
  it.each(rows)('of %j with Content-Language %j is %j', (html, field, expected) => {
    expect(declaredLanguage(html, field === null ? [] : [['Content-Language', field]])).toBe(expected);
  });
});
