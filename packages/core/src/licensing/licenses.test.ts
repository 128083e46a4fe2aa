// The documents of a run: how often each is requested, from where, and what happens if one does not arrive. If this
// breaks, a site can make the crawl send endless requests, or a missing answer counts as a grant.

import type { Purpose } from '@mannerly/robots/page';
import { describe, expect, it } from 'vitest';
import { pageWork, response } from '../../test-support/page-work.js';
import { rslOf } from '../../test-support/rsl-document.js';
import { unsentFailure } from '../fetch/outcome.js';
import type { PageFetch, PageFetchOptions } from '../page/page-fetch.js';
import { type FoundLicense, Licenses } from './licenses.js';
import { LicenseTokens } from './licensing-options.js';
import { LICENSE_POLL_MS, MAX_LICENSES_PER_AUTHORITY } from './limits.js';

const SITE = 'https://a.test';
const DOCUMENT = `${SITE}/l.xml`;
const DAY_MS = 86_400_000;
const FREE = rslOf('<license/>', 'max-age="2"');
const PRICED = rslOf('<license><payment type="crawl"/></license>');
const LICENSING = {
  mode: 'respect',
  read: 'with-purpose',
  party: null,
  accepted: [],
  tokens: [],
  strict: false,
  onPaymentRequired: 'refuse',
} as const;

type LicensingOptions = ConstructorParameters<typeof Licenses>[0]['options'];
type Purposes = { readonly purposes?: readonly Purpose[] };
type Answer = (url: string, options: PageFetchOptions) => PageFetch;

/** A run on a store, with a site that gives these answers. */
function runOn(
  answer: Answer,
  records = new Map<string, Uint8Array>(),
  token = 'opaque',
  { purposes = ['search'] as readonly Purpose[], ...licensing }: Partial<LicensingOptions> & Purposes = {},
) {
  const requested: { url: string; headers: Readonly<Record<string, string>> }[] = [];
  const notices: string[] = [];
  const clock = { nowMs: 2_000 };
  const licenses = new Licenses({
    store: {
      readRecord: async (key) => records.get(key) ?? null,
      writeRecord: async (key, value) => void (value === null ? records.delete(key) : records.set(key, value)),
    },
    options: { ...LICENSING, ...licensing },
    purposes,
    tokens: new LicenseTokens([{ origin: 'https://token.test', token: 'env:T' }], { T: token }),
    async fetch(url, options) {
      requested.push({ url, headers: options.headers ?? {} });
      return answer(url, options);
    },
    onLoaded: () => undefined,
    retries: { failureWaitsMs: [5_000], throttleWaitsMs: [5_000] },
    nowMs: () => clock.nowMs,
    report: (code, _url, detail) => void notices.push(`${code} ${detail}`),
  });
  licenses.open();
  /** What a page that waits for its documents gets. */
  const found = async (...named: string[]): Promise<FoundLicense | null> => {
    const work = pageWork(`${SITE}/page`, {}, { licenses: named });
    await licenses.before(work);
    await licenses.close();
    const answered = await licenses.before(work);
    if (answered?.effect === 'wait') throw new Error(`waits until ${answered.untilMs}`);
    return answered;
  };
  const urls = () => requested.map(({ url }) => url);
  return { licenses, found, requested, urls, notices, clock };
}

const ok = (url: string, body: string, ...headers: [string, string][]) => response(url, body, headers);
const status = (url: string, code: number, ...headers: [string, string][]): PageFetch => ({
  ...response(url, '', headers),
  status: code,
});

