// A request outside the queue is still a request: it waits for robots.txt, for its host's turn and for nothing else,
// and a host whose pages all wait for one is not stuck.

import { describe, expect, it } from 'vitest';
import type { Reply } from '../../test-support/fake-world.js';
import { isRobots, setUp, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';
import type { PageWork, Work } from '../work.js';
import type { OwnAnswer } from './own-requests.js';

const OPEN: Reply = { status: 404 };
const robots = (body: string): Reply => ({ status: 200, body });

function make(file: Reply = OPEN, more: Parameters<typeof setUp>[2] = {}) {
  return setUp(
    (nowMs) => memoryStore({ nowMs }),
    (address) => (isRobots(address) ? file : { status: 200 }),
    { politeness: { profile: { factor: 0, minMs: 1_000, maxMs: 1_000 } }, ...more },
  );
}

type World = ReturnType<typeof make>;

/** Takes and answers work until the promise is settled: robots.txt as the world answers, pages at once. */
async function until<T>(
  world: World,
  promise: Promise<T>,
  file: Reply = OPEN,
  n = 4,
): Promise<{ value: T; taken: Work[] }> {
  const { frontier, clock } = world;
  const taken: Work[] = [];
  let value: { readonly is: T } | null = null;
  promise.then((is) => {
    value = { is };
  });
  for (let turn = 0; turn < 200; turn += 1) {
    for (const work of await frontier.take(n)) {
      taken.push(work);
      if (work.kind === 'robots') {
        exchange(world, work, file.status ?? 404);
        const response = {
          kind: 'response',
          status: file.status ?? 404,
          headers: {},
          body: new TextEncoder().encode(file.body ?? ''),
          robotsUrl: work.url,
          finalUrl: work.url,
        } as const;
        await frontier.settle(work, { kind: 'robots', answer: response });
      }
    }
    await Promise.resolve();
    if (value !== null) return { value: (value as { readonly is: T }).is, taken };
    const at = await frontier.nextAt();
    clock.advanceTo(
      Math.max(
        clock.nowMs() + 1,
        Math.min(at ?? Number.MAX_SAFE_INTEGER, clock.nextTimerAt() ?? clock.nowMs() + 1_000),
      ),
    );
  }
  throw new Error('never answered');
}

function exchange({ frontier, clock }: World, work: Work, status = 200): void {
  const at = clock.nowMs();
  frontier.exchanged(work, { startedAtMs: at, endedAtMs: at, status, retryAfter: null, failure: null, bytes: 10 });
}

const workOf = (answer: OwnAnswer): PageWork => {
  if (answer.kind !== 'go') throw new Error(`expected go, got ${JSON.stringify(answer)}`);
  return answer.work;
};

describe('a request of the owner outside the queue', () => {
  it('to an unknown host is made once its robots.txt has arrived, and uses up no page', async () => {
    const world = make(OPEN, { bounds: { pages: 1 } });
    await world.frontier.open();
    const { value, taken } = await until(
      world,
      world.frontier.ask(url('https://a.test/x'), world.clock.nowMs() + 60_000),
    );
    expect(taken.map(({ kind, url: address }) => `${kind} ${address}`)).toEqual(['robots https://a.test/robots.txt']);
    const work = workOf(value);
    expect(world.frontier.mayStart(work)).toEqual({ kind: 'go' });
    exchange(world, work);
    expect(await world.frontier.settle(work, { kind: 'done', countsAsPage: false, links: [] })).toBe('ok');
    expect(world.frontier.counts()).toMatchObject({ pages: 0, inFlight: 0 });
    expect(world.frontier.reachedBound()).toBeNull();
    await world.frontier.close();
  });

  it.each([
    ['is made if only the pages of its host are used up', 1_000, { kind: 'go' }],
    ['is dropped if the bytes of its host are used up too', 15, { kind: 'dropped', reason: 'bound-host-bytes' }],
  ])('%s', async (_what, bytesPerHost, expected) => {
    const world = make(OPEN, { bounds: { pagesPerHost: 1, bytesPerHost } });
    const { frontier, clock } = world;
    await frontier.open();
    await frontier.add([url('https://a.test/1'), url('https://a.test/2')]);
    await until(world, frontier.ask(url('https://a.test/x'), clock.nowMs()));
    clock.advance(60_000);
    const [page] = await frontier.take(1);
    exchange(world, page!);
    await frontier.settle(page!, { kind: 'done', countsAsPage: true, links: [] });
    const { value } = await until(world, frontier.ask(url('https://a.test/x'), clock.nowMs() + 60_000));
    expect(value).toMatchObject(expected);
    await frontier.close();
  });

  it('is dropped with all others of its host if the crawl has received its bytes', async () => {
    const world = make(OPEN, { bounds: { bytes: 15 } });
    const { frontier, clock } = world;
    await frontier.open();
    await frontier.add([url('https://a.test/1')]);
    const ask = () => frontier.ask(url('https://a.test/x'), clock.nowMs() + 60_000);
    const page = workOf((await until(world, ask())).value);
    exchange(world, page);
    await frontier.settle(page, { kind: 'done', countsAsPage: false, links: [] });
    clock.advance(2_000);
    const { value } = await until(world, Promise.all([ask(), ask()]));
    expect(value).toEqual([1, 2].map(() => ({ kind: 'dropped', reason: 'bound-bytes' })));
    await frontier.close();
  });

  it('is refused with the rule that closes it', async () => {
    const world = make();
    await world.frontier.open();
    const file = robots('User-agent: *\nDisallow: /x\n');
    const { value } = await until(
      world,
      world.frontier.ask(url('https://a.test/x'), world.clock.nowMs() + 60_000),
      file,
    );
    expect(value).toEqual({
      kind: 'excluded',
      reason: 'robots-rule',
      line: 2,
      pattern: '/x',
      dialect: 'rfc9309',
    });
    await world.frontier.close();
  });

  it('keeps the interval to the request before, and the next request keeps it to this one', async () => {
    const world = make();
    const { frontier, clock } = world;
    await frontier.open();
    await frontier.add([url('https://a.test/1')]);
    const first = await until(world, frontier.ask(url('https://a.test/own'), clock.nowMs() + 60_000));
    const atMs = clock.nowMs();
    const work = workOf(first.value);
    exchange(world, work);
    await frontier.settle(work, { kind: 'done', countsAsPage: false, links: [] });
    expect(await frontier.take(4)).toEqual([]);
    clock.advanceTo(atMs + 999);
    expect(await frontier.take(4)).toEqual([]);
    clock.advanceTo(atMs + 1_000);
    expect((await frontier.take(4)).map((each) => each.url)).toEqual(['https://a.test/1']);
    await frontier.close();
  });

  it('gets its turn even if the host has its maximum of pages in flight and nothing is taken', async () => {
    const world = make(OPEN, { unsettledPerHost: 2 });
    const { frontier, clock } = world;
    await frontier.open();
    await frontier.add(Array.from({ length: 40 }, (_, at) => url(`https://a.test/${at}`)));
    const inFlight: Work[] = [];
    while (inFlight.length < 2) {
      const { taken } = await until(world, Promise.resolve(null));
      for (const work of taken.filter(({ kind }) => kind === 'page')) {
        exchange(world, work);
        inFlight.push(work);
      }
      clock.advance(1_000);
    }
    const { value, taken } = await until(
      world,
      frontier.ask(url('https://a.test/own'), clock.nowMs() + 60_000),
      OPEN,
      0,
    );
    expect(taken).toEqual([]);
    const work = workOf(value);
    exchange(world, work);
    await frontier.settle(work, { kind: 'done', countsAsPage: false, links: [] });
    for (const page of inFlight) await frontier.settle(page, { kind: 'done', countsAsPage: true, links: [] });
    expect(frontier.counts().pages).toBe(2);
    await frontier.close();
  });

  it('waits for the one before, since a host has one slot', async () => {
    const world = make();
    const { frontier, clock } = world;
    await frontier.open();
    const answers = [1, 2].map((at) => frontier.ask(url(`https://a.test/${at}`), clock.nowMs() + 60_000));
    const first = workOf((await until(world, answers[0]!)).value);
    let second: OwnAnswer | null = null;
    answers[1]!.then((answer) => {
      second = answer;
    });
    clock.advance(5_000);
    await frontier.take(4);
    expect(second).toBeNull();
    exchange(world, first);
    await frontier.settle(first, { kind: 'done', countsAsPage: false, links: [] });
    expect(workOf((await until(world, answers[1]!)).value).url).toBe('https://a.test/2');
    await frontier.close();
  });

  it('is held at its deadline, or at once if its turn is known to come later', async () => {
    const world = make({ status: 503 });
    const { frontier, clock } = world;
    await frontier.open();
    const startedAtMs = clock.nowMs();
    const { value } = await until(world, frontier.ask(url('https://a.test/x'), startedAtMs + 20_000), { status: 503 });
    expect(value).toMatchObject({ kind: 'held' });
    expect(clock.nowMs()).toBeLessThanOrEqual(startedAtMs + 20_000);
    await frontier.close();
  });

  it('is held at its deadline because of a robots.txt that does not arrive', async () => {
    const { frontier, clock } = make();
    await frontier.open();
    const answer = frontier.ask(url('https://a.test/x'), clock.nowMs() + 5_000);
    expect((await frontier.take(4)).map(({ kind }) => kind)).toEqual(['robots']);
    clock.advance(5_000);
    expect(await answer).toEqual({ kind: 'held', reason: 'robots-unreachable', untilMs: null });
    await frontier.close();
  });

  it('is held at once if its host is parked, held by this process or not', async () => {
    const world = make();
    const { frontier, clock } = world;
    await frontier.open();
    const ask = () => until(world, frontier.ask(url('https://a.test/x'), clock.nowMs() + 60_000));
    const first = workOf((await ask()).value);
    const times = { startedAtMs: clock.nowMs(), endedAtMs: clock.nowMs() };
    frontier.exchanged(first, { ...times, status: 402, retryAfter: null, failure: null, bytes: 0, parks: 'a price' });
    const held = { kind: 'held', reason: 'host-parked', untilMs: null };
    expect((await ask()).value).toEqual(held);
    await frontier.settle(first, { kind: 'done', countsAsPage: false, links: [] });
    await frontier.nextAt();
    expect(await frontier.inspectHost('a.test')).toMatchObject({ isHeld: false, isParked: true });
    expect((await ask()).value).toEqual(held);
    await frontier.close();
  });

  it.each([
    ['is made once a robots.txt that redirects has arrived', true, []],
    ['waits for another try of a robots.txt that redirects in vain', false, ['https://a.test/robots.txt']],
  ])('%s', async (_, arrives, expected) => {
    const world = make();
    const { frontier, clock } = world;
    await frontier.open();
    const answer = frontier.ask(url('https://a.test/x'), clock.nowMs() + 300_000);
    const [robots] = await frontier.take(4);
    exchange(world, robots!, 301);
    const moved = { kind: 'response', status: 301, headers: { location: 'https://b.test/rules' } } as const;
    const none = { body: new Uint8Array(), robotsUrl: robots!.url, finalUrl: robots!.url };
    await frontier.settle(robots!, { kind: 'robots', answer: { ...moved, ...none } });
    clock.advance(2_000);
    const [hop] = await frontier.take(4);
    expect(hop).toMatchObject({ kind: 'robots', url: 'https://b.test/rules' });
    if (arrives) {
      exchange(world, hop!, 404);
      await frontier.settle(hop!, { kind: 'robots', answer: { ...moved, ...none, status: 404 } });
    }
    const { value, taken } = await until(world, answer);
    expect(taken.map((each) => each.url)).toEqual(expected);
    expect(workOf(value).url).toBe('https://a.test/x');
    await frontier.close();
  });

  it('is answered when the crawl stops or closes', async () => {
    const world = make();
    await world.frontier.open();
    const answer = world.frontier.ask(url('https://a.test/x'), world.clock.nowMs() + 60_000);
    world.frontier.cancelAsks();
    expect(await answer).toEqual({ kind: 'held', reason: 'stopping', untilMs: null });
    const closed = world.frontier.ask(url('https://a.test/x'), world.clock.nowMs() + 60_000);
    await world.frontier.close();
    expect(await closed).toMatchObject({ kind: 'held' });
  });

  it('that was not sent can be made again', async () => {
    const world = make();
    const { frontier, clock } = world;
    await frontier.open();
    const work = workOf((await until(world, frontier.ask(url('https://a.test/x'), clock.nowMs() + 60_000))).value);
    await frontier.settle(work, { kind: 'returned', untilMs: clock.nowMs() + 3_000 });
    const atMs = clock.nowMs();
    workOf((await until(world, frontier.ask(url('https://a.test/x'), clock.nowMs() + 60_000))).value);
    expect(clock.nowMs()).toBeGreaterThanOrEqual(atMs + 3_000);
    await frontier.close();
  });

  it('is refused if there is no valid URL', async () => {
    const world = make();
    await world.frontier.open();
    expect(await world.frontier.ask(url('nonsense'), 1)).toEqual({ kind: 'dropped', reason: 'url-invalid' });
    await world.frontier.close();
  });
});
