// What the signatures of a run remember: the preferences of sites, each applied once, and the clocks of hosts.

import type { HostWarning } from '@mannerly/frontier';
import { describe, expect, it } from 'vitest';
import { TEST_KEY } from '../../test-support/test-key.js';
import { CrawlSigning } from './crawl-signing.js';
import { MAX_PREFERENCE_AUTHORITIES } from './limits.js';
import { COVERED_COMPONENTS } from './profile.js';

const NOW_MS = Date.parse('2026-11-23T12:00:00Z');
const terms = {
  form: 'url' as const,
  agent: 'https://bot.example/',
  components: COVERED_COMPONENTS.path,
  lifetimeSeconds: 60,
  nonce: true,
};
const setUp = (hasKey = true) => {
  const reported: HostWarning[] = [];
  const stops: string[] = [];
  const signature = hasKey ? { signer: TEST_KEY, terms, isTestKey: true } : null;
  const notices = {
    wallMs: () => NOW_MS,
    report: (warning: HostWarning) => reported.push(warning),
    stop: (reason: string) => stops.push(reason),
  };
  return { signing: new CrawlSigning(signature, notices), reported, stops };
};
const answer = (status: number, headers: Record<string, string>, atMs = NOW_MS) => ({
  status,
  header: (name: string) => headers[name] ?? null,
  atMs,
});
const asking = (field = 'a=("@authority" "@query");nonce="n1"') => ({ 'accept-signature': field });

describe('Accept-Signature', () => {
  it('is answered once for an authority; its nonce is used once, its components from then on', async () => {
    const { signing, reported } = setUp();
    const [one, two] = [new URL('https://a.example/?1'), new URL('https://a.example/?2')];
    expect(signing.handleAnswer(one, answer(403, asking()))).toBe(true);
    const input = async (url: URL) => (await signing.fieldsFor(url))['Signature-Input'];
    expect(await input(two)).not.toContain('nonce="n1"');
    expect(await input(one)).toMatch(/^a=\("@authority" "@query" "signature-agent";key="a"\).*;nonce="n1";/);
    expect(signing.handleAnswer(one, answer(403, asking()))).toBe(false);
    expect(await input(one)).not.toContain('nonce="n1"');
    expect(await input(one)).toContain('"@query"');
    expect(await input(new URL('https://b.example/'))).not.toContain('"@query"');
    expect(reported.map(({ code }) => code)).toEqual(['signature-refused']);
  });

  it.each([
    [401, true],
    [403, true],
    [429, false],
  ])('of a %d changes the next signature; whether the request is repeated for it: %s', async (status, isRepeated) => {
    const { signing, reported } = setUp();
    const url = new URL('https://a.example/');
    expect(signing.handleAnswer(url, answer(status, asking()))).toBe(isRepeated);
    expect((await signing.fieldsFor(url))['Signature-Input']).toContain('"@query"');
    expect(reported).toEqual([]);
  });

  it.each([
    ['what cannot be made', true, 'https://a.example/', 'a=("date")', /not made: a=\("date"\)/],
    ['http', true, 'http://a.example/', 'a=("@path")', /not made/],
    ['no key', false, 'https://a.example/', 'a=("@path")', /this site wants signed requests/],
  ])('is reported if it is not answered: %s', (_, hasKey, url, field, detail) => {
    const { signing, reported } = setUp(hasKey);
    for (let times = 0; times < 3; times += 1) {
      expect(signing.handleAnswer(new URL(url), answer(403, asking(field)))).toBe(false);
    }
    expect(reported).toHaveLength(1);
    expect(reported[0]).toMatchObject({
      code: 'signature-wanted',
      host: 'a.example',
      authority: new URL(url).origin,
      atMs: NOW_MS,
      detail: expect.stringMatching(detail),
    });
  });

  it('has no effect in another answer, and is kept for a bounded number of authorities', async () => {
    const { signing } = setUp();
    expect(signing.handleAnswer(new URL('https://a.example/'), answer(200, asking()))).toBe(false);
    for (let at = 0; at <= MAX_PREFERENCE_AUTHORITIES; at += 1) {
      expect(signing.handleAnswer(new URL(`https://h${at}.example/`), answer(403, asking()))).toBe(true);
    }
    const input = async (host: string) => (await signing.fieldsFor(new URL(`https://${host}/`)))['Signature-Input'];
    expect(await input('h0.example')).toContain('"@method"');
    expect(await input('h1.example')).not.toContain('"@method"');
  });
});