describe('a licence document', () => {
  it('has a short key in the store, however long its host name is, since servers refuse long keys', async () => {
    const records = new Map<string, Uint8Array>();
    const { found, urls } = runOn((url) => ok(url, PRICED), records);
    const long = `https://${'long.'.repeat(3_000)}test/l.xml`;
    expect(await found(long)).toMatchObject({ document: long, outcome: 'payment' });
    expect(urls()).toEqual([long]);
    expect(Math.max(...[...records.keys()].map((key) => key.length))).toBeLessThanOrEqual(100);
  });

  it('is requested again soon, and less often the longer it does not arrive', async () => {
    const run = runOn(() => new Promise<never>(() => undefined) as never);
    const wait = async (): Promise<number> => {
      const answer = await run.licenses.before(pageWork(`${SITE}/page`, {}, { licenses: [DOCUMENT] }));
      return answer !== null && answer.effect === 'wait' ? answer.untilMs - run.clock.nowMs : 0;
    };
    const waits: number[] = [];
    for (const afterMs of [0, 50, 50, 300, 5_000]) {
      run.clock.nowMs += afterMs;
      waits.push(await wait());
    }
    expect(waits).toEqual([50, 50, 100, 400, 1_000]);
    expect(run.urls()).toEqual([DOCUMENT]);
  });

  it('is requested once for two sites whose pages name it at the same time', async () => {
    const run = runOn((url) => ok(url, FREE));
    const works = ['https://b.test', 'https://c.test', 'https://d.test'].map((site) =>
      pageWork(`${site}/page`, {}, { licenses: [DOCUMENT] }),
    );
    const ask = () => Promise.all(works.map((work) => run.licenses.before(work)));
    for (const answer of await ask()) expect(answer).toMatchObject({ effect: 'wait' });
    await run.licenses.close();
    for (const answer of await ask()) expect(answer).toMatchObject({ outcome: 'free' });
    expect(run.urls()).toEqual([DOCUMENT]);
  });

  it('is one of a bounded number for a site, although its pages name them at the same time', async () => {
    const run = runOn((url) => ok(url, FREE));
    const named = Array.from({ length: MAX_LICENSES_PER_AUTHORITY + 3 }, (_, at) => `${SITE}/${at}.xml`);
    const before = (document: string) => run.licenses.before(pageWork(`${SITE}/page`, {}, { licenses: [document] }));
    await Promise.all(named.map(before));
    await run.licenses.close();
    expect(run.urls()).toHaveLength(MAX_LICENSES_PER_AUTHORITY);
  });

  it('is requested once in its lifetime, over runs, and then conditionally', async () => {
    const records = new Map<string, Uint8Array>();
    let [body, isNew] = [FREE, true];
    const answer: Answer = (url) => (isNew ? ok(url, body, ['ETag', '"1"']) : status(url, 304));
    const first = runOn(answer, records);
    expect(await first.found(DOCUMENT)).toMatchObject({ outcome: 'free', fetchedAtMs: 2_000 });
    expect(await first.found(DOCUMENT)).toMatchObject({ outcome: 'free' });
    const next = runOn(answer, records);
    next.clock.nowMs += 2 * DAY_MS - 1;
    expect(await next.found(DOCUMENT)).toMatchObject({ outcome: 'free', fetchedAtMs: 2_000 });
    expect([first.requested.length, next.requested.length]).toEqual([1, 0]);
    isNew = false;
    next.clock.nowMs += 1;
    expect(await next.found(DOCUMENT)).toMatchObject({ outcome: 'free', fetchedAtMs: next.clock.nowMs });
    next.clock.nowMs += 2 * DAY_MS - 1;
    await next.found(DOCUMENT);
    expect(next.requested).toEqual([{ url: DOCUMENT, headers: { 'if-none-match': '"1"' } }]);
    // Changed terms apply from then on, and are reported.
    [body, isNew] = [PRICED, true];
    next.clock.nowMs += 1;
    expect(await next.found(DOCUMENT)).toMatchObject({ outcome: 'payment', effect: 'held' });
    expect(next.notices.filter((each) => each.startsWith('license-changed'))).toHaveLength(1);
  });

  it('is one of at most 20 per authority, over runs, and further ones count as unreadable', async () => {
    const records = new Map<string, Uint8Array>();
    const answer: Answer = (url) => ok(url, FREE);
    const named = Array.from({ length: 30 }, (_, at) => `https://b.test/${at}.xml`);
    const first = runOn(answer, records);
    await first.found(...named);
    expect(first.urls()).toEqual(named.slice(0, 20));
    const next = runOn(answer, records);
    expect(await next.found(`${SITE}/one-more.xml`)).toMatchObject({ outcome: 'unreadable', effect: 'none' });
    expect(next.urls()).toEqual([]);
  });

  it('is followed over five redirects, only to https', async () => {
    const hops = runOn((url) => {
      const at = Number(/\d+$/.exec(url)?.[0] ?? 0);
      return at < 5 ? status(url, 302, ['Location', `https://h${at}.test/${at + 1}`]) : ok(url, FREE);
    });
    expect(await hops.found(DOCUMENT)).toMatchObject({ outcome: 'free', document: DOCUMENT });
    expect(hops.requested).toHaveLength(6);
    const endless = runOn((url) => status(url, 302, ['Location', `${url}x`]));
    expect(await endless.found(DOCUMENT)).toMatchObject({ outcome: 'unreadable' });
    expect(endless.requested).toHaveLength(6);
    const plain = runOn((url) => status(url, 302, ['Location', 'http://b.test/l.xml']));
    expect(await plain.found(DOCUMENT)).toMatchObject({ outcome: 'unreadable' });
    expect(plain.urls()).toEqual([DOCUMENT]);
    const later = runOn((url) => status(url, 302, ['Location', 'https://b.test/l.xml'], ['Retry-After', '60']));
    expect(await later.found(DOCUMENT)).toMatchObject({ outcome: 'unreadable', effect: 'held' });
    expect(later.urls()).toEqual([DOCUMENT]);
  });

  it.each<[string, string, readonly string[]]>([
    ['of http on another authority', 'http://b.test/l.xml', []],
    ['of no URL', 'no url', []],
    ['of another scheme', 'ftp://a.test/l.xml', []],
    ['of http where the site itself is https', 'http://a.test/l.xml', []],
  ])('%s is not requested and cannot be read', async (_, document, requested) => {
    const run = runOn((url) => ok(url, FREE));
    expect(await run.found(document)).toMatchObject({ outcome: 'unreadable', document });
    expect(run.urls()).toEqual(requested);
  });

  it.each<[string, Answer]>([
    ['is missing', (url) => status(url, 404)],
    ['is one of several', (url) => status(url, 300)],
    ['is said not to have changed, although it is not known', (url) => status(url, 304)],
    ['is at an address that is forbidden', (url) => unsentFailure(url, 2_000, 'address-forbidden', '10.0.0.1')],
    ['costs money', (url) => status(url, 402, ['crawler-price', 'USD 1'])],
    ['is longer than 256 KiB', (url) => ({ ...ok(url, FREE), truncated: 'limit' })],
    ['is a challenge', (url) => ({ ...ok(url, '<p>Human?', ['x-amzn-waf-action', 'challenge']), status: 202 })],
    [
      'is forbidden by the robots.txt of its site',
      (url) => ({ ...NO_RULE, kind: 'excluded', url, reason: 'robots-rule' }),
    ],
  ])('that %s is unreadable for a day, reported, and not requested again meanwhile', async (_, answer) => {
    const run = runOn(answer);
    expect(await run.found(DOCUMENT)).toMatchObject({ outcome: 'unreadable', effect: 'none' });
    run.clock.nowMs += DAY_MS - 1;
    await run.found(DOCUMENT);
    expect(run.requested).toHaveLength(1);
    expect(run.notices).toEqual([expect.stringMatching(/^license-(unreadable|nonconformant) .*l\.xml: unreadable: ./)]);
    run.clock.nowMs += 1;
    await run.found(DOCUMENT);
    expect(run.requested).toHaveLength(2);
  });

  it('that is partly encrypted is reported as such, and read', async () => {
    const encrypted = rslOf('<license/>').replace('<content ', '<content encrypted="true" ');
    const run = runOn((url) => ok(url, encrypted));
    expect(await run.found(DOCUMENT)).toMatchObject({ outcome: 'free' });
    expect(run.notices).toEqual([`license-terms ${DOCUMENT}: free, encrypted in part`]);
  });

  it.each(['search, ai-train', 'search train-ai'])('with "%s" is reported as RSL 0.9 (C4)', async (words) => {
    const old = rslOf(`<license><permits type="usage">${words}</permits></license>`);
    const run = runOn((url) => ok(url, old));
    expect(await run.found(DOCUMENT)).toMatchObject({ outcome: 'free' });
    expect(run.notices).toEqual([
      `license-terms ${DOCUMENT}: free`,
      `license-version-09 ${DOCUMENT} has lists or words of RSL 0.9, and is read as that`,
    ]);
  });

  it('that does not arrive decides nothing: every use waits, and it is tried again', async () => {
    let isUp = false;
    const run = runOn((url) => (isUp ? ok(url, FREE) : status(url, 503)));
    await expect(run.found(DOCUMENT)).rejects.toThrow('waits until 7001');
    run.clock.nowMs = 7_001;
    expect(await run.found(DOCUMENT)).toMatchObject({ outcome: 'unreadable', effect: 'held', purpose: 'search' });
    expect(run.requested).toHaveLength(2);
    isUp = true;
    run.clock.nowMs += 3_600_000;
    expect(await run.found(DOCUMENT)).toMatchObject({ outcome: 'free', effect: 'none' });
  });
});

