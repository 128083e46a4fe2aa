// The line that opens every run in a request log: what the run declares, so that the log can be judged by itself.

import type { RobotsOptions } from '@mannerly/frontier';

/** What a run declares. */
export interface RunPromise {
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
  readonly versions: { readonly mannerly: string; readonly node: string };
  readonly name: string;
  /** The whole field value of every request. */
  readonly userAgent: string;
  /** Product tokens robots.txt is read for. */
  readonly tokens: readonly string[];
  /** What is spaced as one. */
  readonly hostKeyBy: 'host' | 'domain';
  /** How robots.txt is read, as the crawl's options have it. */
  readonly robots: Omit<RobotsOptions, 'tokens'>;
  readonly pace: RunPace;
  /** Requests under way at a time, over all hosts; those of handlers count separately. */
  readonly concurrency: number;
}

/** The interval where a host requires none: clamp(`factor` × last retrieval time, `minMs`, `maxMs`). */
export interface RunPace {
  readonly name: string;
  readonly factor: number;
  readonly minMs: number;
  /** `null`: none. */
  readonly maxMs: number | null;
  /** Whether a Request-rate in force replaces the rule. */
  readonly rateReplacesRule: boolean;
  /** Whether hosts that share an address get one request at a time together. */
  readonly perIp: boolean;
}

/** The line itself. */
export interface RunLine {
  readonly run: RunPromise;
}
