// A host name with letters beyond ASCII must stay valid in a long process, although on Node 20 and 22 the optimised
// `URL.canParse` of the platform says that it is invalid. At stake: a second crawl in one process that refuses its
// seeds, and questions without an answer. A concatenated string takes the platform's slow path, which is correct.

import { beforeAll, describe, expect, it } from 'vitest';
import { createAdmit } from './admit/admit.js';
import { resolveScope } from './admit/admit-options.js';
import { Scope } from './admit/scope.js';
import { defaultDirectory } from './cli/crawl-directories.js';
import type { ScopeOptions } from './options/crawler-options.js';
import { resolveOptions } from './options/options.js';
import { requestedForm } from './report/explain.js';
import { politenessMatchers } from './testing/politeness-assertions.js';

/** After this many calls a function is optimised. */
const MANY = 200_000;

const PAGE = 'https://ex\u00e4mple.com/a';
const READ = 'https://xn--exmple-cua.com/a';
const SEEDS: ScopeOptions = { seeds: ['https://example.com/'] };

function refusalOf(url: string): string | undefined {
  const admit = createAdmit(new Scope(resolveScope(SEEDS)), { depth: 3 });
  return admit([{ url, depth: 1, via: 'link' }]).refused[0]?.reason;
}

function sitemapUrls(url: string): readonly string[] {
  const identity = { name: 'test-bot', contact: 'https://example.org/bot' };
  return resolveOptions({ identity, scope: SEEDS, bounds: { pages: 1 }, discover: { sitemapUrls: [url] } }).sitemapUrls;
}

const request = { url: READ, host: 'xn--exmple-cua.com', startMs: 0, endMs: 1 };

const ANSWERS: readonly (readonly [question: string, answer: () => unknown, expected: unknown])[] = [
  ['a seed', () => resolveScope({ seeds: [PAGE] }).seeds, [READ]],
  ['another scheme', () => refusalOf('ftp://ex\u00e4mple.com/a'), 'url-scheme'],
  ['no URL', () => refusalOf('ftp://ex\u00e4m ple.com/a'), 'url-invalid'],
  ['a sitemap', () => sitemapUrls(PAGE), [PAGE]],
  ['a question about a page', () => requestedForm('https://ex\u00e4mple.com/a#b'), READ],
  ['the folder of a crawl', () => defaultDirectory(PAGE, 0, () => false), 'crawls/xn--exmple-cua.com-1970-01-01'],
  ['an assertion', () => politenessMatchers.toHaveRequested([request], PAGE).pass, true],
];

describe('a host with Latin-1 letters, late in a process', () => {
  beforeAll(() => {
    let valid = 0;
    for (let each = 0; each < MANY; each += 1) if (URL.canParse(`https://example.com/${each}`)) valid += 1;
    expect(valid).toBe(MANY);
  });

  it.each(ANSWERS)('%s', (_asked, answer, expected) => {
    expect(answer()).toEqual(expected);
  });
});
