// The medium that the suite tests sinks on. Sinks come and go on it, as runs of one crawl do.

import type { Item, Sink } from '../output/sink.js';

/** What a medium holds of an item. `data` counts with `exactData` only. */
export type KeptItem = Pick<Item, 'id' | 'url' | 'data' | 'expiresAtMs' | 'preferences'>;

/** A medium for one test: a file, a table, a bucket; empty at first. */
export interface SinkMedium {
  /** A sink on this medium, as each run makes one. */
  makeSink(): Sink;
  /** What it holds now, in the order in which it was written. Called while no sink is writing. */
  read(): Promise<readonly KeptItem[]>;
  /** Removes so many bytes from its end, as a crash may; left out where a medium cannot be torn. */
  tear?(bytes: number): Promise<void>;
  /** The test is over. */
  dispose(): Promise<void>;
}

/** What a sink guarantees. */
export interface SinkCapabilities {
  /** What was written outlives the sink. `false`: guarantees about restarts are not tested. */
  readonly durable: boolean;
  /** Data is read back as it was emitted. `false`: as a table shows it; only its presence is tested. */
  readonly exactData: boolean;
}
