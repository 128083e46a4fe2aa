// A crawl for tests of metrics and dashboard: a test sets its progress and emits its events.

import type { CrawlActivity, CrawlEventMap, Crawler, CrawlProgress, Explanation, RequestRecord } from 'mannerly';
import { NO_PROGRESS } from '../src/report/crawl-report.js';
import { NO_ACTIVITY } from '../src/run/activity.js';

/** The crawl, and a test's control of it. */
export interface FakeCrawl
  extends Pick<Crawler, 'events' | 'progress' | 'activity' | 'pause' | 'resume' | 'stop' | 'add' | 'explain'> {
  /** The calls that it got, in order. */
  readonly calls: string[];
  /** Sets its answers from now on. */
  setState(progress: Partial<CrawlProgress>, activity?: Partial<CrawlActivity>): void;
  emit<K extends keyof CrawlEventMap>(name: K, event: CrawlEventMap[K]): void;
  /** The number of remaining listeners. */
  listeners(): number;
}

/** Makes a fake crawl. */
export function fakeCrawl(given: Partial<CrawlProgress> = {}, givenActivity: Partial<CrawlActivity> = {}): FakeCrawl {
  let progress = given;
  let activity = givenActivity;
  const calls: string[] = [];
  const listeners = new Map<string, Set<(event: never) => void>>();
  return {
    events: {
      on(name, listener) {
        const set = listeners.get(name) ?? new Set();
        listeners.set(name, set);
        set.add(listener);
        return () => {
          set.delete(listener);
        };
      },
    },
    progress: () => ({ ...NO_PROGRESS, ...progress }),
    activity: () => ({
      phase: 'running',
      ended: null,
      nowMs: 0,
      name: 'tester',
      seeds: [],
      seedCount: 0,
      bounds: {
        pages: null,
        minutes: null,
        depth: null,
        pagesPerHost: null,
        bytes: null,
        bytesPerHost: null,
        minutesPerHost: null,
        queuedUrls: 10_000_000,
        onFull: 'spill',
      },
      ...NO_ACTIVITY,
      ...activity,
    }),
    async add(urls, options) {
      calls.push(`add ${JSON.stringify([urls, options])}`);
      return [urls].flat().map((url) => ({ url, kind: 'queued', reason: null }));
    },
    async explain(urlOrHost) {
      calls.push(`explain ${urlOrHost}`);
      return { kind: 'unknown', url: urlOrHost } as unknown as Explanation;
    },
    calls,
    setState(nextProgress, nextActivity = {}) {
      progress = { ...progress, ...nextProgress };
      activity = { ...activity, ...nextActivity };
    },
    pause() {
      calls.push('pause');
      activity = { ...activity, phase: 'paused' };
    },
    resume() {
      calls.push('resume');
      activity = { ...activity, phase: 'running' };
    },
    stop() {
      calls.push('stop');
      activity = { ...activity, phase: 'stopping' };
    },
    emit(name, event) {
      for (const listener of listeners.get(name) ?? []) listener(event as never);
    },
    listeners: () => [...listeners.values()].reduce((sum, set) => sum + set.size, 0),
  };
}

/** An ended request. */
export function requestRecord(more: Partial<RequestRecord> = {}): RequestRecord {
  return {
    url: 'http://a.test/',
    host: 'a.test',
    purpose: 'page',
    startedAtMs: 1_000,
    endedAtMs: 1_200,
    status: 200,
    failure: null,
    encodedBytes: 100,
    remoteAddress: '127.0.0.1',
    userAgent: 'tester/1.0 (+https://example.org/us)',
    crawlDelayMs: null,
    requestIntervalMs: null,
    gapMs: null,
    ...more,
  } as RequestRecord;
}
