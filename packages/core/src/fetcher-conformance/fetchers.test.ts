// Both fetchers keep the contract: undici's completely, the platform's within its declared capabilities. If this
// breaks, a crawl sends forbidden requests, or half a page counts as a page.

// By the name that authors of fetchers import it by.
import { fetcherSuite } from 'mannerly/fetcher-conformance';
import { describe, it, vi } from 'vitest';
import { createUndiciFetcher } from '../fetch/undici-fetcher.js';
import { createPlatformFetcher } from '../fetch/web-fetcher.js';

// Much work or much waiting: a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000 });

describe('the undici fetcher', () => {
  fetcherSuite({
    test: it,
    makeFetcher: () => createUndiciFetcher(),
    capabilities: createUndiciFetcher().capabilities,
  });
});

describe('the platform fetcher', () => {
  fetcherSuite({
    test: it,
    makeFetcher: () => createPlatformFetcher(),
    capabilities: createPlatformFetcher().capabilities,
  });
});
