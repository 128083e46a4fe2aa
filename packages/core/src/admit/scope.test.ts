// The scope judges every URL that enters the crawl. At stake: a path by which a URL enters that the operator excluded.

import type { Via } from '@mannerly/frontier';
import { parseUrlParts, type UrlParts } from '@mannerly/frontier/internal';
import { describe, expect, it } from 'vitest';
import type { ScopeOptions } from '../options/crawler-options.js';
import { resolveOptions } from '../options/options.js';
import { resolveScope } from './admit-options.js';
import { MAX_SCOPE_MOVES } from './limits.js';
import { Scope } from './scope.js';

const BASE = { identity: { name: 'tester', contact: 'https://example.org/us' }, bounds: { pages: 1 } };
const SEEDS = { seeds: ['https://www.example.org/docs/'] };

function judge(options: Omit<ScopeOptions, 'seeds'>, url: string, via: Via = 'link'): string {
  const answer = new Scope(resolveScope({ ...SEEDS, ...options })).outsideReason(parseUrlParts(url) as UrlParts, via);
  return answer === null ? 'in' : answer.reason;
}

describe('the scope', () => {
  const all: Omit<ScopeOptions, 'seeds'> = {
    within: 'domain',
    prefixes: ['/docs/', '/blog/'],
    include: ['/*.html', /\/$/],
    exclude: ['/docs/private/', 'https://old.example.org'],
    allows: (url) => !url.includes('draft'),
  };

  it.each<[string, string]>([
    ['https://www.example.org/docs/a.html', 'in'],
    ['http://api.example.org:8080/blog/', 'in'],
    ['https://www.example.net/docs/a.html', 'out-of-scope'],
    ['https://www.example.org/shop/a.html', 'out-of-scope'],
    ['https://www.example.org/docs/a.pdf', 'out-of-scope'],
    ['https://www.example.org/docs/private/a.html', 'scope-excluded'],
    ['https://old.example.org/docs/a.html', 'scope-excluded'],
    ['https://www.example.org/docs/draft-a.html', 'hook-refused'],
  ])('with every option set: %s is %s', (url, expected) => {
    expect(judge(all, url)).toBe(expected);
  });

  it.each<Via>(['seed', 'link', 'redirect', 'sitemap', 'feed', 'handler', 'companion', 'dataset'])(
    'judges a %s like any other URL, and passes its kind to the function',
    (via) => {
      const calls: [string, Via][] = [];
      const allows = (url: string, path: Via) => calls.push([url, path]) > 1;
      expect(judge({ ...all, allows }, 'https://me:you@www.example.org/docs/a.html#x', via)).toBe('hook-refused');
      expect(calls).toEqual([['https://www.example.org/docs/a.html', via]]);
    },
  );

  it('a function can refuse and never admit, and any result but true is a refusal', () => {
    expect(judge({ allows: () => true }, 'https://elsewhere.test/')).toBe('out-of-scope');
    expect(judge({ exclude: ['/x'], allows: () => true }, 'https://www.example.org/x')).toBe('scope-excluded');
    for (const answer of [undefined, null, 0, '', 'yes', 1, Promise.resolve(true)]) {
      expect(judge({ allows: () => answer as unknown as boolean }, 'https://www.example.org/')).toBe('hook-refused');
    }
  });

  it.each<[string, unknown, unknown[]]>([
    ['nothing of an answer', false, []],
    ['a promise', Promise.resolve(true), ['https://www.example.org/ TypeError: answered a promise']],
    ['no answer', undefined, ['https://www.example.org/ TypeError: answered undefined']],
  ])('a function that returns %s is reported', (_what, answer, expected) => {
    const scope = new Scope({ ...SEEDS, allows: () => answer as boolean });
    const notices: string[] = [];
    scope.onError = (url, error) => notices.push(`${url} ${String(error).split(',')[0]}`);
    scope.outsideReason(parseUrlParts('https://www.example.org/') as UrlParts, 'link');
    expect(notices).toEqual(expected);
  });

  it('a promise that rejects is reported, and does not end the process: nothing awaits it', async () => {
    const scope = new Scope({ ...SEEDS, allows: (() => Promise.reject(new Error('no such table'))) as never });
    const notices: string[] = [];
    scope.onError = (_url, error) => notices.push(String(error));
    scope.outsideReason(parseUrlParts('https://www.example.org/') as UrlParts, 'link');
    expect(notices).toEqual([expect.stringContaining('answered a promise')]);
    await new Promise((done) => setImmediate(done));
  });

  it('a function that throws refuses, and the error is reported', () => {
    const allows = () => {
      throw new Error('no such table');
    };
    expect(
      new Scope({ ...SEEDS, allows }).outsideReason(parseUrlParts('https://www.example.org/') as UrlParts, 'link'),
    ).toEqual({
      reason: 'hook-refused',
      detail: 'scope.allows threw: Error: no such table',
    });
  });

  it.each<[string, string]>([
    ['https://www.example.org/docs/', 'in'],
    ['https://example.org/docs/', 'in'],
    ['https://example.org.uk/docs/', 'out-of-scope'],
  ])('within surt: %s is %s', (url, expected) => {
    expect(judge({ within: 'surt', surts: ['(org,example,'] }, url)).toBe(expected);
  });

  it.each<[string, string]>([
    ['https://elsewhere.test:8080/', 'in'],
    ['http://192.0.2.1/', 'in'],
    ['https://elsewhere.test/private/', 'scope-excluded'],
  ])('within any: %s is %s', (url, expected) => {
    expect(judge({ within: 'any', exclude: ['/private/'] }, url)).toBe(expected);
  });

  it('within any needs a bound on pages or minutes, like every scope', () => {
    const options = { identity: BASE.identity, scope: { ...SEEDS, within: 'any' }, bounds: { depth: 2 } };
    expect(() => resolveOptions(options as never)).toThrow(expect.objectContaining({ code: 'bounds-missing' }));
  });

  it.each<[object, string]>([
    [{ within: 'web' }, '`scope.within` to be one of host, domain, list, surt, any, got "web"'],
    [{ within: 'list' }, '`scope.hosts`'],
    [{ within: 'list', hosts: [] }, '`scope.hosts`'],
    [{ within: 'list', hosts: ['a.test', 'https://www.example.org/'] }, '`scope.hosts[1]`'],
    [{ within: 'list', hosts: ['www.example.org/docs'] }, '`scope.hosts[0]`'],
    [{ within: 'list', hosts: ['*.example.org'] }, '`scope.hosts[0]`'],
    [{ within: 'list', hosts: ['me@example.org'] }, '`scope.hosts[0]`'],
    [{ within: 'list', hosts: [''] }, '`scope.hosts[0]`'],
    [{ within: 'surt' }, '`scope.surts`'],
    [{ surts: ['(org,'] }, '`scope.surts` needs `scope.within` to be surt'],
    [{ prefixes: ['docs'] }, '`scope.prefixes[0]`'],
    [{ prefixes: '/docs' }, '`scope.prefixes`'],
    [{ include: ['docs'] }, '`scope.include`'],
    [{ exclude: ['docs'] }, '`scope.exclude`'],
    [{ allows: true }, '`scope.allows`'],
  ])('%j is refused, and the message names it', (options, message) => {
    expect(() => resolveOptions({ ...BASE, scope: { ...SEEDS, ...options } as ScopeOptions })).toThrow(
      expect.objectContaining({ code: 'option-invalid', message: expect.stringContaining(message) }),
    );
  });
});

