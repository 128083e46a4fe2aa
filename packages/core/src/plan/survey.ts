// What a plan learns while robots.txt files and sitemaps are read: a run like any other, with the same egress, clock
// and logs, whose pages are counted instead of requested.

import type { Frontier, PageWork } from '@mannerly/frontier';
import type { CrawlEvents } from '../journal/events.js';
import { parseUrl } from '../parse-url.js';

/** What is known of one host by its name. */
export interface SurveyedHost {
  readonly host: string;
  allowed: number;
  denied: number;
  outOfScope: number;
  uncounted: number;
  /** Sitemaps that were asked for, and that were read. */
  sitemapRequests: number;
  sitemapsRead: number;
  exchanges: number;
  exchangesMs: number;
  /** The end of its last exchange, epoch milliseconds; 0: none. */
  lastEndMs: number;
  robotsRequests: number;
  address: string | null;
  /** robots.txt by authority. */
  readonly files: Map<string, Uint8Array>;
}

/** A survey while it is made. */
export interface Survey {
  /** By host name. Live. */
  readonly hosts: ReadonlyMap<string, SurveyedHost>;
  /** Requests so far. */
  requests(): number;
  /** Listens to a run's events. */
  listen(events: CrawlEvents): void;
  /** Keeps a robots.txt that was read. */
  robots(authority: string, body: Uint8Array): Promise<void>;
  /** The frontier with its pages counted instead of handed out. */
  over(frontier: Frontier): Frontier;
}

/** Makes a survey of nothing yet. @throws Never */
export function createSurvey(): Survey {
  const hosts = new Map<string, SurveyedHost>();
  const hostOf = (url: string | URL): SurveyedHost => {
    const { hostname } = typeof url === 'string' ? new URL(url) : url;
    const known = hosts.get(hostname) ?? newHost(hostname);
    hosts.set(hostname, known);
    return known;
  };
  let requests = 0;
  return {
    hosts,
    requests: () => requests,
    listen(events) {
      events.on('request', ({ url, purpose, startedAtMs, endedAtMs, status, remoteAddress }) => {
        const host = hostOf(url);
        requests += 1;
        if (purpose === 'sitemap') host.sitemapRequests += 1;
        if (purpose === 'robots') host.robotsRequests += 1;
        host.address = remoteAddress ?? host.address;
        host.lastEndMs = endedAtMs;
        // A sitemap takes as long as it is large: that says nothing of pages.
        if (status === null || purpose === 'sitemap') return;
        host.exchanges += 1;
        host.exchangesMs += endedAtMs - startedAtMs;
      });
      events.on('decision', ({ url, status, reason, layer, from }) => {
        const read = parseUrl(url);
        if (read === null) return;
        if (status === 'fetched' && reason === 'sitemap') hostOf(read).sitemapsRead += 1;
        else if (status === 'excluded' && layer === 'robots') hostOf(read).denied += 1;
        else if (status === 'dropped') {
          // Whose sitemap listed it: its own host is none of the crawl's.
          const host = hostOf((from === null ? null : parseUrl(from)) ?? read);
          if (reason === 'frontier-full' || reason === 'sitemap-limit') host.uncounted += 1;
          else host.outOfScope += 1;
        }
      });
    },
    async robots(authority, body) {
      hostOf(authority).files.set(authority, body);
    },
    over: (frontier) =>
      countingPages(frontier, (work) => {
        hostOf(work.url).allowed += 1;
      }),
  };
}

/** A frontier that keeps its pages to itself: what would be handed out is allowed, and done with that. */
function countingPages(frontier: Frontier, count: (work: PageWork) => void): Frontier {
  return {
    ...frontier,
    async take(most) {
      for (;;) {
        const taken = await frontier.take(most);
        const pages = taken.filter((work) => work.kind === 'page' && work.record.via !== 'companion');
        for (const page of pages) {
          if (page.kind === 'page') count(page);
          await frontier.settle(page, { kind: 'done', countsAsPage: false, links: [] });
        }
        if (pages.length < taken.length || taken.length === 0) return taken.filter((work) => !pages.includes(work));
        await new Promise(setImmediate);
      }
    },
  };
}

function newHost(host: string): SurveyedHost {
  return {
    host,
    allowed: 0,
    denied: 0,
    outOfScope: 0,
    uncounted: 0,
    sitemapRequests: 0,
    sitemapsRead: 0,
    exchanges: 0,
    exchangesMs: 0,
    lastEndMs: 0,
    robotsRequests: 0,
    address: null,
    files: new Map(),
  };
}
