// A small random web: hosts on several schemes and ports, each with a robots.txt that changes, moves and fails, and
// with pages that redirect, refuse, fail and are slow. The web itself knows what each file means, so the judge needs no
// parser. The same seed makes the same web.

import { createFakeWeb, type FakeAnswer, type FakeRequest, type FakeWeb } from 'mannerly/testing';
import { Chance, ITEMS, MINUTE, type RandomRules, randomRules, SECOND } from './random-rules.js';

/** What a Retry-After asks for, and how an answer writes it. */
interface RetryAfter {
  readonly seconds: number;
  readonly fieldsAt: (atMs: number) => Record<string, string>;
}

/** How a robots.txt is answered, in turn; the last turn repeats. */
type RobotsTurn =
  | { readonly kind: 'file' | 'missing' | 'forbidden' | 'reset' | 'cut' }
  | { readonly kind: 'refused'; readonly status: number; readonly retryAfter: RetryAfter }
  | { readonly kind: 'moved'; readonly hops: readonly number[]; readonly retryAfter: RetryAfter | null };

/** One scheme, host and port. */
export interface RandomAuthority {
  readonly origin: string;
  readonly host: string;
  readonly versions: readonly RandomRules[];
  readonly turns: readonly RobotsTurn[];
  readonly maxAgeS: number | null;
  readonly hasEtag: boolean;
  readonly ms: number;
}

/** A request and its answer, for the judge. */
export interface RandomExchange {
  readonly url: string;
  readonly host: string;
  readonly origin: string;
  readonly path: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly status: number | null;
  /** What its Retry-After asks for, seconds; 0: nothing. */
  readonly retryAfterS: number;
  readonly location: string | null;
  /** The authority whose robots.txt, or a hop of it, was requested. `null`: neither. */
  readonly robotsOf: number | null;
  /** The version of the file, if it arrived complete; `same`: 304. */
  readonly version: number | 'same' | null;
}

/** A random web, and its log. */
export interface RandomWeb {
  readonly web: FakeWeb;
  readonly authorities: readonly RandomAuthority[];
  readonly startMs: number;
  readonly seeds: readonly string[];
  log(): RandomExchange[];
}

/** How many of `ITEMS` every start page links. */
export const LINKED_ITEMS = 9;
const HOSTS = ['a.test', 'b.test', 'x.d.test', 'y.d.test'];
const MAX_AUTHORITIES = 6;

/** Makes a web. @param startMs - Its start, epoch milliseconds. */
export function createRandomWeb(seed: number, startMs: number): RandomWeb {
  const chance = new Chance(seed);
  const origins = new Set<string>();
  const count = 2 + chance.below(MAX_AUTHORITIES - 1);
  while (origins.size < count) {
    const host = chance.of(HOSTS);
    origins.add(chance.of([`https://${host}`, `http://${host}`, `http://${host}:8080`]));
  }
  const startHour = new Date(startMs).getUTCHours();
  const authorities = [...origins].map((origin) => randomAuthority(origin, origins.size, startHour, chance));
  const answers = new Map<string, Omit<RandomExchange, 'startMs' | 'endMs' | 'status'>>();
  const pageSeed = chance.below(1_000_000);

  const answer =
    (at: number) =>
    (request: FakeRequest): FakeAnswer => {
      const { origin, host } = authorities[at] as RandomAuthority;
      const { path, url } = request;
      const hop = /^\/rules-(\d+)-(\d+)\.txt$/.exec(path);
      const robotsOf = path === '/robots.txt' ? at : hop === null ? null : Number(hop[1]);
      const answered =
        robotsOf === null
          ? { ...pageAnswer(authorities, at, request, pageSeed), version: null }
          : robotsAnswer(authorities, robotsOf, hop === null ? 0 : Number(hop[2]), request, startMs);
      const parts = typeof answered.answer === 'string' ? { body: answered.answer } : answered.answer;
      const headers = (parts.headers ?? {}) as Record<string, string>;
      answers.set(`${url} ${request.atMs}`, {
        url,
        host,
        origin,
        path,
        retryAfterS: answered.retryAfter?.seconds ?? 0,
        location: headers['location'] ?? null,
        robotsOf,
        version: answered.version,
      });
      return parts;
    };

  const web = createFakeWeb({
    hosts: Object.fromEntries(
      authorities.map(({ origin, host, ms }, at) => [
        origin,
        {
          robots: answer(at),
          pages: answer(at),
          delayMs: ms,
          ...(host.endsWith('.d.test') ? { address: '198.18.9.9' } : {}),
        },
      ]),
    ),
  });
  return {
    web,
    authorities,
    startMs,
    seeds: authorities.map(({ origin }) => randomSpelling(origin, chance)),
    log: () =>
      web.exchanges.map(({ url, startMs: sentMs, endMs, status }) => {
        const known = answers.get(`${url} ${sentMs}`);
        if (known === undefined) throw new Error(`${url} was requested without an answer`);
        return { ...known, startMs: sentMs, endMs, status };
      }),
  };
}

