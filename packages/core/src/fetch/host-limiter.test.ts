// The second lock at the door holds even when the clock that plans is wrong, and never holds anything back in a queue.
// If this breaks, a defect in one file is enough to press a host that asked for time. Time is virtual, bottleneck's included.

import type { HostRequirements } from '@mannerly/frontier';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHostLimiter, type HostLimiter, type LimiterAnswer } from './host-limiter.js';
import { MAX_HOST_LIMITERS } from './limits.js';

// Much work or much waiting: a busy machine takes its time.
vi.setConfig({ testTimeout: 300_000 });

const MOST_TURNS = 20;

const limiters: HostLimiter[] = [];
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  for (const limiter of limiters.splice(0)) limiter.close();
  vi.useRealTimers();
});

/** Answers pass through timers of bottleneck's: time passes until they have come, which is some milliseconds at most. */
function make(): HostLimiter {
  const limiter = createHostLimiter();
  limiters.push(limiter);
  return {
    ...limiter,
    async ask(...question) {
      let answer: LimiterAnswer | null = null;
      const asked = limiter.ask(...question).then((given) => {
        answer = given;
        return given;
      });
      for (let turn = 0; answer === null && turn < MOST_TURNS; turn += 1) await sleep(turn === 0 ? 0 : 1);
      if (answer === null) throw new Error('no answer came');
      return asked;
    },
  };
}

const asks = (more: Partial<HostRequirements>): HostRequirements => ({
  crawlDelayMs: null,
  requestIntervalMs: null,
  bucket: null,
  ...more,
});
const sleep = async (ms: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms);
};

function go(answer: LimiterAnswer): Extract<LimiterAnswer, { kind: 'go' }> {
  if (answer.kind !== 'go') throw new Error(`expected go, got wait until ${answer.untilMs}`);
  return answer;
}

describe('a host that asks for nothing', () => {
  it('goes at once, and costs no limiter', async () => {
    const limiter = make();
    for (let index = 0; index < 10; index += 1) expect((await limiter.ask('a', asks({}), 0)).kind).toBe('go');
    expect(limiter.size()).toBe(0);
  });
});

describe('Crawl-delay', () => {
  it('counts from the end of the exchange, to the millisecond', async () => {
    const limiter = make();
    const asked = asks({ crawlDelayMs: 500 });
    const started = Date.now();
    const first = go(await limiter.ask('a', asked, started));
    await sleep(40);
    const ended = Date.now();
    first.done(started, ended, ended);
    expect(await limiter.ask('a', asked, ended)).toEqual({ kind: 'wait', untilMs: ended + 500 });
    await sleep(60);
    expect(await limiter.ask('a', asked, Date.now())).toEqual({ kind: 'wait', untilMs: ended + 500 });
    await sleep(ended + 501 - Date.now());
    go(await limiter.ask('a', asked, Date.now())).done(Date.now(), Date.now(), Date.now());
  });

  it('counts from the end also when it is told late', async () => {
    const limiter = make();
    const asked = asks({ crawlDelayMs: 500 });
    const ended = Date.now();
    const first = go(await limiter.ask('a', asked, ended));
    await sleep(200);
    first.done(ended, ended, Date.now());
    await sleep(ended + 499 - Date.now());
    expect(await limiter.ask('a', asked, ended + 499)).toEqual({ kind: 'wait', untilMs: ended + 500 });
    await sleep(2);
    expect((await limiter.ask('a', asked, Date.now())).kind).toBe('go');
  });

  it('lets nobody in while an exchange is inside', async () => {
    const limiter = make();
    const first = go(await limiter.ask('a', asks({ crawlDelayMs: 5_000 }), Date.now()));
    const second = await limiter.ask('a', asks({ crawlDelayMs: 5_000 }), Date.now());
    expect(second.kind).toBe('wait');
    first.done(Date.now(), Date.now(), Date.now());
  });

  it('lets one of several in that ask at the same time', async () => {
    const limiter = make();
    const now = Date.now();
    const answers = await Promise.all([1, 2, 3, 4].map(() => limiter.ask('a', asks({ crawlDelayMs: 5_000 }), now)));
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['go', 'wait', 'wait', 'wait']);
  });

  it('holds although the caller’s clock says that the time has come', async () => {
    const limiter = make();
    const asked = asks({ crawlDelayMs: 5_000 });
    go(await limiter.ask('a', asked, Date.now())).done(Date.now(), Date.now(), Date.now());
    // Past the turns that bottleneck itself takes to let a job go.
    await sleep(30);
    const wrong = Date.now() + 3_600_000;
    const answer = await limiter.ask('a', asked, wrong);
    expect(answer.kind).toBe('wait');
    if (answer.kind === 'wait') expect(answer.untilMs).toBeGreaterThan(wrong);
  });

  it('keeps each host to itself', async () => {
    const limiter = make();
    const asked = asks({ crawlDelayMs: 10_000 });
    go(await limiter.ask('a', asked, Date.now())).done(Date.now(), Date.now(), Date.now());
    expect((await limiter.ask('b', asked, Date.now())).kind).toBe('go');
    expect(limiter.size()).toBe(2);
  });

  it('a request that never left starts no silence', async () => {
    const limiter = make();
    const asked = asks({ crawlDelayMs: 10_000, requestIntervalMs: 10_000 });
    go(await limiter.ask('a', asked, Date.now())).done(null, Date.now(), Date.now());
    expect((await limiter.ask('a', asked, Date.now())).kind).toBe('go');
  });

  it('a longer delay holds from the moment the file asks for it, and so does none', async () => {
    const limiter = make();
    const now = Date.now();
    go(await limiter.ask('a', asks({ crawlDelayMs: 1 }), now)).done(now, now, now);
    const longer = asks({ crawlDelayMs: 5_000 });
    expect(await limiter.ask('a', longer, now + 100)).toEqual({ kind: 'wait', untilMs: now + 5_000 });
    expect(await limiter.ask('a', asks({}), now + 100)).toEqual({ kind: 'wait', untilMs: now + 5_000 });
    expect((await limiter.ask('a', asks({ crawlDelayMs: 50 }), now + 100)).kind).toBe('go');
  });
});

