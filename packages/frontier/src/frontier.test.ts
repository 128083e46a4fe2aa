// The whole flow in one test: the requests of a crawl of one small site, their order, and the events.

import { describe, expect, it } from 'vitest';
import { isRobots, setUp, url } from '../test-support/set-up.js';
import { memoryStore } from './stores/memory.js';

describe('the flow of a page', () => {
  const FILE = { status: 200, body: 'User-agent: *\nDisallow: /closed\n' };
  const make = (nowMs: () => number) => memoryStore({ nowMs });

  it('requests robots.txt first, then what it allows, and reports what it excluded', async () => {
    const { frontier, work, requestedUrls, verdicts } = setUp(make, (address) =>
      isRobots(address) ? FILE : { status: 200 },
    );
    await frontier.open();
    await frontier.add([url('http://a.test/1'), url('http://a.test/closed/2'), url('http://a.test/3')]);
    expect(await work(frontier)).toBe('finished');
    expect(requestedUrls()).toEqual(['http://a.test/robots.txt', 'http://a.test/1', 'http://a.test/3']);
    expect(verdicts()).toMatchObject([
      {
        status: 'excluded',
        reason: 'robots-rule',
        url: 'http://a.test/closed/2',
        line: 2,
        pattern: '/closed',
        dialect: 'rfc9309',
        robots: { authority: 'http://a.test', phase: 'rules' },
      },
    ]);
    expect(frontier.counts()).toMatchObject({ queued: 0, inFlight: 0, pages: 2 });
  });

  it('refuses calls before open and after close with their codes', async () => {
    const { frontier } = setUp(make, () => ({ status: 404 }));
    await expect(frontier.add([])).rejects.toMatchObject({ code: 'not-open' });
    await expect(frontier.take(1)).rejects.toMatchObject({ code: 'not-open' });
    await frontier.open();
    await frontier.close();
    await expect(frontier.add([])).rejects.toMatchObject({ code: 'closed' });
    await expect(frontier.nextAt()).rejects.toMatchObject({ code: 'closed' });
  });
});
