// A person who asks why a page is missing needs the reason that decided, and its line in robots.txt.

import type { HostInspection, UrlInspection } from '@mannerly/frontier';
import { describe, expect, it } from 'vitest';
import type { UrlDecision } from './decision.js';
import {
  explain,
  explainHost,
  explainLoggedHost,
  inspectStoppedHost,
  isHostName,
  requestedForm,
  withError,
} from './explain.js';
import { explanationText } from './explain-text.js';

const url = 'http://quarry.test/blasting/plan';
const robots = { authority: 'http://quarry.test', phase: 'rules', hash: 'ab12', receivedAtMs: 1_000 };
const byLine = { line: 4, pattern: '/blasting/', dialect: 'rfc9309' };

const decision = (more: Partial<UrlDecision>): UrlDecision => ({
  url,
  host: 'quarry.test',
  status: 'excluded',
  reason: 'robots-rule',
  layer: 'robots',
  httpStatus: null,
  ...byLine,
  robots,
  depth: 1,
  from: 'http://quarry.test/',
  atMs: 2_000,
  detail: null,
  ...more,
});

const look = (more: Partial<UrlInspection>): UrlInspection => ({
  host: 'quarry.test',
  isKnown: true,
  gate: { kind: 'allow', reason: 'no-match', line: null, pattern: null, dialect: 'rfc9309' },
  robots,
  wait: null,
  ...more,
});

const wait = { host: 'quarry.test', reason: 'crawl-delay', untilMs: 9_000, queued: 3 } as const;
const deny = { kind: 'deny', reason: 'robots-rule', ...byLine } as const;
const hold = { kind: 'hold', reason: 'robots-unreachable', untilMs: 60_000 } as const;

describe('explaining a URL', () => {
  it.each([
    ['logged as excluded', decision({}), null, { status: 'excluded', reason: 'robots-rule', line: 4, untilMs: null }],
    [
      'logged as fetched, closed since: what happened wins',
      decision({ status: 'fetched', reason: 'fetched', line: null }),
      look({ gate: deny }),
      { status: 'fetched', reason: 'fetched', line: null },
    ],
    ['queued, and its host waits', null, look({ wait }), { status: 'waiting', reason: 'crawl-delay', untilMs: 9_000 }],
    [
      'queued, robots.txt unreachable',
      null,
      look({ gate: hold }),
      { status: 'waiting', reason: 'robots-unreachable', untilMs: 60_000 },
    ],
    [
      'held at the end, still unreachable',
      decision({ status: 'held', reason: 'robots-unreachable', line: null }),
      look({ gate: hold }),
      { status: 'held', reason: 'robots-unreachable', untilMs: 60_000 },
    ],
    [
      'held at the end, no frontier to read',
      decision({ status: 'held', reason: 'host-paused', line: null }),
      null,
      { status: 'held', reason: 'host-paused', untilMs: null },
    ],
    [
      'never met, but the rules in memory exclude it',
      null,
      look({ isKnown: false, gate: deny }),
      { status: 'unknown', reason: 'robots-rule', line: 4 },
    ],
    [
      'never met, and open',
      null,
      look({ isKnown: false }),
      { status: 'unknown', reason: null, line: null, untilMs: null },
    ],
    ['never met, and no frontier to read', null, null, { status: 'unknown', reason: null }],
  ] as const)('%s', (_, logged, looked, expected) => {
    expect(explain(url, logged, looked)).toMatchObject({ url, ...expected });
  });

  it('names line, pattern, copy and what to do as text', () => {
    const text = explanationText(explain(url, decision({}), null));
    expect(text).toContain('Line 4 of http://quarry.test/robots.txt: /blasting/');
    expect(text).toContain('copy ab12, received 1970-01-01T00:00:01.000Z');
    expect(text).toContain('found on http://quarry.test/');
    expect(text).toMatch(/What to do: \w/);
  });

  it('distinguishes the line that allowed the page from one that excludes it', () => {
    const noindex = decision({ reason: 'noindex', layer: 'page', httpStatus: 200 });
    expect(explanationText(explain(url, noindex, null))).toContain('Excluded: it was fetched, and the site does not');
    const nofollow = decision({ reason: 'page-nofollow', layer: 'page', httpStatus: null });
    expect(explanationText(explain(url, nofollow, null))).toContain('Excluded: the site does not want it fetched');
    expect(explanationText(explain(url, noindex, null))).toContain('Allowed by line 4 of');
    expect(explanationText(explain(url, null, look({ gate: deny })))).toMatch(/^ {2}Line 4 of/m);
  });

  it('does not say that a run will decide about a page that a licence holds', () => {
    const held = explain(url, decision({ status: 'held', reason: 'license', layer: 'page', line: null }), null);
    expect(explanationText(held)).toContain('Held: a person has to act first. (license)');
  });

  it('says until when as text', () => {
    const text = explanationText(explain(url, null, look({ wait })));
    expect(text).toContain('Queued');
    expect(text).toContain('Not before 1970-01-01T00:00:09.000Z');
    expect(text).toContain('robots.txt allows it');
  });
});

