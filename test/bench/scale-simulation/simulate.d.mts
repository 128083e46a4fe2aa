// Types of `simulate.mjs`, which is plain JavaScript because it runs as a benchmark.

import type { StoreCosts } from './costs.mjs';

/** The load of the store, per page. */
export interface AskedPerPage {
  readonly calls: Readonly<Record<string, number>>;
  readonly links: number;
  readonly hosts: number;
  readonly leases: number;
  readonly entries: number;
}

/** The crawl of `pnpm bench scale`, simulated. */
export interface SmallWebFigures {
  readonly pages: number;
  /** Pages of each process. */
  readonly pagesOf: readonly number[];
  /** Virtual seconds. */
  readonly seconds: number;
  readonly cpuUsPerPage: number;
  readonly storeUsPerPage: number;
  readonly serverUsPerPage: number;
  readonly perPage: AskedPerPage;
}

/** A simulated broad crawl at full pace. */
export interface WideWebFigures {
  readonly pages: number;
  readonly pagesPerS: number;
  readonly requestsPerS: number;
  /** Requests before their host's turn: 0 unless the frontier is broken. */
  readonly early: number;
  readonly processBusy: number;
  readonly serverBusy: number;
  readonly serverUsPerPage: number;
  readonly clientUsPerPage: number;
  readonly callsPerS: Readonly<Record<string, number>>;
  readonly perPage: AskedPerPage;
}

export function simulateSmallWeb(options: {
  readonly processes: number;
  readonly hosts: number;
  readonly pages: number;
  readonly costs: StoreCosts;
  readonly pageUs: number | ((pagesBefore: number) => number);
  readonly answerUs?: number;
  readonly cores?: number;
  readonly others?: number;
  readonly mainShare?: number;
  readonly seed?: number;
}): Promise<SmallWebFigures>;

export function simulateWideWeb(options: {
  readonly processes: number;
  readonly hosts: number;
  readonly queued?: number;
  readonly knownShare?: number;
  readonly seconds?: number;
  readonly warmUpSeconds?: number;
  readonly costs: StoreCosts;
  readonly servers?: number;
  readonly shards?: number;
  readonly serverCores?: number;
  readonly pageUs: number;
  readonly roundTripMs?: number;
  readonly requestTimeoutMs?: number;
  readonly concurrency?: number;
  readonly maxHosts?: number;
  readonly bounds?: { readonly pages?: number; readonly minutes?: number };
  readonly seed?: number;
}): Promise<WideWebFigures>;

export function seeded(seed: number): () => number;