describe('Request-rate', () => {
  it('counts from start to start (access §9)', async () => {
    const limiter = make();
    const asked = asks({ requestIntervalMs: 500 });
    const started = Date.now();
    const first = go(await limiter.ask('a', asked, started));
    await sleep(60);
    first.done(started, Date.now(), Date.now());
    await sleep(2);
    expect(await limiter.ask('a', asked, Date.now())).toEqual({ kind: 'wait', untilMs: started + 500 });
    await sleep(started + 501 - Date.now());
    expect((await limiter.ask('a', asked, Date.now())).kind).toBe('go');
  });

  it('holds although the caller’s clock says that the time has come', async () => {
    const limiter = make();
    const asked = asks({ requestIntervalMs: 5_000 });
    go(await limiter.ask('a', asked, Date.now())).done(Date.now(), Date.now(), Date.now());
    await sleep(30);
    expect((await limiter.ask('a', asked, Date.now() + 3_600_000)).kind).toBe('wait');
  });

  it('the longer of delay and rate wins (access, DECISION A15)', async () => {
    const limiter = make();
    const now = Date.now();
    const asked = asks({ crawlDelayMs: 300, requestIntervalMs: 1_000 });
    go(await limiter.ask('a', asked, now)).done(now, now + 50, now + 50);
    expect(await limiter.ask('a', asked, now + 60)).toEqual({ kind: 'wait', untilMs: now + 1_000 });
    go(await limiter.ask('b', asked, now)).done(now, now + 900, now + 900);
    expect(await limiter.ask('b', asked, now + 901)).toEqual({ kind: 'wait', untilMs: now + 1_200 });
  });
});

describe('a bucket', () => {
  it('lets its documents through, then waits for the oldest to leave the period', async () => {
    const limiter = make();
    const asked = asks({ bucket: { documents: 3, periodMs: 600 } });
    const starts: number[] = [];
    for (let index = 0; index < 3; index += 1) {
      const now = Date.now();
      starts.push(now);
      go(await limiter.ask('a', asked, now)).done(now, now, now);
      await sleep(5);
    }
    expect(await limiter.ask('a', asked, Date.now())).toEqual({ kind: 'wait', untilMs: (starts[0] ?? 0) + 600 });
    await sleep((starts[0] ?? 0) + 601 - Date.now());
    const now = Date.now();
    go(await limiter.ask('a', asked, now)).done(now, now, now);
    expect((await limiter.ask('a', asked, now)).kind).toBe('wait');
  });
});

describe('their number', () => {
  it('is bounded: the one unused longest goes, one with an exchange inside stays', async () => {
    const limiter = make();
    const asked = asks({ crawlDelayMs: 60_000 });
    const busy = go(await limiter.ask('busy', asked, Date.now()));
    for (let index = 0; index < MAX_HOST_LIMITERS + 4; index += 16) {
      await Promise.all(
        Array.from({ length: 16 }, async (_, more) => {
          const now = Date.now();
          const answer = await limiter.ask(`h${index + more}`, asked, now);
          go(answer).done(now, now, now);
        }),
      );
    }
    expect(limiter.size()).toBe(MAX_HOST_LIMITERS);
    expect((await limiter.ask('busy', asked, Date.now())).kind).toBe('wait');
    busy.done(Date.now(), Date.now(), Date.now());
    const answer = await limiter.ask(`h${MAX_HOST_LIMITERS}`, asked, Date.now());
    expect(answer.kind).toBe('wait');
  });
});

// An answer that never comes is a host that is never asked again, and a crawl that never ends.
describe('an answer', () => {
  it('comes although the next exchange is just entering', async () => {
    const limiter = make();
    const asked = asks({ crawlDelayMs: 20 });
    const started = Date.now();
    go(await limiter.ask('a', asked, started)).done(started, started, started);
    let answer: LimiterAnswer = { kind: 'wait', untilMs: 0 };
    // As soon as the silence is over by our own stamps, and at every turn from then on.
    for (let turn = 0; answer.kind === 'wait' && turn < 100; turn += 1) {
      await sleep(turn % 2);
      answer = await limiter.ask('a', asked, started + 20);
    }
    go(answer).done(started + 20, started + 20, started + 20);
  });

  it('comes although the host now asks for a bucket', async () => {
    const limiter = make();
    const started = Date.now();
    go(await limiter.ask('a', asks({ crawlDelayMs: 20 }), started)).done(started, started, started);
    const bucket = asks({ bucket: { documents: 3, periodMs: 60_000 } });
    let answer: LimiterAnswer = { kind: 'wait', untilMs: 0 };
    for (let turn = 0; answer.kind === 'wait' && turn < 100; turn += 1) {
      await sleep(5);
      answer = await limiter.ask('a', bucket, Date.now());
    }
    go(answer).done(Date.now(), Date.now(), Date.now());
  });
});
