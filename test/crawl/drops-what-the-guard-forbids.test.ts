// A private address or a forbidden port is reported at once: the crawl sends no request there and does not wait for a
// robots.txt that it will never fetch.

import { expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

it('drops the URLs of a forbidden address with the reason, and finishes', async () => {
  const web = await webForTest({
    hosts: {
      'open.test': {
        '/robots.txt': text('User-agent: *\nDisallow:\n'),
        '/': page('start', ['http://inside.test/a', 'http://inside.test/b']),
      },
      'inside.test': { '*': page('never asked for') },
    },
  });
  const { report, decisions } = await crawl({
    seeds: [web.url('open.test')],
    scope: { seeds: [web.url('open.test')], within: 'list', hosts: ['open.test', 'inside.test'] },
    network: { resolve: async (name) => (name === 'inside.test' ? ['10.0.0.7'] : ['127.0.0.1']) },
  });
  expect(report.state).toBe('finished');
  const dropped = decisions.filter((each) => each.status === 'dropped');
  expect(dropped.map((each) => `${each.url} ${each.reason}`).sort()).toEqual([
    'http://inside.test/a address-forbidden',
    'http://inside.test/b address-forbidden',
  ]);
  expect(web.paths('inside.test')).toEqual([]);
  expect(web.paths('open.test')).toEqual(['/robots.txt', '/']);
});