describe('whether documents are read and count', () => {
  it.each<[Partial<LicensingOptions> & Purposes, object | null, number]>([
    [{}, { outcome: 'payment', effect: 'held' }, 1],
    [{ purposes: [] }, { outcome: 'unread', effect: 'none', fetchedAtMs: null, digest: null }, 0],
    [{ read: 'always', purposes: [] }, { outcome: 'payment', effect: 'none' }, 1],
    [{ read: 'never' }, { outcome: 'unread', effect: 'none' }, 0],
    [{ mode: 'observe' }, { outcome: 'payment', effect: 'none' }, 1],
    [{ mode: 'off' }, null, 0],
  ])('with %j', async (options, expected, requests) => {
    const run = runOn((url) => ok(url, PRICED), new Map(), 'opaque', options);
    const answer = await run.found(DOCUMENT);
    if (expected === null) expect(answer).toBeNull();
    else expect(answer).toMatchObject({ ...expected, document: DOCUMENT });
    expect(run.urls()).toHaveLength(requests);
    expect(run.notices).toHaveLength(expected === null ? 0 : 1);
  });

  it('depends on the slowest of several that have not come', async () => {
    const run = runOn((url) => status(url, 503, ['Retry-After', url === DOCUMENT ? '600' : '60']));
    await expect(run.found(DOCUMENT, `${SITE}/other.xml`)).rejects.toThrow('waits until 602001');
  });
});

