// The second lock works even if the frontier's plan is wrong, and never makes a request wait. If this breaks, a defect
// in one file is enough to overload a host that set a delay. Time is virtual, also for bottleneck.

import type { HostRequirements } from '@mannerly/frontier';
import Bottleneck from 'bottleneck';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createVirtualClock, type VirtualClock } from '../testing/virtual-clock.js';
import { MAX_HOST_LIMITERS } from './limits.js';
import { type LimiterAnswer, RequestLimiter } from './request-limiter.js';

/** The most milliseconds that bottleneck adds to a job. */
const SLACK_MS = 10;
/** How soon a limiter that refused may be asked again, milliseconds. */
const RECHECK_MS = 25;

let clock: VirtualClock;
let limiter: RequestLimiter;
beforeEach(() => {
  clock = createVirtualClock();
  limiter = new RequestLimiter(null);
});
afterEach(() => {
  clock.end();
  vi.restoreAllMocks();
});

const requirements = (more: Partial<HostRequirements>): HostRequirements => ({
  crawlDelayMs: null,
  requestIntervalMs: null,
  bucket: null,
  ...more,
});
const ask = (required: HostRequirements, host = 'a') =>
  clock.finish(Promise.resolve(limiter.ask(host, required, clock.nowMs())));

const atOnce = () => ({ startedAtMs: clock.nowMs(), endedAtMs: clock.nowMs(), nowMs: clock.nowMs() });

/** An exchange that takes `tookMs`; its end is reported `lateMs` later. Returns its start time. */
async function exchange(required: HostRequirements, { tookMs = 0, lateMs = 0, host = 'a' } = {}): Promise<number> {
  const answer = go(await ask(required, host));
  const startedAtMs = clock.nowMs();
  await clock.advance(tookMs + lateMs);
  answer.done({ startedAtMs, endedAtMs: startedAtMs + tookMs, nowMs: clock.nowMs() });
  return startedAtMs;
}

/** Asks again whenever the limiter says, until it answers `go`. Returns that time. */
async function untilGo(required: HostRequirements): Promise<number> {
  for (let turn = 0; turn < 1_000; turn += 1) {
    const answer = await ask(required);
    if (answer.kind === 'go') {
      answer.done(null);
      return clock.nowMs();
    }
    expect(answer.untilMs).toBeGreaterThan(clock.nowMs());
    await clock.advance(answer.untilMs - clock.nowMs());
  }
  throw new Error('the limiter never opened');
}

function go(answer: LimiterAnswer): Extract<LimiterAnswer, { kind: 'go' }> {
  if (answer.kind !== 'go') throw new Error(`expected go, got wait until ${answer.untilMs}`);
  return answer;
}

describe('a host that sets nothing', () => {
  it('is allowed at once, and needs no limiter', async () => {
    for (let index = 0; index < 10; index += 1) expect((await limiter.ask('a', requirements({}), 0)).kind).toBe('go');
    expect(limiter.size).toBe(0);
  });
});

