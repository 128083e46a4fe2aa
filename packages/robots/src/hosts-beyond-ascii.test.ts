// A host name with letters beyond ASCII must be valid for as long as a process runs. On Node 20 and 22, the optimised
// version of the platform's `URL.canParse` takes the bytes of a Latin-1 string for UTF-8 and says that such a URL is
// invalid. At stake: rules that are not requested, directives that are not seen, pages that are lost, and only in long
// runs.
import { beforeAll, describe, expect, it } from 'vitest';
import { resolveAccessOptions } from './access/profile.js';
import { nextHop, robotsUrl } from './access/robots-url.js';
import { parseDataTxt, viewDataTxt } from './data-txt/index.js';
import { readPageSignals } from './page/signals.js';
import { parseTdmRep, readTdm, tdmForUrl } from './page/tdm-reservation.js';
import { parseContentSignal, resolveSignals } from './preferences/preferences.js';

/** After this many calls a function is optimised. */
const MANY = 200_000;

const PAGE = 'https://exämple.com/a';
const HOST = 'https://xn--exmple-cua.com';
const TDM = parseTdmRep([{ location: '/a', 'tdm-reservation': 1 }], `${HOST}/.well-known/tdmrep.json`);
const SIGNAL = parseContentSignal('/a search=no')!;

function dataTxt(base: string): string | undefined {
  return parseDataTxt('User-agent: *\npath: /a.csv\n', { base }).records[0]?.dataset?.url;
}

function signals(url: string, baseHref: string | null = null, href = 'b') {
  const linkElements = [{ rel: ['canonical'], href, name: null, content: null }];
  return readPageSignals({ url, headers: [], tokens: ['tidepool'], linkElements, baseHref });
}

const hop = (location: string, url: string) => nextHop(301, location, url, [url], resolveAccessOptions());

const ANSWERS: readonly (readonly [question: string, answer: () => unknown, expected: unknown])[] = [
  ['where robots.txt is', () => robotsUrl(PAGE), `${HOST}/robots.txt`],
  ['a redirect from there', () => hop('/b', PAGE), { kind: 'follow', url: `${HOST}/b` }],
  ['a redirect to there', () => hop(PAGE, 'https://example.com/'), { kind: 'follow', url: `${HOST}/a` }],
  ['a redirect to itself', () => hop(`${HOST}/a`, PAGE), { kind: 'redirect-limit' }],
  ['the address of a dataset', () => dataTxt(PAGE), `${HOST}/a.csv`],
  [
    'what data.txt says',
    () => viewDataTxt(parseDataTxt('User-agent: *\npath: /x\nDisallow: /b\n'), ['tidepool']).decide(PAGE).allowed,
    true,
  ],
  ['a canonical link of a page there', () => signals(PAGE).canonical, `${HOST}/b`],
  ['a canonical link to there', () => signals('https://example.com/', null, PAGE).canonical, `${HOST}/a`],
  ['a base that is there', () => signals('https://example.com/', PAGE).canonical, `${HOST}/b`],
  ['a reservation', () => tdmForUrl(TDM, PAGE).reserved, true],
  ['a policy', () => readTdm('1', PAGE, 'https://example.com/').policy, `${HOST}/a`],
  ['a signal for a path', () => resolveSignals([SIGNAL], PAGE), { search: 'disallow' }],
];

describe('a host with Latin-1 letters, late in a process', () => {
  beforeAll(() => {
    let valid = 0;
    for (let each = 0; each < MANY; each += 1) {
      const url = `https://example.com/${each}`;
      if (URL.canParse(url) && URL.canParse('/a', url)) valid += 1;
    }
    for (let each = 0; each < MANY; each += 1) if (robotsUrl(`https://example.com/${each}`) !== null) valid += 1;
    expect(valid).toBe(2 * MANY);
  });

  it.each(ANSWERS)('%s', (_asked, answer, expected) => {
    expect(answer()).toEqual(expected);
  });
});
