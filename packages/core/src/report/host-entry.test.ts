// If a user asks why a host is slow, or a URL not fetched, the answer must name the entry of `hosts`.

import { expect, it } from 'vitest';
import { explain, withHosts } from './explain.js';
import { explanationText } from './explain-text.js';
import { entriesFor, type HostEntryText } from './host-entry.js';

const ENTRIES: readonly HostEntryText[] = [
  { match: ['*.shop.test'], spacing: { minMs: 3_000 }, bounds: { pages: 5, depth: 2 } },
  { match: ['shop.test', 'de.shop.test'], headers: ['Accept-Language: de'], exclude: ['/old/', '/\\.pdf$/i'] },
  { match: ['other.test'] },
];

it('an explanation names the matching entries, and what they set', () => {
  const explanation = explain('http://de.shop.test:8080/a', null, null);
  expect(
    explanationText(withHosts(explanation, { hosts: ENTRIES }))
      .split('\n')
      .slice(2),
  ).toEqual([
    '  hosts[0] applies (*.shop.test): spacing: minMs 3000; bounds: pages 5, depth 2.',
    '  hosts[1] applies (shop.test, de.shop.test): headers: Accept-Language: de; exclude: /old/, /\\.pdf$/i.',
  ]);
  expect(withHosts(explain('http://shop.test/', null, null), {})).not.toHaveProperty('hosts');
});

it('with keys by domain, entries for any host of its domain apply to a host', () => {
  expect(entriesFor(ENTRIES, ['shop.test'], 'domain').map(({ at }) => at)).toEqual([0, 1]);
  expect(entriesFor(ENTRIES, ['shop.test'], 'host').map(({ at }) => at)).toEqual([1]);
});