/** The same URL, in one of the spellings that people use. */
function randomSpelling(origin: string, chance: Chance): string {
  const { protocol, hostname, port } = new URL(origin);
  const name = chance.is(0.3) ? hostname.toUpperCase() : hostname;
  const shownPort = port === '' ? (chance.is(0.3) ? (protocol === 'https:' ? ':443' : ':80') : '') : `:${port}`;
  return `${protocol}//${name}${shownPort}/${chance.is(0.3) ? '#top' : ''}`;
}

function randomAuthority(origin: string, count: number, startHour: number, chance: Chance): RandomAuthority {
  const versions: RandomRules[] = [];
  const last = chance.below(3);
  for (let at = 0; at <= last; at += 1) {
    versions.push(
      randomRules(
        at === 0 ? 0 : (versions[at - 1]?.fromMs ?? 0) + (5 + chance.below(60)) * MINUTE,
        origin,
        startHour,
        chance,
      ),
    );
  }
  const turns = Array.from({ length: 1 + chance.below(4) }, () => randomTurn(count, chance));
  // The last turn answers, so that the crawl can end.
  turns.push({ kind: 'file' });
  return {
    origin,
    host: new URL(origin).hostname,
    versions,
    turns,
    maxAgeS: chance.of([null, 0, 60, 900, 3_600]),
    hasEtag: chance.is(0.5),
    ms: chance.of([1, 40, 900, 3_000]),
  };
}

function randomTurn(count: number, chance: Chance): RobotsTurn {
  const kind = chance.of([
    'file',
    'file',
    'file',
    'missing',
    'forbidden',
    'reset',
    'cut',
    'refused',
    'moved',
    'moved',
  ] as const);
  if (kind === 'refused')
    return { kind, status: chance.of([429, 503, 500, 408]), retryAfter: randomRetryAfter(chance) };
  if (kind !== 'moved') return { kind };
  const hops = Array.from({ length: 1 + chance.below(3) }, () => chance.below(count));
  return { kind, hops, retryAfter: chance.is(0.3) ? randomRetryAfter(chance) : null };
}

/** A Retry-After in seconds, as a date by a clock that may be wrong, as garbage that asks for nothing; or none. */
function randomRetryAfter(chance: Chance): RetryAfter {
  const text = chance.of([null, '5', '120', '700', '5, 120', '-3', 'soon', '0', 'date', 'date']);
  const delays = (text ?? '')
    .split(',')
    .map(Number)
    .filter((each) => each > 0);
  const seconds = text === 'date' ? chance.of([90, 400]) : Math.max(0, ...delays);
  const behindMs = chance.of([0, 5 * MINUTE]);
  const fieldsAt = (atMs: number): Record<string, string> => {
    if (text === null) return {};
    if (text !== 'date') return { 'retry-after': text };
    const date = (ms: number): string => new Date(ms - behindMs).toUTCString();
    return { date: date(atMs), 'retry-after': date(atMs + seconds * SECOND) };
  };
  return { seconds, fieldsAt };
}

/** The version of a file at a time. */
function versionAt({ versions }: RandomAuthority, atMs: number): number {
  return versions.findLastIndex(({ fromMs }) => fromMs <= atMs);
}

function robotsAnswer(
  authorities: readonly RandomAuthority[],
  of: number,
  hop: number,
  request: FakeRequest,
  startMs: number,
): AnswerAndRetry & { readonly version: number | 'same' | null } {
  const authority = authorities[of]!;
  const plain = (answer: FakeAnswer, retryAfter: RetryAfter | null = null) => ({ answer, retryAfter, version: null });
  const redirectTo = (to: number, hopsLeft: number, retryAfter: RetryAfter | null) =>
    plain(redirectAnswer(authorities, of, to, hopsLeft, retryAfter?.fieldsAt(request.atMs) ?? {}), retryAfter);
  const turn = authority.turns[Math.min(hop === 0 ? request.before : 0, authority.turns.length - 1)]!;
  // A hop belongs to the chain that its URL was made for: its answer is the file or the next hop.
  const chain = hop === 0 ? turn : { kind: 'file' as const };
  if (hop > 0) {
    const hopsLeft = hop % 10;
    if (hopsLeft > 0) return redirectTo(Math.floor(hop / 10), hopsLeft - 1, null);
  }
  switch (chain.kind) {
    case 'missing':
      return plain({ status: 404 });
    case 'forbidden':
      return plain({ status: 403, body: 'no' });
    case 'reset':
      return plain({ failure: 'reset' });
    case 'cut':
      return plain({ body: 'User-agent: *\nDisallow: /p0\nDisallow: /p1\n', isCut: true });
    case 'refused':
      return plain({ status: chain.status, headers: chain.retryAfter.fieldsAt(request.atMs) }, chain.retryAfter);
    case 'moved':
      return redirectTo(chain.hops[0]!, chain.hops.length - 1, chain.retryAfter);
    case 'file': {
      const version = versionAt(authority, request.atMs - startMs);
      const etag = `"${of}-${version}"`;
      const headers: Record<string, string> = {
        'content-type': 'text/plain',
        ...(authority.maxAgeS === null ? {} : { 'cache-control': `max-age=${authority.maxAgeS}` }),
        ...(authority.hasEtag ? { etag } : {}),
      };
      if (authority.hasEtag && request.headers['if-none-match'] === etag)
        return { ...plain({ status: 304, headers }), version: 'same' };
      return { ...plain({ headers, body: authority.versions[version]!.text }), version };
    }
  }
}

