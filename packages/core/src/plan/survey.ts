// What a plan learns from robots.txt files and sitemaps: a run like any other, with the same egress, clock and logs,
// whose pages are counted instead of requested.

import type { Clock, Frontier, PageWork } from '@mannerly/frontier';
import { MAX_REPORTED_WAITS } from '../limits.js';
import { parseUrl } from '../parse-url.js';
import type { RequestRecord, UrlDecision } from '../report/decision.js';
import { WAIT_JITTER } from '../run/limits.js';
import type { RunSetup } from '../run/run-setup.js';
import { MAX_PLAN_WAIT_MS } from './limits.js';

export class SurveyedHost {
  readonly host: string;
  allowed = 0;
  denied = 0;
  outOfScope = 0;
  uncounted = 0;
  sitemapRequests = 0;
  sitemapsRead = 0;
  robotsRequests = 0;
  exchanges = 0;
  exchangesMs = 0;
  /** The end of its last request, epoch milliseconds; 0 if none. */
  lastEndMs = 0;
  address: string | null = null;
  readonly files = new Map<string, Uint8Array>();

  constructor(host: string) {
    this.host = host;
  }

  get answerMs(): number {
    return this.exchanges === 0 ? 0 : Math.round(this.exchangesMs / this.exchanges);
  }
}

/** A survey, which listens to the journal of its run. */
export class Survey implements NonNullable<RunSetup['survey']> {
  readonly hosts = new Map<string, SurveyedHost>();
  requests = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  request({ url, purpose, startedAtMs, endedAtMs, status, remoteAddress }: RequestRecord): void {
    const host = this.#hostOf(new URL(url));
    this.requests += 1;
    if (purpose === 'sitemap') host.sitemapRequests += 1;
    if (purpose === 'robots') host.robotsRequests += 1;
    host.address = remoteAddress ?? host.address;
    host.lastEndMs = endedAtMs;
    // The time of a sitemap depends on its size, so it says nothing about pages.
    if (status === null || purpose === 'sitemap') return;
    host.exchanges += 1;
    host.exchangesMs += endedAtMs - startedAtMs;
  }

  decision({ url, status, reason, layer, from }: UrlDecision): void {
    const read = parseUrl(url);
    if (read === null) return;
    if (status === 'fetched' && reason === 'sitemap') this.#hostOf(read).sitemapsRead += 1;
    else if (status === 'excluded' && layer === 'robots') this.#hostOf(read).denied += 1;
    else if (status === 'dropped') {
      // It counts for the host whose sitemap listed it: its own host is not in the crawl.
      const host = this.#hostOf((from === null ? null : parseUrl(from)) ?? read);
      if (reason === 'frontier-full' || reason === 'sitemap-limit') host.uncounted += 1;
      else host.outOfScope += 1;
    }
  }

  async robots(authority: string, body: Uint8Array): Promise<void> {
    this.#hostOf(new URL(authority)).files.set(authority, body);
  }

  /** The frontier with its pages counted as allowed and settled instead of handed out. */
  wrap(frontier: Frontier): Frontier {
    return {
      ...frontier,
      // Where only robots.txt files that cannot be fetched are left, each is tried again once, and the plan tells so.
      nextAt: async () => {
        const atMs = await frontier.nextAt();
        const waitMs = (atMs ?? 0) - this.#clock.nowMs();
        if (waitMs <= MAX_PLAN_WAIT_MS * (1 + WAIT_JITTER)) return atMs;
        const waits = frontier.waits(MAX_REPORTED_WAITS);
        return waits.length > 0 && waits.every(({ reason }) => reason === 'robots-unreachable') ? null : atMs;
      },
      take: async (max) => {
        for (;;) {
          const batch = await frontier.take(max);
          const pages = batch.filter(isCounted);
          for (const page of pages) {
            this.#hostOf(new URL(page.url)).allowed += 1;
            await frontier.settle(page, { kind: 'done', countsAsPage: false, links: [] });
          }
          if (pages.length < batch.length || batch.length === 0) return batch.filter((work) => !isCounted(work));
          await new Promise(setImmediate);
        }
      },
    };
  }

  #hostOf({ hostname }: URL): SurveyedHost {
    const host = this.hosts.get(hostname) ?? new SurveyedHost(hostname);
    this.hosts.set(hostname, host);
    return host;
  }
}

function isCounted(work: Awaited<ReturnType<Frontier['take']>>[number]): work is PageWork {
  return work.kind === 'page' && work.record.via !== 'companion';
}
