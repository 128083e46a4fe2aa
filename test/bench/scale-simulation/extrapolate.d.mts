// Types of `extrapolate.mjs`.

/** The load of one layout of the store in a simulation. */
export interface LayoutFigures {
  readonly servers: number;
  readonly serverUsPerPage: number;
  readonly perProcessS: number;
  readonly readsPerPair: number;
  readonly readUs: number;
}

/** The crawl to extrapolate to. */
export interface Target {
  readonly processes: number;
  readonly urls: number;
  readonly hosts: number;
  readonly queuedShare: number;
  readonly bodyBytes: number;
  /** Bytes of one host's record. */
  readonly robotsBytes: number;
  readonly bytes: { readonly seen: number; readonly queued: number; readonly host: number };
}

export const MAX_BUSY: number;

export function extrapolate(
  figures: LayoutFigures,
  target: Target,
): {
  readonly crawlersPerS: number;
  readonly pagesPerS: number;
  readonly first: 'crawlers' | 'store';
  readonly processesServed: number;
  readonly serversWanted: number;
  readonly accountsBusy: number;
  readonly days: number;
  readonly seenBytes: number;
  readonly queuedBytes: number;
  readonly hostBytes: number;
  readonly robotsBytes: number;
  readonly pagesLostToFingerprints: number;
};
