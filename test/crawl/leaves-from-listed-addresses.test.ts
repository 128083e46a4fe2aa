// A wrong list of published addresses is worse than none: sites refuse requests from other addresses.

import { createUndiciFetcher, type Fetcher } from 'mannerly';
import { describe, expect, it } from 'vitest';
import { CONTACT, crawl } from '../support/crawl.js';
import { page } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

describe('a crawl whose addresses are published', () => {
  const from = async (localAddress: string) => {
    const web = await webForTest({ hosts: { 'a.test': { '*': page('x') } } });
    const plain = createUndiciFetcher();
    const fetcher: Fetcher = {
      ...plain,
      fetch: (request) => plain.fetch({ ...request, mayStart: () => request.mayStart(localAddress) }),
    };
    const who = { name: 'test-bot', contact: CONTACT, egress: ['198.51.100.0/28'] };
    const { report } = await crawl({ seeds: [web.url('a.test')], identity: who, fetcher });
    return { report, requests: web.log.length };
  };

  it('sends nothing from another public address, and says from which', async () => {
    const { report, requests } = await from('198.51.100.77');
    expect(requests).toBe(0);
    expect(report).toMatchObject({
      state: 'stopped',
      requests: 0,
      stopReason: expect.stringMatching(/^egress-not-listed: .*198\.51\.100\.77/),
    });
  });

  it.each(['198.51.100.7', '192.168.0.9'])('continues from %s', async (address) => {
    expect(await from(address)).toMatchObject({ report: { state: 'finished' }, requests: 2 });
  });
});
