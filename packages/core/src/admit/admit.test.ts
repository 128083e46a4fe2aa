// At stake: a URL outside the crawl's scope or bounds must not reach the frontier by any path.
import type { NewUrl, Via } from '@mannerly/frontier';
import { describe, expect, it } from 'vitest';
import { createAdmit, seedUrls } from './admit.js';
import { MAX_REDIRECT_HOPS } from './limits.js';
import { Scope } from './scope.js';

type ScopeInput = ConstructorParameters<typeof Scope>[0];

const candidate = (url: string, more: Partial<NewUrl> = {}): NewUrl => ({ url, depth: 1, via: 'link', ...more });

function answer(scope: ScopeInput, url: string, more: Partial<NewUrl> = {}): string {
  const { admitted, refused } = createAdmit(new Scope(scope), { depth: 3 })([candidate(url, more)]);
  return refused[0]?.reason ?? admitted[0]?.url ?? 'nothing';
}

const HOST: ScopeInput = { seeds: ['https://www.example.co.uk/start'] };
const DOMAIN: ScopeInput = { ...HOST, within: 'domain' };
const LIST: ScopeInput = { ...HOST, within: 'list', hosts: ['a.test', 'b.test:8080'] };
const LISTED: ScopeInput = { ...HOST, within: 'list', hosts: ['Bücher.test', '[::1]:8080', 'C.test:443'] };

describe('egress', () => {
  it.each<[string, ScopeInput, string, string]>([
    ['the host of a seed', HOST, 'https://www.example.co.uk/x', 'https://www.example.co.uk/x'],
    [
      'that host by another scheme and port',
      HOST,
      'http://www.example.co.uk:8080/x',
      'http://www.example.co.uk:8080/x',
    ],
    ['a sister host', HOST, 'https://shop.example.co.uk/x', 'out-of-scope'],
    ['a host that only begins alike', HOST, 'https://www.example.co.uk.evil.test/x', 'out-of-scope'],
    ['a sister host within the domain', DOMAIN, 'https://shop.example.co.uk/x', 'https://shop.example.co.uk/x'],
    ['a neighbour under the same public suffix', DOMAIN, 'https://other.co.uk/x', 'out-of-scope'],
    ['a listed host', LIST, 'http://a.test:99/x', 'http://a.test:99/x'],
    ['a listed host and port', LIST, 'http://b.test:8080/x', 'http://b.test:8080/x'],
    ['a listed host on another port', LIST, 'http://b.test/x', 'out-of-scope'],
    ['a listed host in letters of its own', LISTED, 'http://xn--bcher-kva.test/x', 'http://xn--bcher-kva.test/x'],
    ['a listed address and port', LISTED, 'http://[::1]:8080/x', 'http://[::1]:8080/x'],
    ['a listed address on another port', LISTED, 'http://[::1]/x', 'out-of-scope'],
    ['a listed host on the port of its scheme', LISTED, 'https://c.test/x', 'https://c.test/x'],
    ['a listed host by another scheme', LISTED, 'http://c.test/x', 'out-of-scope'],
    ['the seed itself when it is not listed', LIST, 'https://www.example.co.uk/x', 'out-of-scope'],
    [
      'an excluded path',
      { ...HOST, exclude: ['/private', '/list?page='] },
      'https://www.example.co.uk/private/x',
      'scope-excluded',
    ],
    [
      'an excluded query',
      { ...HOST, exclude: ['/list?page='] },
      'https://www.example.co.uk/list?page=2',
      'scope-excluded',
    ],
    [
      'a path that only contains it',
      { ...HOST, exclude: ['/private'] },
      'https://www.example.co.uk/a/private',
      'https://www.example.co.uk/a/private',
    ],
    ['another scheme', HOST, 'ftp://www.example.co.uk/x', 'url-scheme'],
    ['a script', HOST, 'javascript:alert(1)', 'url-scheme'],
    ['no URL at all', HOST, 'http://[', 'url-invalid'],
    ['a fragment', HOST, 'https://www.example.co.uk/x#part', 'https://www.example.co.uk/x'],
    ['an empty fragment', HOST, 'https://www.example.co.uk/x#', 'https://www.example.co.uk/x'],
    ['credentials', HOST, 'https://user:secret@www.example.co.uk/x', 'https://www.example.co.uk/x'],
  ])('%s', (_name, scope, url, expected) => {
    expect(answer(scope, url)).toBe(expected);
  });

  it.each<[string, Partial<NewUrl>, string]>([
    ['the deepest page allowed', { depth: 3 }, 'https://www.example.co.uk/x'],
    ['one link deeper', { depth: 4 }, 'bound-depth'],
    ['the last hop allowed', { hops: MAX_REDIRECT_HOPS }, 'https://www.example.co.uk/x'],
    ['one hop more', { hops: MAX_REDIRECT_HOPS + 1 }, 'redirect-limit'],
  ])('%s', (_name, more, expected) => {
    expect(answer(HOST, 'https://www.example.co.uk/x', more)).toBe(expected);
  });

  it.each<Via>(['seed', 'link', 'redirect', 'sitemap', 'feed', 'handler', 'companion', 'dataset'])(
    'applies the same scope to a %s',
    (via) => {
      const userData = { sitemap: { level: 0 } };
      expect(answer(HOST, 'https://elsewhere.test/', { via, userData })).toBe('out-of-scope');
    },
  );

  it('lets a file next to robots.txt redirect anywhere, as robots.txt may', () => {
    expect(answer(HOST, 'https://elsewhere.test/', { via: 'companion' })).toBe('https://elsewhere.test/');
  });

  it.each<Via>(['seed', 'link', 'redirect', 'sitemap', 'feed', 'handler', 'companion', 'dataset'])(
    'takes a %s for a trap only if pages lead to it',
    (via) => {
      const traps = { drops: true, checkCandidate: () => ({ rule: 'long-path', pattern: '/x' }) as const };
      const { refused } = createAdmit(new Scope(HOST), { depth: 3 }, traps)([candidate(HOST.seeds[0] ?? '', { via })]);
      expect(refused.map(({ reason }) => reason)).toEqual(via === 'link' || via === 'redirect' ? ['trap'] : []);
    },
  );

  it('keeps what a candidate carries', () => {
    const { admitted } = createAdmit(new Scope(HOST), { depth: 3 })([
      candidate('https://www.example.co.uk/x#y', {
        label: 'list',
        userData: { page: 2 },
        from: 'https://www.example.co.uk/',
        hops: 1,
      }),
    ]);
    expect(admitted).toEqual([
      {
        url: 'https://www.example.co.uk/x',
        depth: 1,
        via: 'link',
        label: 'list',
        userData: { page: 2 },
        from: 'https://www.example.co.uk/',
        hops: 1,
      },
    ]);
  });

  it('accepts any depth without a bound', () => {
    const admit = createAdmit(new Scope(HOST), { depth: null });
    expect(admit([candidate('https://www.example.co.uk/x', { depth: 1_000_000 })]).admitted).toHaveLength(1);
  });

  it('accepts seeds at depth 0, before links', () => {
    const start = { url: 'https://www.example.co.uk/start', label: 'list', userData: 1 };
    expect(seedUrls([start])).toEqual([{ ...start, depth: 0, via: 'seed', priority: 2 }]);
  });
});
