// The growth of a crawl in a bounded number of equal time spans: after the last span, spans are merged in pairs.

import { MAX_PAGE_SPANS } from '../limits.js';

const FIRST_SPAN_MS = 50;
const COUNTED_NAMES = ['requests', 'bytes', 'fetched', 'excluded', 'dropped', 'failed'] as const;
type Counted = (typeof COUNTED_NAMES)[number];

type Span = Record<Counted, number> & { queued: number | null };

export class ProgressSpans {
  #startMs: number | null = null;
  #spanMs = FIRST_SPAN_MS;
  #spans: Span[] = [];

  /** Starts the first span unless it has started; earlier events count there. */
  start(atMs: number): void {
    this.#startMs ??= atMs;
  }

  add(name: Counted, atMs: number, count: number): void {
    this.#spanAt(atMs)[name] += count;
  }

  /** Takes the length of the queue; a span ends with its latest value. */
  queued(atMs: number, urls: number): void {
    this.#spanAt(atMs).queued = urls;
  }

  /** Cumulative sums at the end of each span, and the queue. */
  read() {
    let queued: number | null = null;
    const sums = COUNTED_NAMES.map((name) => {
      let sum = 0;
      const column = this.#spans.map((span) => {
        sum += span[name];
        return sum;
      });
      return [name, column] as const;
    });
    return {
      atMs: this.#spans.map((_, index) => (this.#startMs ?? 0) + (index + 1) * this.#spanMs),
      ...(Object.fromEntries(sums) as Record<Counted, number[]>),
      queued: this.#spans.map((span) => {
        queued = span.queued ?? queued;
        return queued;
      }),
    };
  }

  #spanAt(atMs: number): Span {
    const ms = Math.max(0, atMs - (this.#startMs ?? atMs));
    while (ms >= this.#spanMs * MAX_PAGE_SPANS) {
      this.#joinPairs();
      this.#spanMs *= 2;
    }
    const index = Math.floor(ms / this.#spanMs);
    while (this.#spans.length <= index)
      this.#spans.push({ requests: 0, bytes: 0, fetched: 0, excluded: 0, dropped: 0, failed: 0, queued: null });
    return this.#spans[index] as Span;
  }

  #joinPairs(): void {
    this.#spans = this.#spans.filter((span, at, spans) => {
      const next = spans[at + 1];
      if (at % 2 === 1 || next === undefined) return at % 2 === 0;
      for (const name of COUNTED_NAMES) span[name] += next[name];
      span.queued = next.queued ?? span.queued;
      return true;
    });
  }
}