describe('a request for a document', () => {
  it('is conditional for the document itself, and not for what it redirects to', async () => {
    let isMoved = false;
    const run = runOn((url) =>
      isMoved && url === DOCUMENT
        ? status(url, 302, ['Location', `${SITE}/new.xml`])
        : ok(url, FREE, ['ETag', isMoved ? '"2"' : '"1"']),
    );
    await run.found(DOCUMENT);
    isMoved = true;
    run.clock.nowMs += 2 * DAY_MS;
    expect(await run.found(DOCUMENT)).toMatchObject({ outcome: 'free' });
    expect(run.requested.slice(1).map(({ headers }) => headers)).toEqual([{ 'if-none-match': '"1"' }, {}]);
  });

  it('that a stop ends is no try, and leaves nothing in the store', async () => {
    const records = new Map<string, Uint8Array>();
    const held = (url: string) => ({ kind: 'held', url, reason: 'stopping', untilMs: null }) as const;
    const run = runOn(held, records);
    await expect(run.found(DOCUMENT)).rejects.toThrow(`waits until ${2_000 + LICENSE_POLL_MS.max}`);
    expect([...records.keys()].filter((key) => key.startsWith('license/'))).toEqual([]);
  });

  it('whose document cannot be kept fails the crawl with what the store throws', async () => {
    const records = new Map<string, Uint8Array>();
    const run = runOn((url) => ok(url, FREE), records);
    const keep = records.set.bind(records);
    records.set = (key, value) => {
      if (key.startsWith('license/')) throw new Error('disk full');
      return keep(key, value);
    };
    await expect(run.found(DOCUMENT)).rejects.toThrow('disk full');
    expect(run.urls()).toEqual([DOCUMENT]);
  });

  it.each<[string, Answer]>([
    ['has no answer', (url) => unsentFailure(url, 2_000, 'timeout-connect', '')],
    ['is refused for now', (url) => status(url, 503)],
  ])('that %s to the end is reported with the reason', async (_what, answer) => {
    const run = runOn(answer);
    await expect(run.found(DOCUMENT)).rejects.toThrow('waits until');
    run.clock.nowMs += 60_000;
    expect(await run.found(DOCUMENT)).toMatchObject({ outcome: 'unreadable', effect: 'held' });
    expect(run.notices).toEqual([expect.stringMatching(/: unreadable: .*(timeout-connect|status 503)/)]);
  });

  it('that failed to the end is not remembered by the next run', async () => {
    const records = new Map<string, Uint8Array>();
    const run = runOn((url) => status(url, 503), records);
    await expect(run.found(DOCUMENT)).rejects.toThrow('waits until');
    run.clock.nowMs += 60_000;
    expect(await run.found(DOCUMENT)).toMatchObject({ outcome: 'unreadable', effect: 'held' });
    const next = runOn((url) => ok(url, FREE), records);
    next.clock.nowMs = run.clock.nowMs;
    expect(await next.found(DOCUMENT)).toMatchObject({ outcome: 'free' });
  });

  it('that found none is remembered by the next run, with the reason', async () => {
    const records = new Map<string, Uint8Array>();
    await runOn((url) => status(url, 404), records).found(DOCUMENT);
    const next = runOn((url) => ok(url, FREE), records);
    expect(await next.found(DOCUMENT)).toMatchObject({ outcome: 'unreadable' });
    expect(next.requested).toEqual([]);
    expect(next.notices).toEqual([expect.stringMatching(/: unreadable: status 404$/)]);
  });
});

