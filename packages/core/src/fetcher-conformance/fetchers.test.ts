// Both fetchers keep the contract: undici's completely, the platform's within its declared capabilities. If this
// breaks, a crawl sends forbidden requests, or half a page counts as a page.

// The entry point that authors of fetchers import.
import { fetcherSuite } from 'mannerly/fetcher-conformance';
import { describe, it, vi } from 'vitest';
import { createUndiciFetcher } from '../fetch/undici-fetcher.js';
import { createPlatformFetcher } from '../fetch/web-fetcher.js';

// These tests take long on a busy machine.
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
