// A crawl that was stopped in its middle goes on with contents that another program, another version or a broken disk
// has changed. It ends with an error that says what to do, or crawls on politely: it never waits without end, requests
// nothing that is forbidden, nothing too early, and loses no URL without a word.

import {
  createFrontier,
  createManualClock,
  type Frontier,
  FrontierError,
  type FrontierStore,
} from '@mannerly/frontier';
import { expect } from 'vitest';

/** One way to damage the contents of a store. */
export interface Damage {
  readonly what: string;
  readonly apply: () => Promise<unknown>;
}

/** The contents of a store, which can be kept, damaged and put back. */
export interface Contents {
  /** Another client of the contents. */
  readonly client: (nowMs: () => number) => FrontierStore;
  readonly keep: () => Promise<unknown>;
  readonly restore: () => Promise<unknown>;
  /** All that is tried with the kept contents. */
  readonly damages: () => Promise<readonly Damage[]>;
}

const START_MS = 1_700_000_000_000;
const DAY_MS = 86_400_000;
/** Virtual milliseconds in which a crawl must end; a damaged time may make a host wait for years, but not for ever. */
const MAX_CRAWL_MS = 20 * 365 * DAY_MS;
/** A longer wait is spent with the crawl closed, without its timers. */
const LONG_WAIT_MS = 300_000;
const MAX_ROUNDS = 2_000;
/** A call that has not answered after so many turns of a few milliseconds is given virtual time. */
const TURN_MS = 5;
const TURNS_PER_STEP = 20;
const STEP_MS = 20_000;
const HOSTS = ['a.test', 'b.test', 'c.test', 'd.test'];
const PATHS = ['/0', '/1', '/2', '/3', '/later', '/linked'];
const GAPS_MS: Readonly<Record<string, number>> = { 'a.test': 7_000 };

interface Request {
  readonly host: string;
  readonly path: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** The sites: one with a Crawl-delay, one whose robots.txt is at another host, one without, one that is overloaded. */
function reply(host: string, path: string, earlier: number) {
  const rules = 'User-agent: *\nDisallow: /private\n';
  if (path === '/rules.txt') return { status: 200, body: rules, headers: {} };
  if (path === '/robots.txt') {
    if (host === 'a.test') return { status: 200, body: `${rules}Crawl-delay: 7\n`, headers: {} };
    if (host === 'b.test') return { status: 302, body: '', headers: { location: 'http://c.test/rules.txt' } };
    return { status: 404, body: '', headers: {} };
  }
  const isOverloaded = host === 'd.test' && path === '/1' && earlier === 0;
  return { status: isOverloaded ? 503 : 200, body: 'page', headers: isOverloaded ? { 'retry-after': '120' } : {} };
}

/** The steps in which a seed goes through all damages. */
const LARGE_PRIME = 1_000_003;
const NOTHING = 'nothing damaged';

/** A crawl over several runs. */
function createCrawl() {
  const clock = createManualClock(START_MS);
  const log: Request[] = [];
  const ended = new Set<string>();

  /** Time passes while a call waits for it, such as for the lock of the crawl. */
  async function inTime<T>(call: Promise<T>): Promise<T> {
    let isSettled = false;
    const settled = call.finally(() => {
      isSettled = true;
    });
    settled.catch(() => undefined);
    for (let turn = 1; !isSettled; turn += 1) {
      await Promise.race([settled.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, TURN_MS))]);
      if (!isSettled && turn % TURNS_PER_STEP === 0) clock.advance(STEP_MS);
    }
    return settled;
  }

  const frontierOn = (store: FrontierStore): Frontier =>
    createFrontier({
      store,
      clock,
      robots: { tokens: ['testbot'] },
      random: () => 0,
      bounds: { pages: 1_000 },
      labels: [{ label: 'docs', pages: 100 }],
      onEvent: (event) => {
        if (event.kind === 'url') ended.add(event.url);
      },
    });

  const seed = (frontier: Frontier) =>
    frontier.add(
      HOSTS.flatMap((host) =>
        ['/0', '/1', '/2', '/3', '/later', '/private'].map((path) => ({
          url: `http://${host}${path}`,
          depth: 0,
          via: 'seed' as const,
          ...(path === '/1' ? { label: 'docs', userData: { 'a key': [1, null] } } : {}),
          ...(path === '/later' ? { notBeforeMs: START_MS + 60_000 } : {}),
        })),
      ),
    );

  /** Works until nothing is left (`null`), or it must wait for longer than so long: until when. */
  async function work(frontier: Frontier, waitMs: number, untilMs: number): Promise<number | null> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      for (const one of await inTime(frontier.take(4))) {
        if (frontier.mayStart(one).kind !== 'go') {
          await inTime(frontier.settle(one, { kind: 'returned', untilMs: null }));
          continue;
        }
        const { protocol, host, pathname: path } = new URL(one.url);
        expect(protocol).toBe('http:');
        const earlier = log.filter((each) => each.host === host && each.path === path).length;
        const { status, body, headers } = reply(host, path, earlier);
        const startMs = clock.nowMs();
        clock.advance(10);
        const endMs = clock.nowMs();
        log.push({ host, path, startMs, endMs });
        const retryAfter = headers['retry-after'] ?? null;
        frontier.exchanged(one, {
          startedAtMs: startMs,
          endedAtMs: endMs,
          status,
          retryAfter,
          failure: null,
          bytes: 4,
        });
        const bytes = new TextEncoder().encode(body);
        if (one.kind === 'robots') {
          const answer = {
            kind: 'response',
            status,
            headers,
            body: bytes,
            robotsUrl: one.url,
            finalUrl: one.url,
          } as const;
          await inTime(frontier.settle(one, { kind: 'robots', answer }));
        } else if (status === 503) {
          await inTime(frontier.settle(one, { kind: 'again', notBeforeMs: endMs + 120_000 }));
        } else {
          const links =
            path === '/0' ? [{ url: `http://${host}/linked`, depth: 1, via: 'link' as const, from: one.url }] : [];
          await inTime(frontier.settle(one, { kind: 'done', countsAsPage: true, links }));
        }
      }
      const nextAt = await inTime(frontier.nextAt());
      if (nextAt === null || nextAt > Math.min(untilMs, clock.nowMs() + waitMs)) return nextAt;
      clock.advanceTo(nextAt);
    }
    throw new Error('the crawl does not end');
  }

  return { clock, inTime, log, ended, frontierOn, seed, work };
}

