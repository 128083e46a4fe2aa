// A wrong option is reported with its name, range and value before anything is started.

import type { Browser } from 'playwright-core';
import { expect, it } from 'vitest';
import { type BrowserFetcherOptions, resolveBrowserOptions } from './browser-options.js';

const browser = { newContext: () => null, isConnected: () => true };
const launch = async (): Promise<Browser> => expect.unreachable();

it.each<[unknown, string]>([
  [{}, 'one of `launch` and `browser`'],
  [{ launch, browser }, 'one of `launch` and `browser`'],
  [{ browser: { newPage: () => null } }, '`browserFetcher.browser` to be a value of type Browser of playwright-core'],
  [{ launch: 'chromium' }, '`browserFetcher.launch` to be a value of type (flags: string[]) => Promise<Browser>, got'],
  [{ launch, page: 1 }, 'unknown option `browserFetcher.page`'],
  [{ launch, renders: true }, '`browserFetcher.renders`'],
  [{ launch, loads: ['scripts'] }, '`browserFetcher.loads[0]`'],
  [{ launch, loads: 'script' }, '`browserFetcher.loads`'],
  [{ launch, hosts: 'all' }, 'to be one of scope, any, got'],
  [{ launch, pages: 0 }, '`browserFetcher.pages` to be a whole number from 1 to 16, got 0'],
  [{ launch, pages: 17 }, 'got 17'],
  [{ launch, requests: -1 }, '0 to 1000, got -1'],
  [{ launch, bytes: 0.5 }, 'got 0.5'],
  [{ launch, pageMs: 999 }, '1000 to 600000, got 999'],
  [{ launch, quietMs: Number.POSITIVE_INFINITY }, 'got Infinity'],
  [{ launch, domChars: 50_000_001 }, 'got 50000001'],
  [{ launch, restarts: 101 }, 'got 101'],
])('%j is refused', (options, says) => {
  expect(() => resolveBrowserOptions(options as BrowserFetcherOptions)).toThrow(says);
});

it('defaults are the careful choice', () => {
  const { loads, anywhere, renders, ...numbers } = resolveBrowserOptions({ launch });
  expect([...loads]).toEqual(['script', 'xhr', 'fetch']);
  expect(anywhere).toBe(false);
  expect(renders({ url: 'https://a.test/', label: null, headers: [] })).toBe(true);
  expect(numbers).toMatchObject({ pages: 2, requests: 50, pageMs: 60_000, quietMs: 500, restarts: 3 });
});
