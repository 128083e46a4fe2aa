// Requests one file of one site as politely as any page: a crawl of a single request, with robots.txt read first.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuse } from '../crawl/hooks.js';
import { type Crawler, createCrawler } from '../crawler.js';
import type { CrawlerOptions, IdentityOptions } from '../options/crawler-options.js';
import type { UrlDecision } from '../report/decision.js';
import { explainReason } from '../report/reasons.js';

type SingleAnswer =
  | { readonly kind: 'body'; readonly body: Uint8Array }
  /** `isSiteAnswer`: the site itself said so, by its rules or by an answer; otherwise no answer came. */
  | { readonly kind: 'nothing'; readonly why: string; readonly isSiteAnswer: boolean };

/**
 * What a default crawl may do if there are no rules to read: request everything (`allowed`), or nothing until
 * robots.txt can be read (`held`). `unknown`: robots.txt was not requested.
 */
type RobotsAccess = 'allowed' | 'held' | 'unknown';

/** Whether the site itself said that we get nothing: by its rules, or by an answer such as 404. @throws Never */
export function isSiteAnswer({ status, httpStatus }: Pick<UrlDecision, 'status' | 'httpStatus'>): boolean {
  const isRefusal = httpStatus !== null && httpStatus >= 400 && httpStatus < 500 && httpStatus !== 429;
  return status === 'excluded' || isRefusal;
}

/**
 * The robots.txt of an authority, by one request and those of its redirects. The crawl decides what the answer means: a
 * truncated file is not a file without rules.
 * @param origin - `scheme://host[:port]`. @throws MannerlyError
 */
export async function requestRobots(origin: string, identity: IdentityOptions, allowAddresses?: readonly string[]) {
  // No page is wanted. One would be requested after an endless redirect, which counts as no rules.
  const hooks = { beforeFetch: () => refuse('only robots.txt is wanted') };
  const crawler = singleCrawl(`${origin}/`, identity, allowAddresses, { hooks });
  let why = 'it was not requested';
  let access = 'unknown' as RobotsAccess;
  let lastStatus = null as number | null;
  crawler.events.on('decision', ({ status, reason }) => {
    if (status === 'dropped' && access === 'unknown') why = `it was not requested (${reason}): ${sentenceOf(reason)}`;
  });
  crawler.events.on('request', ({ purpose, status, failure, truncated }) => {
    if (purpose !== 'robots') return;
    access = 'allowed';
    lastStatus = status;
    const earlyEnd = truncated === 'connection' ? ', and it ended too early' : '';
    why =
      status === null ? `it could not be fetched (${failure ?? 'no answer'})` : `the answer was ${status}${earlyEnd}`;
    // From here on nothing more is requested, unless the answer is a redirect.
    if (status === null || status < 300 || status > 399) crawler.stop();
  });
  crawler.events.on('host-warning', ({ code, detail }) => {
    if (code === 'robots-unreachable') {
      // If no connection was made, no request was sent.
      if (access === 'unknown') why = `it could not be fetched (${detail})`;
      access = 'held';
    }
    if (code === 'robots-redirect-limit') why += ', a redirect too many';
  });
  const out = await mkdtemp(join(tmpdir(), 'mannerly-robots-'));
  try {
    await crawler.run({ out });
    const robots = join(out, 'robots');
    const copyName = (await readdir(robots)).find((name) => name.endsWith('.txt'));
    const isRead = access === 'allowed' && (copyName !== undefined || (lastStatus !== null && lastStatus < 300));
    if (!isRead) return { kind: 'nothing' as const, why, access };
    const body = copyName === undefined ? new Uint8Array() : await readFile(join(robots, copyName));
    return { kind: 'body' as const, body };
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

/** The meaning of a reason, without its full stop. */
function sentenceOf(reason: string): string {
  return explainReason(reason).replace(/\.$/, '');
}

/** One file of a site, if robots.txt allows it. @param url - Absolute, without fragment. @throws As `requestRobots` */
export async function requestFile(
  url: string,
  identity: IdentityOptions,
  allowAddresses?: readonly string[],
): Promise<SingleAnswer> {
  const crawler = singleCrawl(url, identity, allowAddresses);
  let answer: SingleAnswer = { kind: 'nothing', why: 'it was not requested', isSiteAnswer: false };
  crawler.events.on('decision', ({ status, reason, httpStatus }) => {
    if (status === 'fetched' || answer.kind === 'body') return;
    const statusText = httpStatus === null ? '' : `, status ${httpStatus}`;
    const why = `${status}: ${reason}${statusText}. ${sentenceOf(reason)}`;
    answer = { kind: 'nothing', why, isSiteAnswer: isSiteAnswer({ status, httpStatus }) };
  });
  crawler.on('any', async (page) => {
    answer = { kind: 'body', body: await page.bytes() };
  });
  const report = await crawler.run();
  const wait = report.waiting[0];
  if (answer.kind === 'nothing' && wait !== undefined)
    return { kind: 'nothing', why: `its host waits: ${wait.reason}. ${sentenceOf(wait.reason)}`, isSiteAnswer: false };
  return answer;
}

export const NO_RETRIES = { failureWaitsMs: [], throttleWaitsMs: [] };

/** A crawl of one page, wherever it leads. @throws As `createCrawler`. */
export function singleCrawl(
  seed: string,
  identity: IdentityOptions,
  allowAddresses: readonly string[] = [],
  more: Partial<CrawlerOptions> = {},
): Crawler {
  return createCrawler({
    identity,
    scope: { seeds: [seed], within: 'host' },
    bounds: { pages: 1, minutes: 5, depth: 0 },
    maxIdleMs: 30_000,
    // The command reports the result.
    log: 'silent',
    network: { allowAddresses },
    ...more,
  });
}