/** Faults of a log: requests that a site forbids, and those that came too early. */
function impolite(log: readonly Request[]): string[] {
  return log.flatMap(({ host, path, startMs }, at) => {
    const faults: string[] = [];
    if (!HOSTS.includes(host)) faults.push(`${host} was requested`);
    if (path === '/private' && (host === 'a.test' || host === 'b.test')) faults.push(`${host}${path} is forbidden`);
    const before = log.slice(0, at).findLast((each) => each.host === host);
    const gapMs = before === undefined ? Number.POSITIVE_INFINITY : startMs - before.endMs;
    const isAfterRules =
      before !== undefined && log.slice(0, at).some((each) => each.host === host && each.path === '/robots.txt');
    const requiredMs = (isAfterRules ? GAPS_MS[host] : undefined) ?? 1_000;
    if (gapMs < requiredMs) faults.push(`${host}${path} came ${gapMs} ms after ${before?.path}`);
    return faults;
  });
}

const FOREIGN_ERROR =
  /undefined|not a function|not iterable|Cannot read|buffer bounds|out of range|Unexpected|is not valid JSON|Invalid/;

/** The number of damages that each store is tested with; a developer may set a higher one. */
const TRIED = Number(process.env['MANNERLY_DAMAGES'] ?? 8);

/** Continues a crawl on some of the damages, which the seed chooses. @returns What went wrong. */
export async function continueDamaged(contents: Contents, seed: number): Promise<string[]> {
  const begun = createCrawl();
  const store = contents.client(() => begun.clock.nowMs());
  const first = begun.frontierOn(store);
  await begun.inTime(first.open());
  await begun.seed(first);
  await begun.work(first, LONG_WAIT_MS, START_MS + 30_000);
  // Like a process that is killed: its hosts stay leased.
  await store.close();
  await contents.keep();
  const keptAtMs = begun.clock.nowMs();
  const faults: string[] = [];
  const all = await contents.damages();
  const chosen = Array.from({ length: TRIED }, (_, at) => all[(seed + at * LARGE_PRIME) % all.length]!);
  for (const { what, apply } of [{ what: NOTHING, apply: async () => undefined }, ...chosen]) {
    await contents.restore();
    // The server may refuse it: then it cannot be damaged that way.
    if (
      !(await apply().then(
        () => true,
        () => false,
      ))
    )
      continue;
    const crawl = createCrawl();
    crawl.clock.advanceTo(keptAtMs + 60_000);
    crawl.log.push(...begun.log);
    let client = contents.client(() => crawl.clock.nowMs());
    let frontier = crawl.frontierOn(client);
    const fault = (text: string) => faults.push(`${what}: ${text}`);
    try {
      await crawl.inTime(frontier.open());
      for (let run = 0; ; run += 1) {
        const nextAt = await crawl.work(frontier, LONG_WAIT_MS, START_MS + MAX_CRAWL_MS);
        if (nextAt === null) break;
        if (nextAt > START_MS + MAX_CRAWL_MS || run > 100) throw new Error(`it waits until ${nextAt}`);
        await crawl.inTime(frontier.close());
        crawl.clock.advanceTo(nextAt);
        client = contents.client(() => crawl.clock.nowMs());
        frontier = crawl.frontierOn(client);
        await crawl.inTime(frontier.open());
      }
      const { queued } = frontier.counts();
      const isDone = (url: string) =>
        crawl.ended.has(url) ||
        begun.ended.has(url) ||
        crawl.log.some(({ host, path }) => url === `http://${host}${path}`);
      const lost = HOSTS.flatMap((host) => PATHS.map((path) => `http://${host}${path}`)).filter(
        (url) => !isDone(url) && !(url.endsWith('/linked') && !isDone(url.replace('linked', '0'))),
      );
      if (lost.length > 0 && queued === 0) fault(`lost ${lost}`);
      await crawl.inTime(frontier.close());
    } catch (error) {
      if (what === NOTHING) throw error;
      if (!(error instanceof FrontierError)) fault(error instanceof Error ? (error.stack ?? '') : String(error));
      else {
        if (FOREIGN_ERROR.test(error.message)) fault(`says ${error.code}: ${error.message}`);
        if (error.hint === null) fault(`gives no hint: ${error.code}: ${error.message}`);
      }
      await crawl.inTime(frontier.close()).catch(() => undefined);
      await client.close().catch(() => undefined);
    }
    for (const each of impolite(crawl.log)) fault(each);
  }
  return faults;
}

