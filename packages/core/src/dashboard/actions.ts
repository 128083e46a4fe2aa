// What the live view and the HTTP API may do to a crawl as a whole.

import type { Crawler } from 'mannerly';

/** A crawl as far as it is paused, resumed and stopped. */
export type ControlledCrawl = Pick<Crawler, 'activity' | 'pause' | 'resume' | 'stop'>;

/** The actions by their names. */
export const ACTIONS: ReadonlyMap<string, (crawl: ControlledCrawl) => void> = new Map([
  ['pause', (crawl: ControlledCrawl) => crawl.pause()],
  ['resume', (crawl: ControlledCrawl) => crawl.resume()],
  // A second stop would cut off what is in flight; a button that is pressed twice does not mean that.
  ['stop', (crawl: ControlledCrawl) => (crawl.activity({ limit: 0 }).phase === 'stopping' ? undefined : crawl.stop())],
]);