it.each<[string, string, string]>([
  ['/bücher/', '/b%C3%BCcher/1', 'in'],
  ['/b%c3%bccher/', '/b%C3%BCcher/1', 'in'],
  ['/~joe/', '/%7Ejoe/', 'in'],
  ['/a b/', '/a%20b/c', 'in'],
  ['/a*c/', '/a*c/1', 'in'],
  ['/a*c/', '/abc/', 'out-of-scope'],
  ['/a$', '/a$b', 'in'],
  ['/a$', '/a', 'out-of-scope'],
  ['/bücher/', '/', 'out-of-scope'],
  ['/docs/a', '/docs/?/docs/a', 'out-of-scope'],
])('the prefix %s and the path %s: %s', (prefix, path, expected) => {
  expect(judge({ prefixes: [prefix] }, `https://www.example.org${path}`)).toBe(expected);
});

it.each<[Omit<ScopeOptions, 'seeds'>, string | undefined]>([
  [{ exclude: ['/b', '/a*'] }, 'by /a*'],
  [{ exclude: [/A$/i] }, 'by /A$/i'],
  [{ prefixes: ['/b'] }, 'its path begins with none of `scope.prefixes`'],
  [{ include: ['/b'] }, 'no pattern of `scope.include` matches it'],
  [{ within: 'list', hosts: ['example.org'] }, undefined],
])('the detail of a refusal names the option or the pattern: %j', (options, detail) => {
  const url = parseUrlParts('https://www.example.org/a') as UrlParts;
  const scope = new Scope(resolveScope({ ...SEEDS, ...options }));
  expect(scope.outsideReason(url, 'link')?.detail).toBe(detail);
});

