// A host name with letters beyond ASCII must stay valid in a long process, although on Node 20 and 22 the optimised
// `URL.canParse` of the platform says that it is invalid. At stake: a page that a long crawl drops, with a wrong
// reason.

import { parseRobots } from '@mannerly/robots';
import { beforeAll, expect, it } from 'vitest';
import { setUp, url } from '../../test-support/set-up.js';
import { siteKey } from '../robots/authority-rules.js';
import { memoryStore } from '../stores/memory.js';

/** After this many calls a function is optimised. */
const MANY = 200_000;

beforeAll(() => {
  let valid = 0;
  for (let each = 0; each < MANY; each += 1) if (URL.canParse(`https://example.com/${each}`)) valid += 1;
  expect(valid).toBe(MANY);
});

it('a URL of another scheme is distinguished from an invalid one', async () => {
  const { frontier } = setUp(
    (nowMs) => memoryStore({ nowMs }),
    () => ({ status: 200, body: '' }),
  );
  await frontier.open();
  expect(
    await frontier.add([
      url('ftp://ex\u00e4mple.com/a'),
      url('ftp://ex\u00e4m ple.com/a'),
      url('https://ex\u00e4mple.com/a'),
    ]),
  ).toMatchObject([
    { kind: 'dropped', reason: 'url-scheme' },
    { kind: 'dropped', reason: 'url-invalid' },
    { kind: 'new' },
  ]);
});

it('a preferred mirror counts, whatever letters its name has', () => {
  const key = siteKey(parseRobots('Host: https://www.ex\u00e4mple.com'), {
    cleanParam: 'expose',
    host: 'canonicalize',
  });
  expect(key('https://xn--exmple-cua.com/a')).toBe('https://www.xn--exmple-cua.com/a');
});
