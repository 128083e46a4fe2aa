// What is at stake: a mistake in the options must be told before anything is asked of anybody, by name and with the value.
import { describe, expect, it } from 'vitest';
import { MannerlyError } from '../errors.js';
import { BOUNDS_DEFAULTS } from './bounds-options.js';
import { type CrawlerOptions, resolveOptions } from './options.js';

const GOOD: CrawlerOptions = {
  identity: { name: 'test-bot', contact: 'https://example.org/bot' },
  scope: { seeds: ['https://example.org:8443/a'] },
  bounds: { pages: 5 },
};

/** What `resolveOptions` throws, as `code: message`. */
function refusal(change: Record<string, unknown>): string {
  try {
    resolveOptions({ ...GOOD, ...change } as CrawlerOptions);
  } catch (error) {
    if (error instanceof MannerlyError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}

describe('the options of a crawler', () => {
  it.each<[string, Record<string, unknown>, string, string]>([
    ['an unknown option', { speed: 11 }, 'option-unknown', '`speed`'],
    ['an unknown option of the network', { network: { retries: 5 } }, 'option-unknown', '`network.retries`'],
    ['an unknown bound', { bounds: { pages: 1, hosts: 2 } }, 'option-unknown', '`bounds.hosts`'],
    ['no identity', { identity: undefined }, 'identity-name', 'name'],
    ['no contact', { identity: { name: 'test-bot' } }, 'identity-contact', 'contact'],
    ['no scope', { scope: undefined }, 'seed-invalid', '`scope.seeds`'],
    ['no seeds', { scope: { seeds: [] } }, 'seed-invalid', '`scope.seeds`'],
    ['a seed that is no URL', { scope: { seeds: ['example.org'] } }, 'seed-invalid', '"example.org"'],
    ['a seed of another scheme', { scope: { seeds: ['ftp://example.org/'] } }, 'seed-invalid', '"ftp://example.org/"'],
    ['a strange `within`', { scope: { seeds: GOOD.scope.seeds, within: 'planet' } }, 'option-invalid', '"planet"'],
    ['a list without hosts', { scope: { seeds: GOOD.scope.seeds, within: 'list' } }, 'option-invalid', '`scope.hosts`'],
    ['no bounds', { bounds: undefined }, 'bounds-missing', 'bounds.pages'],
    ['bounds without pages or minutes', { bounds: { depth: 3 } }, 'bounds-missing', 'bounds.minutes'],
    ['no pages at all', { bounds: { pages: 0 } }, 'option-invalid', '`bounds.pages`'],
    ['half a page', { bounds: { pages: 1.5 } }, 'option-invalid', '1.5'],
    ['endless pages', { bounds: { pages: Number.POSITIVE_INFINITY } }, 'option-invalid', 'Infinity'],
    ['no minutes at all', { bounds: { minutes: 0 } }, 'option-invalid', '`bounds.minutes`'],
    ['a negative depth', { bounds: { pages: 1, depth: -1 } }, 'option-invalid', '`bounds.depth`'],
    ['a port past the last', { network: { ports: [65_536] } }, 'option-invalid', '`network.ports`'],
    ['no body at all', { network: { maxBodyBytes: 0 } }, 'option-invalid', '`network.maxBodyBytes`'],
    ['too many requests at once', { network: { concurrency: 5_000 } }, 'option-invalid', '5000'],
    ['impatience', { maxIdleMs: -1 }, 'option-invalid', '`maxIdleMs`'],
    ['an unknown option of exclusion', { pageLevel: { noindex: 'sometimes' } }, 'option-invalid', 'noindex'],
    ['a purpose that is none', { purposes: ['fun'] }, 'option-invalid', 'purposes'],
  ])('%s is refused by name', (_name, change, code, words) => {
    const told = refusal(change);
    expect(told.split(':')[0]).toBe(code);
    expect(told).toContain(words);
  });

  it.each<[string, Record<string, unknown>]>([
    ['pages alone', {}],
    ['minutes alone', { bounds: { minutes: 0.5 } }],
    ['depth 0', { bounds: { pages: 1, depth: 0 } }],
    ['the last port', { network: { ports: [65_535] } }],
    ['patience 0', { maxIdleMs: 0 }],
  ])('%s is accepted', (_name, change) => {
    expect(refusal(change)).toBe('accepted');
  });

  it('are filled in', () => {
    const { bounds, network, profile, maxIdleMs, scope, exclusion } = resolveOptions(GOOD);
    expect(bounds).toMatchObject({ pages: 5, minutes: null, depth: BOUNDS_DEFAULTS.depth, pagesPerHost: null });
    expect(profile).toBe('polite');
    expect(maxIdleMs).toBe(600_000);
    expect(scope.within).toBe('host');
    expect(exclusion.page.noindex).toBe('skip-store');
    expect(network).toMatchObject({
      allowAddresses: [],
      concurrency: 64,
      maxBodyBytes: 10 * 1024 * 1024,
      resolve: null,
    });
  });

  it('open the ports that seeds name, and no other', () => {
    expect(resolveOptions(GOOD).network.ports).toEqual([8443]);
    expect(resolveOptions({ ...GOOD, network: { ports: [8080] } }).network.ports).toEqual([8080, 8443]);
  });
});
