// A misread option makes a crawl impolite, and no error shows it.

import { describe, expect, it } from 'vitest';
import { memoryStore } from '../stores/memory.js';
import { type FrontierOptions, resolveOptions } from './options.js';

const storeThat = (capabilities: object) => {
  const store = memoryStore();
  return { ...store, capabilities: { ...store.capabilities, ...capabilities } };
};
const required: FrontierOptions = { store: memoryStore(), robots: { tokens: ['testbot'] } };

describe('resolveOptions', () => {
  it('fills in defaults', () => {
    expect(resolveOptions(required)).toMatchObject({
      crawl: 'crawl',
      create: true,
      hostKeyBy: 'host',
      maxQueued: 10_000_000,
      maxHosts: 1_024,
      unsettledPerHost: 4,
      leaseTtlMs: 30_000,
      maxCrawlDelayMs: 86_400_000,
      politeness: { name: 'polite', jitter: 0 },
      bounds: { pages: null, pagesPerHost: null, runningMs: null, bytes: null },
      access: { profile: 'rfc9309', onForbidden: 'allow', maxHoldMs: 86_400_000 },
    });
  });

  it('lets the access profile follow dialect and policy (access §4)', () => {
    expect(resolveOptions({ ...required, robots: { tokens: 'testbot', dialect: 'google' } }).access.profile).toBe(
      'google',
    );
    expect(resolveOptions({ ...required, robots: { tokens: 'testbot', policy: 'strictest' } }).access.profile).toBe(
      'strictest',
    );
  });

  // [faulty options, the option in the message, the value in the message]
  const faults: [object, string, string][] = [
    [{ store: undefined }, 'store', 'undefined'],
    [{ store: { ...memoryStore(), commit: undefined } }, 'store', 'a FrontierStore with commit'],
    [{ store: { ...memoryStore(), capabilities: undefined } }, 'store.capabilities.shared', 'undefined'],
    [{ store: storeThat({ maxBatch: 0 }) }, 'store.capabilities.maxBatch', '0'],
    [{ store: storeThat({ maxBody: undefined }) }, 'store.capabilities.maxBody', 'undefined'],
    [{ robots: undefined }, 'robots', 'undefined'],
    [{ canonicalRules: 'query-order' }, 'canonicalRules', '"query-order"'],
    [{ canonicalRules: ['query-order'] }, 'canonicalRules', 'an object'],
    [{ clock: {} }, 'clock.nowMs', 'undefined'],
    [{ part: 5 }, 'part', '5'],
    [{ hosts: [{ match: 'a.test', weight: 0 }] }, 'hosts[0].weight', '0'],
    [{ hosts: [{ match: 'a.test', label: '' }] }, 'hosts[0].label', '""'],
    [{ labels: [{ label: 'a' }, { label: 'a' }] }, 'labels[1].label', 'a'],
    [{ labels: [{ label: 'a', pages: 0 }] }, 'labels[0].pages', '0'],
    [{ labels: [{ label: 'a', weight: 101 }] }, 'labels[0].weight', '101'],
    [{ robots: { tokens: [] } }, 'robots', 'tokens'],
    [{ robots: { tokens: ['a'], dialect: 'rfc' } }, 'robots', 'rfc'],
    [{ robots: { tokens: ['a'], maxHoldMs: -1 } }, 'robots', '-1'],
    [{ robots: { tokens: ['a'], nonsense: 1 } }, 'robots', 'nonsense'],
    [{ robots: { tokens: ['a'], maxCrawlDelayMs: 0 } }, 'robots.maxCrawlDelayMs', '0'],
    [{ robots: { tokens: ['a'], onLongCrawlDelay: 'go' } }, 'robots.onLongCrawlDelay', 'go'],
    [{ robots: { tokens: ['a'], crawlDelay: { max: 1 } } }, 'robots', 'unknown option `crawlDelay`'],
    [{ robots: { tokens: ['a'], visitTime: 'never' } }, 'robots.visitTime', 'never'],
    [{ politeness: { profile: 'rude' } }, 'politeness.profile', 'rude'],
    [{ politeness: { profile: { factor: 1, minMs: 0, max: 1 } } }, 'politeness.profile.max', 'unknown'],
    [{ politeness: { jitter: 0.5 } }, 'politeness.jitter', '0.5'],
    [{ bounds: { pages: 0 } }, 'bounds.pages', '0'],
    [{ bounds: { pages: 1.5 } }, 'bounds.pages', '1.5'],
    [{ bounds: { pagesPerHost: Number.NaN } }, 'bounds.pagesPerHost', 'NaN'],
    [{ bounds: { minutes: 0 } }, 'bounds.minutes', '0'],
    [{ bounds: { minutes: Number.POSITIVE_INFINITY } }, 'bounds.minutes', 'Infinity'],
    [{ bounds: { bytes: -5 } }, 'bounds.bytes', '-5'],
    [{ bounds: { depth: 3 } }, 'bounds.depth', 'unknown'],
    [{ crawl: '' }, 'crawl', '""'],
    [{ create: 'yes' }, 'create', 'yes'],
    [{ hostKeyBy: 'ip' }, 'hostKeyBy', 'ip'],
    [{ maxQueued: 0 }, 'maxQueued', '0'],
    [{ maxHosts: 100_000 }, 'maxHosts', '100000'],
    [{ unsettledPerHost: 0 }, 'unsettledPerHost', '0'],
    [{ leaseTtlMs: 10 }, 'leaseTtlMs', '10'],
    [{ companions: [] }, 'companions', 'object'],
    [{ onEvent: true }, 'onEvent', 'true'],
    [{ depth: 3 }, 'depth', 'unknown'],
  ];
  it.each(faults)('refuses %j with its code', (wrong, option, value) => {
    const options = { ...required, ...wrong } as FrontierOptions;
    const refused = expect.objectContaining({
      code: 'option-invalid',
      message: expect.stringContaining(`\`${option}`),
    });
    expect(() => resolveOptions(options)).toThrow(refused);
    expect(() => resolveOptions(options)).toThrow(value);
  });
});

it.each<[string, () => unknown, string]>([
  ['memoryStore', () => memoryStore({ max: 1 } as object), 'unknown option `max`; known: maxQueued, nowMs'],
  ['memoryStore', () => memoryStore('x' as never), 'expected `options` to be an object, got "x"'],
])('%s refuses options that do not exist or have the wrong type', (_name, make, message) => {
  expect(make).toThrow(expect.objectContaining({ code: 'option-invalid', message: expect.stringContaining(message) }));
});