const host = (more: Partial<HostInspection>): HostInspection => ({
  host: 'quarry.test',
  isKnown: true,
  queued: 3,
  inFlight: 0,
  lanes: [],
  isComplete: true,
  isHeld: false,
  nextAtMs: 9_000,
  wait,
  isParked: false,
  interval: { ms: 5_000, from: 'profile', authority: null, line: null },
  robots: [],
  used: { pages: 1, bytes: 10, runningMs: 1_000 },
  reachedBound: null,
  order: { weight: 1, label: null, hostsBefore: null },
  consecutive: { throttled: 0, failed: 0, refused: 0 },
  ...more,
});

const NO_LOGS = { requests: 0, lastEndedAtMs: null, crawlDelayMs: null, requestIntervalMs: null, gapMs: null };

describe('a URL with a place in the queue', () => {
  const record = {
    url,
    depth: 2,
    via: 'link',
    from: 'http://quarry.test/',
    hops: 0,
    label: null,
    userData: null,
  } as const;
  const place = { host: 'quarry.test', authority: 'http://quarry.test', priority: 4, record: { ...record, tries: 1 } };

  it('and a decision shows both: what happened, and that it is queued again', () => {
    const failed = decision({ status: 'failed', reason: 'status-500', line: null, layer: 'fetch' });
    const again = { ...place, record: { ...place.record, visit: 1 } };
    const text = explanationText(explain(url, failed, look({}), again));
    expect(text).toMatch(
      /Failed[\s\S]*Queued once more for quarry\.test in priority 4: .*tried 1 time, one more visit/,
    );
  });

  it('does not give a reason that no longer applies', () => {
    const held = decision({ status: 'held', reason: 'crawl-delay', line: null });
    expect(explain(url, held, look({}), place)).toMatchObject({ status: 'held', reason: null, untilMs: null });
    expect(explain(url, held, look({ wait }), place)).toMatchObject({ reason: 'crawl-delay', untilMs: 9_000 });
  });
});

describe('a host that no run works on', () => {
  const slow = { ms: 5_000, from: 'crawl-delay', authority: 'http://quarry.test', line: 4 } as const;
  it.each<[string, Partial<HostInspection>, number, HostInspection['wait']]>([
    ['waits as stored', {}, 8_000, wait],
    ['does not wait when that is over', { nextAtMs: 8_000 }, 9_500, null],
    ['waits for its interval after a kill', { wait: null }, 8_000, { ...wait, reason: 'interval' }],
    ['waits for its Crawl-delay after a kill', { wait: null, interval: slow }, 8_000, wait],
    [
      'is paused after a kill, where its last answers say so',
      { wait: null, nextAtMs: 60_000, consecutive: { throttled: 2, failed: 0, refused: 0 } },
      8_000,
      { ...wait, reason: 'host-paused', untilMs: 60_000 },
    ],
    ['has no guessed reason otherwise', { wait: null, nextAtMs: 60_000 }, 8_000, null],
    [
      'a wait that is over gives way to the next',
      { wait: { ...wait, untilMs: 7_000 } },
      8_000,
      { ...wait, reason: 'interval' },
    ],
  ])('%s', (_name, more, nowMs, expected) => {
    expect(inspectStoppedHost(host(more), nowMs).wait).toEqual(expected);
  });

  it('has nothing in flight: what a killed run had in flight is queued', () => {
    const text = inspectStoppedHost(host({ queued: 2, inFlight: 5 }), 8_000);
    expect(text).toMatchObject({ queued: 7, inFlight: 0, wait: { queued: 7 } });
  });

  it.each([
    [
      { phase: 'no-rules', failures: 0, retryAtMs: null, freshUntilMs: 0 },
      { status: 403 },
      'no-rules, status 403, used',
    ],
    [
      { phase: 'unreachable', failures: 1, retryAtMs: 0, freshUntilMs: null },
      { status: 503 },
      'unreachable, status 503',
    ],
    [
      { phase: 'unreachable', failures: 1, retryAtMs: 0, freshUntilMs: null },
      { status: null, failure: 'timeout-connect' },
      'unreachable, no answer (timeout-connect), 1 failure, again',
    ],
  ])('says which answer led to the state of its robots.txt: %j %j', (state, answer, says) => {
    const authority = 'http://quarry.test';
    const known = { authority, hash: null, receivedAtMs: null, crawlDelayMs: null, requestIntervalMs: null };
    const look = host({ robots: [{ ...known, ...state }] });
    const last = { authority, hash: null, endedAtMs: 0, failure: null, ...answer };
    const warning = {
      kind: 'host',
      code: 'robots-unreachable',
      host: 'quarry.test',
      authority,
      untilMs: 9_000,
      atMs: 1_000,
      detail: 'attempt 1 failed (refused)',
    } as const;
    const text = explanationText({ ...explainHost(look), logged: { ...NO_LOGS, warning, robots: [last] } });
    expect(text).toContain(`${authority}/robots.txt: ${says}`);
    expect(text).toMatch(/: robots-unreachable until 1970-.*: attempt 1 failed \(refused\)/);
  });

  it('stays parked', () => {
    const parked = { ...wait, reason: 'host-parked', untilMs: null } as const;
    const text = inspectStoppedHost(host({ isParked: true, nextAtMs: null, wait: parked }), 9_500);
    expect(text.wait).toEqual(parked);
    expect(explanationText({ ...explainHost(text), bound: 'pages' })).toMatch(/Parked[\s\S]*bound of pages is used up/);
  });
});

