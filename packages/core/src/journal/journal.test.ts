// Exactly one status per URL and run. If a URL was fetched and is also linked from too deep, or with nofollow, it was
// fetched: with a second decision, the report would count it twice, and `explain` would show the wrong one.

import type { HostWait, NewUrl, PageWork, UrlRecord } from '@mannerly/frontier';
import { describe, expect, it } from 'vitest';
import type { UrlDecision } from '../report/decision.js';
import { createCrawlEmitter } from './events.js';
import { Journal } from './journal.js';
import { MAX_PENDING_DECISIONS } from './limits.js';
import { PendingDecisions } from './pending-decisions.js';

const record = (url: string): UrlRecord => ({
  url,
  depth: 1,
  via: 'link',
  from: 'http://a.test/',
  hops: 0,
  label: null,
  userData: null,
  tries: 0,
});

const work = (url: string): PageWork => ({
  kind: 'page',
  lease: {
    host: 'a.test',
    requirements: { crawlDelayMs: null, requestIntervalMs: null, bucket: null },
  },
  entryId: '1',
  url,
  record: record(url),
  decision: { allowed: true, reason: 'no-match', dialect: 'rfc9309', line: null, pattern: null, agent: '*' },
  robots: { authority: 'http://a.test', phase: 'rules', hash: null, receivedAtMs: null },
  signals: { isNoindex: false, preferences: {}, contentSignals: {}, licenses: [] },
});

const fetched = { status: 'fetched', reason: 'fetched', layer: 'page' } as const;
const url = 'http://a.test/x';
const candidate: NewUrl = { url, depth: 9, via: 'link', from: 'http://a.test/deep' };
const tooDeep = { candidate, reason: 'bound-depth' } as const;
const nofollow = { url, reason: 'link-nofollow', depth: 2, from: 'http://a.test/' } as const;
const wait: HostWait = { host: 'a.test', reason: 'interval', untilMs: 5, queued: 1 };

async function recorded(act: (journal: Journal) => void): Promise<string[]> {
  const pending = await PendingDecisions.open(null);
  const statuses: string[] = [];
  const listener = { decision: (decision: UrlDecision) => void statuses.push(`${decision.status} ${decision.reason}`) };
  const journal = new Journal(
    createCrawlEmitter(() => undefined),
    [listener],
    pending,
    () => 1,
  );
  act(journal);
  journal.end();
  return statuses;
}

describe('the decision about a URL', () => {
  it.each<[string, (r: Journal) => void, string[]]>([
    ['too deep, and nothing else', (r) => r.refusal(tooDeep), ['dropped bound-depth']],
    ['too deep twice', (r) => [r.refusal(tooDeep), r.refusal(tooDeep)], ['dropped bound-depth']],
    [
      'fetched, then linked from too deep',
      (r) => [r.page(work(url), fetched), r.refusal(tooDeep)],
      ['fetched fetched'],
    ],
    [
      'linked from too deep, then fetched',
      (r) => [r.refusal(tooDeep), r.page(work(url), fetched)],
      ['fetched fetched'],
    ],
    [
      'fetched, then linked with nofollow',
      (r) => [r.page(work(url), fetched), r.skippedLinks(work('http://a.test/'), [nofollow])],
      ['fetched fetched'],
    ],
    [
      'nofollow, then linked from too deep',
      (r) => [r.skippedLinks(work('http://a.test/'), [nofollow]), r.refusal(tooDeep)],
      ['excluded link-nofollow'],
    ],
    ['too deep, and the run ends twice', (r) => [r.refusal(tooDeep), r.end()], ['dropped bound-depth']],
    [
      'nofollow, and admitted by another link',
      (r) => [r.skippedLinks(work('http://a.test/'), [nofollow]), r.admitted([candidate])],
      [],
    ],
    [
      'fetched as a page, and as the hop of a companion',
      (r) => [
        r.page({ ...work(url), record: { ...record(url), via: 'companion', hops: 1 } }, fetched),
        r.page(work(url), fetched),
      ],
      ['fetched fetched'],
    ],
    [
      'too many redirects away, then linked openly and fetched',
      (r) => [r.refusal({ candidate, reason: 'redirect-limit' }), r.admitted([candidate]), r.page(work(url), fetched)],
      ['fetched fetched'],
    ],
    [
      'too many redirects away, and nothing else',
      (r) => r.refusal({ candidate, reason: 'redirect-limit' }),
      ['dropped redirect-limit'],
    ],
    [
      'queued, linked from too deep, held at the end',
      (r) => [r.admitted([candidate]), r.refusal(tooDeep), r.held(record(url), wait, 1)],
      ['held interval'],
    ],
  ])('%s', async (_, act, statuses) => expect(await recorded(act)).toEqual(statuses));

  it('is pending within a bound: past it the oldest is reported at once', async () => {
    const reported: string[] = [];
    const pending = await PendingDecisions.open(null);
    const listener = { decision: (decision: UrlDecision) => void reported.push(decision.url) };
    const journal = new Journal(
      createCrawlEmitter(() => undefined),
      [listener],
      pending,
      () => 1,
    );
    for (let at = 0; at <= MAX_PENDING_DECISIONS; at += 1)
      journal.refusal({ candidate: { ...candidate, url: `http://a.test/${at}` }, reason: 'bound-depth' });
    expect(reported).toEqual(['http://a.test/0']);
  });
});
