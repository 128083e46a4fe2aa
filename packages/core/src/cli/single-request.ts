// One file of one site, requested as politely as any page: a crawl of a single request, with robots.txt read first.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Crawler, createCrawler } from '../crawler.js';
import type { CrawlerOptions, IdentityOptions } from '../options/crawler-options.js';
import type { UrlDecision } from '../report/decision.js';
import { explainedReason } from '../report/reasons.js';

type SingleAnswer =
  | { readonly kind: 'body'; readonly body: Uint8Array }
  /** `isSaid`: the site has said so, by its rules or by an answer; otherwise none came. */
  | { readonly kind: 'nothing'; readonly why: string; readonly isSaid: boolean };

/** Whether a site has said that there is nothing for us: by its rules, or by an answer such as 404. @throws Never */
export function isSaid({ status, httpStatus }: Pick<UrlDecision, 'status' | 'httpStatus'>): boolean {
  return status === 'excluded' || isRefusal(httpStatus);
}

function isRefusal(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500 && status !== 429;
}

/** The robots.txt of an authority, by one request. @param origin - `scheme://host[:port]`. @throws MannerlyError */
export async function requestRobots(
  origin: string,
  identity: IdentityOptions,
  allowAddresses: readonly string[] = [],
): Promise<SingleAnswer> {
  const crawler = singleCrawl(`${origin}/`, identity, allowAddresses);
  let last: { status: number | null; failure: string | null } | null = null;
  let why = 'it was not requested';
  crawler.events.on('host-warning', ({ code, detail }) => {
    if (code === 'robots-unreachable') why = `it could not be fetched: ${detail}`;
  });
  crawler.events.on('decision', ({ status, reason }) => {
    if (status === 'dropped') why = `it was not requested (${reason}): ${sentenceOf(reason)}`;
  });
  crawler.events.on('request', ({ purpose, status, failure }) => {
    if (purpose !== 'robots') return;
    last = { status, failure };
    // Only the rules are wanted: from here on nothing more is handed out, unless the answer is a redirect.
    if (status === null || status < 300 || status > 399) crawler.stop();
  });
  const out = await mkdtemp(join(tmpdir(), 'mannerly-robots-'));
  try {
    await crawler.run({ out });
    const robots = join(out, 'robots');
    const kept = (await readdir(robots)).find((name) => name.endsWith('.txt'));
    return answerOf(last, kept === undefined ? null : await readFile(join(robots, kept)), why);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

/** The meaning of a reason, without its full stop. */
function sentenceOf(reason: string): string {
  return explainedReason(reason).replace(/\.$/, '');
}

function answerOf(
  last: { status: number | null; failure: string | null } | null,
  body: Uint8Array | null,
  why: string,
): SingleAnswer {
  if (last === null) return { kind: 'nothing', why, isSaid: false };
  if (last.status === null) {
    return { kind: 'nothing', why: `it could not be fetched (${last.failure ?? 'no answer'})`, isSaid: false };
  }
  if (body !== null) return { kind: 'body', body };
  if (last.status >= 200 && last.status < 300) return { kind: 'body', body: new Uint8Array() };
  return { kind: 'nothing', why: `the answer was ${last.status}`, isSaid: isRefusal(last.status) };
}

/** One file of a site, if robots.txt allows it. @param url - Absolute, without fragment. @throws As `requestRobots` */
export async function requestFile(
  url: string,
  identity: IdentityOptions,
  allowAddresses: readonly string[] = [],
): Promise<SingleAnswer> {
  const crawler = singleCrawl(url, identity, allowAddresses);
  let answer: SingleAnswer = { kind: 'nothing', why: 'it was not requested', isSaid: false };
  crawler.events.on('decision', ({ status, reason, httpStatus }) => {
    if (status === 'fetched' || answer.kind === 'body') return;
    const came = httpStatus === null ? '' : `, status ${httpStatus}`;
    const why = `${status}: ${reason}${came}. ${sentenceOf(reason)}`;
    answer = { kind: 'nothing', why, isSaid: isSaid({ status, httpStatus }) };
  });
  crawler.on('any', async (page) => {
    answer = { kind: 'body', body: await page.bytes() };
  });
  const report = await crawler.run();
  const wait = report.waiting[0];
  if (answer.kind === 'nothing' && wait !== undefined)
    return { kind: 'nothing', why: `its host waits: ${wait.reason}. ${sentenceOf(wait.reason)}`, isSaid: false };
  return answer;
}

/** A crawl of one page, wherever it leads. @throws As `createCrawler`. */
export function singleCrawl(
  seed: string,
  identity: IdentityOptions,
  allowAddresses: readonly string[],
  more: Partial<CrawlerOptions> = {},
): Crawler {
  return createCrawler({
    identity,
    scope: { seeds: [seed], within: 'host' },
    bounds: { pages: 1, minutes: 5, depth: 0 },
    maxIdleMs: 30_000,
    // The command says what became of it.
    log: 'silent',
    network: { allowAddresses },
    ...more,
  });
}