describe('Crawl-delay', () => {
  const required = requirements({ crawlDelayMs: 500 });

  it.each([0, 200, 700])('counts from the end of the exchange, reported %i ms later', async (lateMs) => {
    const endedAtMs = (await exchange(required, { tookMs: 40, lateMs })) + 40;
    if (lateMs === 0) expect(await ask(required)).toEqual({ kind: 'wait', untilMs: endedAtMs + 500 });
    const openedAtMs = await untilGo(required);
    expect(openedAtMs).toBeGreaterThanOrEqual(endedAtMs + 500);
    expect(openedAtMs).toBeLessThanOrEqual(endedAtMs + Math.max(500, lateMs) + SLACK_MS + RECHECK_MS);
  });

  it('allows a request at the planned time', async () => {
    for (let round = 0; round < 20; round += 1) {
      const endedAtMs = await exchange(required);
      // The frontier plans in whole milliseconds, rounded up.
      await clock.advance(endedAtMs + 501 - clock.nowMs());
    }
  });

  it('refuses while an exchange is in flight, and all but one of several at once', async () => {
    const answers = await clock.finish(Promise.all([1, 2, 3, 4].map(() => limiter.ask('a', required, clock.nowMs()))));
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['go', 'wait', 'wait', 'wait']);
    await clock.advance(60_000);
    expect((await ask(required)).kind).toBe('wait');
    expect((await ask(requirements({ crawlDelayMs: 50 }))).kind).toBe('wait');
  });

  it("refuses even if the caller's clock says that the time has come, since bottleneck decides", async () => {
    await exchange(required);
    const wrong = clock.nowMs() + 3_600_000;
    const answer = await clock.finish(Promise.resolve(limiter.ask('a', required, wrong)));
    expect(answer).toEqual({ kind: 'wait', untilMs: wrong + RECHECK_MS });
    vi.spyOn(Bottleneck.prototype, 'schedule').mockImplementation(((job: () => unknown) => job()) as never);
    expect((await ask(required)).kind).toBe('go');
  });

  it('is separate for each host', async () => {
    await exchange(required);
    expect((await ask(required, 'b')).kind).toBe('go');
    expect(limiter.size).toBe(2);
  });

  it('a request that was not sent starts no delay', async () => {
    const both = requirements({ crawlDelayMs: 10_000, requestIntervalMs: 10_000 });
    go(await ask(both)).done(null);
    await clock.advance(SLACK_MS);
    expect((await ask(both)).kind).toBe('go');
  });

  it.each([
    ['a longer delay', requirements({ crawlDelayMs: 5_000 }), 5_000],
    ['a shorter one', requirements({ crawlDelayMs: 50 }), 50],
    ['a rate', requirements({ requestIntervalMs: 1_500 }), 1_500],
  ])('%s applies from the moment at which the file sets it', async (_what, changed, delayMs) => {
    const endedAtMs = await exchange(required);
    await clock.advance(40);
    const openedAtMs = await untilGo(changed);
    expect(openedAtMs).toBeGreaterThanOrEqual(endedAtMs + delayMs);
    expect(openedAtMs).toBeLessThanOrEqual(endedAtMs + delayMs + SLACK_MS + RECHECK_MS);
  });

  it('a longer delay counts from the last exchange, although a later request was not sent', async () => {
    const endedAtMs = await exchange(required);
    await clock.advance(500 + SLACK_MS);
    go(await ask(required)).done(null);
    expect(await untilGo(requirements({ crawlDelayMs: 5_000 }))).toBeGreaterThanOrEqual(endedAtMs + 5_000);
  });

  it('the last delay applies once more when the file no longer sets one', async () => {
    const endedAtMs = await exchange(required);
    expect(await untilGo(requirements({}))).toBeGreaterThanOrEqual(endedAtMs + 500);
    expect(limiter.size).toBe(0);
  });

  it('may be longer than a timer lasts', async () => {
    const long = requirements({ requestIntervalMs: 2 ** 31 + 5_000 });
    await exchange(long);
    await clock.advance(60_000);
    expect((await ask(long)).kind).toBe('wait');
  });
});

it('waits on the global timer, which a virtual clock replaces under Jest too', async () => {
  clock.end();
  const waits: number[] = [];
  const { setTimeout: real } = globalThis;
  // Jest gives each test file a copy of node:timers, and replaces only the globals there.
  vi.stubGlobal('setTimeout', (fn: () => void, ms: number) => {
    waits.push(ms);
    return real(fn, 0);
  });
  try {
    const required = requirements({ crawlDelayMs: 3_600_000 });
    go(await limiter.ask('a', required, 0)).done({ startedAtMs: 0, endedAtMs: 0, nowMs: 0 });
    await vi.waitUntil(() => waits.includes(3_600_000));
  } finally {
    vi.unstubAllGlobals();
  }
});

describe('Request-rate', () => {
  it('counts from start to start (access §9)', async () => {
    const required = requirements({ requestIntervalMs: 500 });
    const startedAtMs = await exchange(required, { tookMs: 60 });
    expect(await ask(required)).toEqual({ kind: 'wait', untilMs: startedAtMs + 500 });
    const openedAtMs = await untilGo(required);
    expect(openedAtMs).toBeGreaterThanOrEqual(startedAtMs + 500);
    expect(openedAtMs).toBeLessThanOrEqual(startedAtMs + 500 + SLACK_MS + RECHECK_MS);
  });

  it('the longer of delay and rate wins (access, DECISION A15)', async () => {
    const required = requirements({ crawlDelayMs: 300, requestIntervalMs: 1_000 });
    const quick = await exchange(required, { tookMs: 50 });
    expect(await ask(required)).toEqual({ kind: 'wait', untilMs: quick + 1_000 });
    const slow = await exchange(required, { tookMs: 900, host: 'b' });
    expect(await ask(required, 'b')).toEqual({ kind: 'wait', untilMs: slow + 1_200 });
  });
});

