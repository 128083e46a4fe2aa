// Through a proxy, a fetcher keeps the same contract as without one: the same suite, with the same servers. If this
// breaks, half a page counts as a complete one, or a body has no limit, as soon as somebody sets `network.proxy`.

import { createUndiciFetcher } from 'mannerly';
import { fetcherSuite } from 'mannerly/fetcher-conformance';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startProxy, type TestProxy } from '../support/proxies.js';

// These tests take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

describe.each(['CONNECT', 'SOCKS5'] as const)('the undici fetcher behind a proxy of %s', (kind) => {
  let proxy: TestProxy;
  beforeAll(async () => {
    proxy = await startProxy(kind);
  });
  afterAll(async () => {
    expect(proxy.targets.length).toBeGreaterThan(50);
    await proxy.close();
  });
  fetcherSuite({
    test: (title, run) => {
      // CONNECT answers 502 whatever kept the proxy from the site, and the fetcher reports `unreachable-network`.
      const isToldApart =
        kind === 'SOCKS5' || title !== 'reports a port without a listener as refused, and as not sent';
      if (isToldApart) it(title, run);
    },
    makeFetcher: () => createUndiciFetcher({ proxy: proxy.url }),
    capabilities: createUndiciFetcher().capabilities,
  });
});
