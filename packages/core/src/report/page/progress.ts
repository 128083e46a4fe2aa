// The growth of a crawl in a bounded number of equal spans of time: when the last span is passed, spans are joined in
// pairs.

import { MAX_PAGE_SPANS } from './limits.js';
import type { Progress } from './report-data.js';

/** Milliseconds of a span at first. */
const FIRST_SPAN_MS = 50;
const COUNTED = ['requests', 'bytes', 'fetched', 'excluded', 'dropped', 'failed'] as const;

/** What is counted. */
export type Counted = (typeof COUNTED)[number];

type Span = Partial<Record<Counted | 'queued', number>>;

/** Counts over time. */
export class ProgressSpans {
  #startMs: number | null = null;
  #spanMs = FIRST_SPAN_MS;
  #spans: Span[] = [];

  /** The first span begins here, unless it has begun; what is earlier counts there. */
  start(atMs: number): void {
    this.#startMs ??= atMs;
  }

  add(name: Counted, atMs: number, count: number): void {
    const span = this.#spanAt(atMs);
    span[name] = (span[name] ?? 0) + count;
  }

  /** The length of the queue; a span ends with its latest. */
  queued(atMs: number, urls: number): void {
    this.#spanAt(atMs).queued = urls;
  }

  /** Running sums at the end of each span, and the queue. */
  read(): Progress {
    const sums = { requests: 0, bytes: 0, fetched: 0, excluded: 0, dropped: 0, failed: 0 };
    const columns: Record<Counted, number[]> = {
      requests: [],
      bytes: [],
      fetched: [],
      excluded: [],
      dropped: [],
      failed: [],
    };
    const queued: (number | null)[] = [];
    for (const span of this.#spans) {
      for (const name of COUNTED) {
        sums[name] += span[name] ?? 0;
        columns[name].push(sums[name]);
      }
      queued.push(span.queued ?? queued.at(-1) ?? null);
    }
    const atMs = this.#spans.map((_, index) => (this.#startMs ?? 0) + (index + 1) * this.#spanMs);
    return { atMs, ...columns, queued };
  }

  #spanAt(atMs: number): Span {
    const ms = Math.max(0, atMs - (this.#startMs ?? atMs));
    while (ms >= this.#spanMs * MAX_PAGE_SPANS) {
      this.#joinPairs();
      this.#spanMs *= 2;
    }
    const index = Math.floor(ms / this.#spanMs);
    while (this.#spans.length <= index) this.#spans.push({});
    return this.#spans[index] as Span;
  }

  #joinPairs(): void {
    const pairs: Span[] = [];
    for (let at = 0; at < this.#spans.length; at += 2) {
      const pair: Span = { ...this.#spans[at] };
      const { queued, ...counts } = this.#spans[at + 1] ?? {};
      for (const [name, count] of Object.entries(counts) as [Counted, number][]) pair[name] = (pair[name] ?? 0) + count;
      if (queued !== undefined) pair.queued = queued;
      pairs.push(pair);
    }
    this.#spans = pairs;
  }
}