describe('answers from the logs alone', () => {
  const logged = {
    requests: 2,
    lastEndedAtMs: 1_000,
    crawlDelayMs: 4_000,
    requestIntervalMs: null,
    gapMs: 4_100,
    warning: {
      kind: 'host',
      code: 'host-paused',
      host: 'quarry.test',
      authority: null,
      untilMs: 9_000,
      detail: 'status\u001b 503',
      atMs: 1_000,
    },
    robots: [{ authority: 'http://quarry.test', hash: null, endedAtMs: 0, status: null, failure: 'timeout-connect' }],
  } as const;

  it('show for a host its requests, its requirements, and why there is no more', () => {
    const text = explanationText(explainLoggedHost('quarry.test', logged, 'A run has it.'));
    expect(text).toMatch(/2 requests, the last ended 1970.*\n.*Crawl-delay of 4 s[\s\S]*host-paused until 1970/);
    expect(text).toContain('http://quarry.test/robots.txt: no answer (timeout-connect), requested 1970-');
    expect(text).toMatch(/From the logs alone: A run has it\.$/);
    expect(text).not.toContain('\u001b');
  });

  it('say that a URL that no log names may be queued', () => {
    const text = explanationText({ ...explain(url, null, null), logsOnlyReason: 'A run has it.' });
    expect(text).toMatch(/Not decided: .*may be queued[\s\S]*From the logs alone: A run has it\.$/);
    expect(explanationText(explain(url, null, null))).toContain('Unknown');
  });

  it('say that a host that no log names is unknown', () => {
    const text = explainLoggedHost('other.test', { ...logged, requests: 0, warning: null }, 'A run has it.');
    expect(text.status).toBe('unknown');
    expect(explanationText(text)).toContain('Unknown');
  });
});

describe('a question', () => {
  it.each([
    ['example.org', true],
    ['example.org:8080', true],
    ['https://example.org/', false],
    ['/page', false],
    ['two words', false],
  ])('%j is about a host: %s', (text, expected) => {
    expect(isHostName(text)).toBe(expected);
  });

  it('about a URL uses the form in which it is requested', () => {
    expect(requestedForm('HTTPS://Example.org/a b#c')).toBe('https://example.org/a%20b');
    expect(requestedForm('what?')).toBe('what?');
  });
});

it('shows an error of a handler with the lines of the user’s code, not with those of packages', () => {
  const stack = [
    'TypeError: no heading',
    '    at handler (file:///shop/src/handlers.ts:4:9)',
    '    at run (file:///shop/node_modules/p-queue/dist/index.js:406:36)',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
  ].join('\n');
  const about = { code: 'handler-error', url, source: 'file:///shop/src/handlers.ts:4:9', atMs: 2_000 } as const;
  const failed = explain(url, decision({ status: 'failed', reason: 'handler-error', layer: 'hook', line: null }), null);
  const text = explanationText(withError(failed, { ...about, name: 'TypeError', message: 'no heading', stack }));
  expect(text).toContain('at handler (file:///shop/src/handlers.ts:4:9)');
  expect(text).not.toMatch(/node_modules|node:internal/);
});