const NO_RULE = { line: null, pattern: null, dialect: null };

describe('a licence token', () => {
  const jwt = (payload: unknown) => `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2ln`;
  const WEEK_S = 7 * 86_400;

  it.each([
    [
      'ends within a week',
      jwt({ exp: WEEK_S }),
      ['token-expiring its licence token ends at 1970-01-08T00:00:00.000Z: obtain another'],
    ],
    [
      'has ended',
      jwt({ exp: 1 }),
      ['token-expiring its licence token ended at 1970-01-01T00:00:01.000Z: obtain another'],
    ],
    ['ends later', jwt({ exp: WEEK_S + 2 }), []],
    ['does not say', jwt({ sub: 'x' }), []],
    ['says nonsense', jwt({ exp: '7' }), []],
    ['ends beyond all dates', jwt({ exp: -1e300 }), []],
    ['is opaque', 'a.b.c', []],
  ])('is reported if it expires soon: it %s', (_what, token, notice) => {
    expect(runOn(() => status('', 404), new Map(), token).notices).toEqual(notice);
  });

  it('meets a price until it ends', async () => {
    const { licenses, clock } = runOn((url) => ok(url, PRICED), new Map(), jwt({ exp: 10 }));
    const work = pageWork('https://token.test/page', {}, { licenses: ['https://token.test/l.xml'] });
    await licenses.before(work);
    await licenses.close();
    expect(await licenses.before(work)).toMatchObject({ outcome: 'free', effect: 'none' });
    clock.nowMs = 10_000;
    expect(await licenses.before(work)).toMatchObject({ outcome: 'payment', effect: 'held' });
  });
});

describe('a document that breaks the rules of RSL', () => {
  it('is distinguished from one that did not arrive', async () => {
    const broken = runOn((url) => ok(url, '<other/>'));
    await broken.found(DOCUMENT);
    expect(broken.notices).toEqual([expect.stringMatching(/^license-nonconformant /)]);
    const absent = runOn((url) => status(url, 404));
    await absent.found(DOCUMENT);
    expect(absent.notices).toEqual([expect.stringMatching(/^license-unreadable /)]);
  });
});