it('a sitemap may have any path, since paths apply only to pages', () => {
  const narrow = { prefixes: ['/docs/'], include: ['/*.html'], exclude: ['/old'] };
  const of = (url: string, via: Via) => judge(narrow, url, via);
  expect(of('https://www.example.org/sitemap.xml', 'companion')).toBe('in');
  expect(of('https://www.example.org/sitemap.xml', 'link')).toBe('out-of-scope');
  expect(of('https://www.example.org/old/sitemap.xml', 'companion')).toBe('scope-excluded');
  expect(of('https://elsewhere.test/sitemap.xml', 'companion')).toBe('out-of-scope');
});

describe('a scope whose seed redirects', () => {
  const seed = 'http://example.org/';
  const inScope = (scope: Scope, url: string) => scope.outsideReason(parseUrlParts(url) as UrlParts, 'link') === null;

  it('follows its seed to another host of the domain, hop by hop, and keeps the first host', () => {
    const scope = new Scope({ seeds: [seed] });
    expect(scope.redirected(seed, 'https://example.org/')).toBeNull();
    expect(scope.redirected('https://example.org/', 'https://www.example.org/')).toEqual({
      from: 'https://example.org/',
      to: 'https://www.example.org/',
    });
    expect(scope.redirected('https://www.example.org/', 'https://en.example.org/home')).not.toBeNull();
    const urls = ['https://en.example.org/x', 'http://www.example.org/x', 'https://example.org/x'];
    expect(urls.map((url) => inScope(scope, url))).toEqual([true, true, true]);
    expect(inScope(scope, 'https://fr.example.org/')).toBe(false);
  });

  it.each<[string, ConstructorParameters<typeof Scope>[0], string, string]>([
    ['a page that is no seed', { seeds: [seed] }, 'http://example.org/page', 'http://www.example.org/page'],
    ['another domain', { seeds: [seed] }, seed, 'https://example.com/'],
    ['a neighbour under a public suffix', { seeds: ['http://a.co.uk/'] }, 'http://a.co.uk/', 'http://b.co.uk/'],
    ['a list of hosts', { seeds: [seed], within: 'list', hosts: ['example.org'] }, seed, 'https://www.example.org/'],
    ['SURTs', { seeds: [seed], within: 'surt', surts: ['(org,example,)'] }, seed, 'https://www.example.org/'],
    ['what is no web address', { seeds: [seed] }, seed, 'ftp://www.example.org/'],
  ])('does not change for %s', (_name, options, from, to) => {
    const scope = new Scope(options);
    expect(scope.redirected(from, to)).toBeNull();
    expect(inScope(scope, to.replace('ftp:', 'http:'))).toBe(false);
  });

  it('applies its other rules to the new host', () => {
    const scope = new Scope({ seeds: [seed], exclude: ['/private'] });
    scope.redirected(seed, 'https://www.example.org/');
    expect(scope.outsideReason(parseUrlParts('https://www.example.org/private') as UrlParts, 'redirect')).toMatchObject(
      {
        reason: 'scope-excluded',
      },
    );
  });

  it('restores earlier changes, but only possible ones', () => {
    const scope = new Scope({ seeds: [seed] });
    scope.restore([
      { from: seed, to: 'https://www.example.org/' },
      { from: 'https://www.example.org/', to: 'https://en.example.org/' },
      { from: 'https://unmet.test/', to: 'https://www.unmet.test/' },
    ]);
    expect(['https://en.example.org/', 'https://www.unmet.test/'].map((url) => inScope(scope, url))).toEqual([
      true,
      false,
    ]);
  });

  it('moves a bounded number of times, and to no text that is not a URL', () => {
    const at = (index: number) => `https://h${index}.example.org/`;
    const scope = new Scope(resolveScope({ seeds: [at(0)] }));
    expect(scope.redirected(at(0), 'nonsense')).toBeNull();
    for (let index = 0; index < MAX_SCOPE_MOVES; index += 1)
      expect(scope.redirected(at(index), at(index + 1))).not.toBeNull();
    expect(scope.redirected(at(MAX_SCOPE_MOVES), at(MAX_SCOPE_MOVES + 1))).toBeNull();
    expect([scope.contains(at(MAX_SCOPE_MOVES)), scope.contains(at(MAX_SCOPE_MOVES + 1))]).toEqual([true, false]);
  });
});