describe('signature-refused', () => {
  const toldOf = (...answers: readonly (readonly [url: string, status: number])[]) => {
    const { signing, reported } = setUp();
    for (const [url, status] of answers) signing.handleAnswer(new URL(url), answer(status, {}));
    return reported.map(({ code, host }) => `${code} ${host}`);
  };

  it('is reported once per host, if robots.txt was served and the first page is refused', () => {
    const refused = ['https://a.example/x', 403] as const;
    const [robots, other] = [['https://a.example/robots.txt', 200] as const, ['https://a.example/y', 401] as const];
    expect(toldOf(robots, refused, refused, other)).toEqual(['signature-refused a.example']);
    expect(toldOf(robots, other)).toEqual(['signature-refused a.example']);
  });

  it.each([
    ['a page was served before', 'https://a.example/', 200, 'https://a.example/x', 403],
    ['the request is not signed', 'http://a.example/robots.txt', 200, 'http://a.example/x', 403],
    ['only robots.txt is refused', 'https://a.example/robots.txt', 403, 'https://a.example/robots.txt', 403],
    ['it is missing', 'https://a.example/robots.txt', 200, 'https://a.example/x', 404],
  ])('is not reported if %s', (_, first, firstStatus, second, secondStatus) => {
    expect(toldOf([first, firstStatus], [second, secondStatus])).toEqual([]);
  });
});

describe('the clock', () => {
  const reported = (aheadMs: readonly number[], more: Record<string, string> = {}, hasKey = true) => {
    const { signing, reported: warnings, stops } = setUp(hasKey);
    for (const [at, ms] of aheadMs.entries()) {
      const date = new Date(NOW_MS - ms).toUTCString();
      signing.handleAnswer(new URL(`https://h${at}.example/`), answer(200, { date, ...more }));
    }
    return { codes: warnings.map(({ code }) => code), stops, signing, warnings };
  };
  const all = (seconds: number, hosts = 5) => Array.from({ length: hosts }, () => seconds * 1_000);

  it.each([
    ['right', all(0), 0, 0],
    ['9 s ahead', all(9), 0, 0],
    ['12 s ahead', all(12), 1, 0],
    ['12 s behind', all(-12), 1, 0],
    ['60 s ahead', all(60), 1, 1],
    ['60 s behind, at many hosts', all(-60, 60), 1, 1],
    ['by four hosts only', all(60, 4), 0, 0],
    ['wrong at two of five hosts', [...all(600, 1), ...all(0, 1), ...all(600, 1), ...all(0, 2)], 0, 0],
    ['right again at the hosts that answered last', [...all(12, 5), ...all(0, 40)], 1, 0],
  ])('%s', (_, aheadMs, warnings, stops) => {
    const { codes, stops: stopped, signing } = reported(aheadMs);
    expect([codes, stopped.length]).toEqual([Array.from({ length: warnings }, () => 'signature-clock'), stops]);
    expect(signing.isStopped).toBe(stops > 0);
  });

  it('is compared again with a host whose last comparison is ten seconds old', () => {
    const { signing, reported: warnings } = setUp();
    const compare = (aheadMs: number, atMs: number) => {
      const fields = { date: new Date(atMs - aheadMs).toUTCString() };
      for (let at = 0; at < 5; at += 1) {
        signing.handleAnswer(new URL(`https://h${at}.example/`), answer(200, fields, atMs));
      }
      return warnings.length;
    };
    expect([compare(0, NOW_MS), compare(12_000, NOW_MS + 9_999), compare(12_000, NOW_MS + 10_000)]).toEqual([0, 0, 1]);
  });

  it('is not judged by copies of caches, answers without a date, or without a key', () => {
    expect(reported(all(60), { age: '60' }).codes).toEqual([]);
    expect(reported(all(60), { date: 'never' }).codes).toEqual([]);
    expect(reported(all(60), {}, false).codes).toEqual([]);
    expect(reported(all(60), { age: '0' }).warnings[0]?.detail).toMatch(/^the clock of this machine is 60 s ahead of/);
    expect(reported(all(-60)).warnings[0]?.detail).toMatch(/^the clock of this machine is 61 s behind the hosts/);
  });
});
