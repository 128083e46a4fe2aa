// How much a crawl has done and has left, in a few numbers.

/** How much there is. `queued` includes what is in hand. */
export interface FrontierCounts {
  readonly queued: number;
  readonly known: number;
  readonly hosts: number;
  readonly inFlight: number;
  readonly pages: number;
  readonly runningMs: number;
}