function redirectAnswer(
  authorities: readonly RandomAuthority[],
  of: number,
  to: number,
  hopsLeft: number,
  fields: Record<string, string>,
): FakeAnswer {
  const target = authorities[to % authorities.length]!;
  const hop = 10 * (to + 1) + hopsLeft;
  const location = `${target.origin}/rules-${of}-${hop}.txt`;
  return { status: 302, headers: { location, ...fields } };
}

interface AnswerAndRetry {
  readonly answer: FakeAnswer;
  readonly retryAfter: RetryAfter | null;
}

/** How a page answers: random by its URL, the same at every time. */
function pageAnswer(
  authorities: readonly RandomAuthority[],
  at: number,
  request: FakeRequest,
  pageSeed: number,
): AnswerAndRetry {
  const { path, url, before, atMs } = request;
  const chance = new Chance(pageSeed + [...url].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 1_000_003, 7));
  const randomOrigin = (): string => chance.of(authorities).origin;
  const retryAfter = randomRetryAfter(chance);
  const retryFields = retryAfter.fieldsAt(atMs);
  const withRetry = (answer: FakeAnswer): AnswerAndRetry => ({ answer, retryAfter });
  const failures = chance.below(4);
  const kind = chance.of([
    'page',
    'page',
    'page',
    'throttled',
    'failing',
    'moved',
    'moved',
    'missing',
    'refused',
    'reset',
    'slow',
  ] as const);
  // Where a file next to robots.txt was redirected to: there is no decision about it.
  if (path.startsWith('/kept')) return withRetry(before < failures ? { status: 503, headers: retryFields } : html([]));
  const isNextToRobots = path === '/data.txt' || path.startsWith('/.well-known');
  if (path === '/')
    return {
      answer: html(
        ITEMS.slice(0, LINKED_ITEMS).flatMap((item) => [
          item.path,
          ...(chance.is(0.3) ? [randomOrigin() + item.path] : []),
        ]),
      ),
      retryAfter: null,
    };
  if (path === '/sitemap.xml' || path.startsWith('/moved-sitemap')) {
    if (kind === 'moved' && path === '/sitemap.xml')
      return withRetry({
        status: 302,
        headers: { location: `${randomOrigin()}/moved-sitemap-${at}.xml`, ...retryFields },
      });
    if (kind === 'throttled' && before < failures) return withRetry({ status: 503, headers: retryFields });
    return {
      answer: { headers: { 'content-type': 'application/xml' }, body: sitemap(`${authorities[at]!.origin}/s12`) },
      retryAfter: null,
    };
  }
  switch (kind) {
    case 'throttled':
      if (chance.is(0.2)) return withRetry({ status: 503, headers: { ...retryFields, 'cf-mitigated': 'challenge' } });
      return withRetry(before < failures ? { status: chance.of([429, 503]), headers: retryFields } : html(['/']));
    case 'failing':
      return withRetry(before < failures ? { status: 500, headers: retryFields } : html([]));
    case 'reset':
      return withRetry(before < failures ? { failure: 'reset' } : html([]));
    case 'missing':
      return withRetry({ status: 404, headers: retryFields });
    case 'refused':
      return withRetry({ status: chance.of([401, 403, 402]), headers: retryFields });
    case 'moved':
      if (path.startsWith('/t10') && !chance.is(0.3)) return withRetry(html([]));
      return withRetry({
        status: chance.of([301, 302, 307]),
        headers: {
          location: `${randomOrigin()}${isNextToRobots ? '/kept' : '/t10'}?from=${at}-${pathNumber(path)}`,
          ...retryFields,
        },
      });
    case 'slow':
      return withRetry({
        body: '<html></html>',
        headers: { 'content-type': 'text/html', ...retryFields },
        bodyMs: 4_000,
      });
    case 'page':
      return withRetry(html(['/', ITEMS[chance.below(LINKED_ITEMS)]!.path]));
  }
}

/** Tells the redirecting paths apart by a number, without their letters, which rules may contain. */
function pathNumber(path: string): number {
  return [...path].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 997, 7);
}

function html(links: readonly string[]): FakeAnswer {
  const body = `<html><body>${links.map((href) => `<a href="${href.replaceAll('&', '&amp;')}">x</a>`).join('')}</body></html>`;
  return { headers: { 'content-type': 'text/html' }, body };
}

function sitemap(url: string): string {
  return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${url}</loc></url></urlset>`;
}