/** Values of a field that its reader may not expect. */
export const ODD_VALUES: readonly unknown[] = [
  ...[null, true, -1, 0.5, 1e308, Number.NaN, 2 ** 53, 9e15, 'x', '', '__proto__', '\0\n"\'{}:%', [], {}],
];

/** Bytes of a value that was damaged: cut, changed, or of another kind. */
export function damagedBytes(value: Buffer): [what: string, value: Buffer][] {
  const flipped = (at: number) => {
    const copy = Buffer.from(value);
    copy[at] = copy[at]! ^ (1 << (at % 8));
    return copy;
  };
  const places = Array.from({ length: Math.min(8, value.length) }, (_, at) => Math.floor((at * value.length) / 8));
  return [
    ['empty', Buffer.alloc(0)],
    ['cut', value.subarray(0, value.length >> 1)],
    ['longer', Buffer.concat([value, Buffer.alloc(9, 7)])],
    ['of zeros', Buffer.alloc(value.length)],
    ['of ones', Buffer.alloc(value.length, 0xff)],
    ['huge', Buffer.alloc(2_000_000, 0x41)],
    ...[...new Set(places)].map((at): [string, Buffer] => [`changed at ${at}`, flipped(at)]),
    ...damagedJson(value.toString()).map(([what, text]): [string, Buffer] => [what, Buffer.from(text)]),
  ];
}

/** JSON with each of its fields changed to each odd value; nothing for other text. */
function damagedJson(text: string): [what: string, text: string][] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const changed = changes(value);
  const hostile = text.startsWith('{') ? [`{"__proto__":{"u":1},"constructor":null,${text.slice(1)}`] : [];
  return [
    ...changed.map(([what, one]): [string, string] => [what, JSON.stringify(one).replaceAll('"<inf>"', '1e999')]),
    ...hostile.map((one): [string, string] => ['with __proto__', one]),
  ];
}

/** The value with one field changed, in every way. */
export function changes(value: unknown, path = ''): [what: string, value: unknown][] {
  const odd = [...ODD_VALUES, '<inf>'].map((one): [string, unknown] => [`${path} = ${JSON.stringify(one)}`, one]);
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return odd;
  const urls: [string, unknown][] = [];
  const below = Object.entries(value).flatMap(([name, field]) => {
    if (name === 'u') {
      for (const url of FOREIGN_URLS) urls.push([`${path}.u = ${url}`, { ...value, u: url }]);
    }
    return changes(field, `${path}.${name}`).map(([what, one]): [string, unknown] => [
      what,
      Array.isArray(value) ? value.map((own, at) => (String(at) === name ? one : own)) : { ...value, [name]: one },
    ]);
  });
  return [...odd, ...urls, ...below];
}

const FOREIGN_URLS = [
  ...['file:///etc/passwd', 'javascript:alert(1)', 'http://elsewhere.test/', 'http://user:secret@a.test/0'],
  ...['HTTP://A.test/0', 'http://a.test/x/../private', 'http://a.test/0#x', '//a.test/', 'http://'],
];