describe('a bucket', () => {
  it('allows its number of starts in any period', async () => {
    const required = requirements({ requestIntervalMs: 200, bucket: { documents: 3, periodMs: 600 } });
    const starts: number[] = [];
    while (starts.length < 12) {
      await untilGo(required);
      await clock.advance(SLACK_MS);
      starts.push(await exchange(required, { tookMs: 5 }));
      await clock.advance(SLACK_MS);
    }
    const periods = starts.slice(3).map((start, at) => start - (starts[at] ?? 0));
    expect(Math.min(...periods)).toBeGreaterThanOrEqual(600);
    expect(Math.max(...periods)).toBeLessThanOrEqual(600 + 2 * (SLACK_MS + RECHECK_MS));
    expect((starts[2] ?? 0) - (starts[0] ?? 0)).toBeLessThan(200);
  });

  it('with a free place does not shorten the delay (access, DECISION A15)', async () => {
    const required = requirements({ crawlDelayMs: 500, bucket: { documents: 3, periodMs: 600 } });
    const endedAtMs = await exchange(required);
    expect(await ask(required)).toEqual({ kind: 'wait', untilMs: endedAtMs + 500 });
  });
});

describe('the number of limiters', () => {
  it('is bounded: the one used longest ago is removed, and one with an exchange in flight stays', async () => {
    const required = requirements({ crawlDelayMs: 600_000 });
    go(await ask(required, 'busy'));
    for (let index = 0; index < MAX_HOST_LIMITERS + 4; index += 1) {
      await exchange(required, { host: `h${index}` });
      if (index === MAX_HOST_LIMITERS - 9) await ask(required, 'h0');
    }
    expect(limiter.size).toBe(MAX_HOST_LIMITERS);
    for (const host of ['busy', 'h0', `h${MAX_HOST_LIMITERS}`]) expect((await ask(required, host)).kind).toBe('wait');
  });
});

describe('requests of the whole crawl', () => {
  /** `askers` hosts ask again whenever their last answer says. Returns how many requests went out in the first `ms`. */
  async function requestsWithin(ms: number, hosts: number): Promise<number> {
    const endAtMs = clock.nowMs() + ms;
    let sent = 0;
    const work = async (host: string): Promise<void> => {
      while (clock.nowMs() < endAtMs) {
        const answer = await limiter.ask(host, requirements({}), clock.nowMs());
        const untilMs = answer.kind === 'wait' ? answer.untilMs : clock.nowMs() + 1;
        if (answer.kind === 'go') {
          sent += 1;
          answer.done(atOnce());
        }
        await new Promise((resolve) => setTimeout(resolve, untilMs - clock.nowMs()));
      }
    };
    await clock.finish(Promise.all(Array.from({ length: hosts }, (_, index) => work(`h${index}`))));
    return sent;
  }

  it.each([
    [0.5, 20_000],
    [4, 10_000],
    [40, 5_000],
    [400, 2_000],
    [5_000, 200],
  ])('are sent at %f per second, and no faster, over %i ms', async (perSecond, ms) => {
    limiter = new RequestLimiter(1_000 / perSecond);
    const sent = await requestsWithin(ms, 20);
    const allowed = (perSecond * ms) / 1_000;
    // Two jobs start at once; at a fast rate each stands for several requests.
    expect(sent).toBeLessThanOrEqual(allowed + 2 * Math.max(1, perSecond / 50));
    expect(sent).toBeGreaterThanOrEqual(allowed * 0.8);
  });

  it('are not refused if the frontier spaces them and some look-ups take longer', async () => {
    limiter = new RequestLimiter(250);
    const startMs = clock.nowMs();
    for (let index = 0; index < 40; index += 1) {
      const planned = startMs + index * 250 + (index % 3 === 1 ? 100 : 0);
      await clock.advance(planned - clock.nowMs());
      go(await ask(requirements({}))).done(atOnce());
    }
  });

  it('do not count when they were not sent', async () => {
    limiter = new RequestLimiter(3_600_000);
    const required = requirements({ crawlDelayMs: 3_600_000 });
    await exchange(required, { host: 'b' });
    for (let index = 0; index < 20; index += 1) {
      go(await ask(requirements({}))).done(null);
      expect((await ask(required, 'b')).kind).toBe('wait');
    }
  });

  it('cause no burst when many of them were not sent', async () => {
    limiter = new RequestLimiter(60_000);
    for (let index = 0; index < 20; index += 1) go(await ask(requirements({}))).done(null);
    await clock.advance(3_600_000);
    const answers = await clock.finish(
      Promise.all(Array.from({ length: 20 }, (_, at) => limiter.ask(`h${at}`, requirements({}), clock.nowMs()))),
    );
    expect(answers.filter(({ kind }) => kind === 'go').length).toBeLessThanOrEqual(3);
  });

  it('do not block a host that may be requested', async () => {
    limiter = new RequestLimiter(60_000);
    const required = requirements({ crawlDelayMs: 100 });
    for (let index = 0; index < 2; index += 1) await exchange(required, { host: `h${index}` });
    expect((await ask(required, 'c')).kind).toBe('wait');
    await clock.advance(60_000);
    expect((await ask(required, 'c')).kind).toBe('go');
  });
});
