// What the crawl's loop is handed: the stages of one run, and where their facts go.

import type { Frontier } from '@mannerly/frontier';
import type { Admit } from '../admit/admit.js';
import type { CrawlArchive } from '../archive/crawl-archive.js';
import type { Companions } from '../discovery/companions.js';
import type { Offer } from '../discovery/offer.js';
import type { Sitemaps } from '../discovery/sitemaps.js';
import type { Egress } from '../fetch/egress.js';
import type { HandlerPool } from '../handle/handler-pool.js';
import type { ItemWriter } from '../output/item-writer.js';
import type { PageReader } from '../page/read-page.js';
import type { Recorder } from '../record/recorder.js';
import type { Hooks } from './hooks.js';
import type { Learned } from './learned.js';
import type { OwnRequests } from './own-requests.js';
import type { Renderings } from './rendering.js';
import type { Turns } from './turns.js';
import type { Underway } from './underway.js';
import type { Wakeup } from './wakeup.js';

/** The stages of one run, made by `run/open-stages.ts`. */
export interface Stages {
  readonly frontier: Frontier;
  readonly admit: Admit;
  readonly offer: Offer;
  readonly egress: Egress;
  /** What has left and is not over. */
  readonly underway: Underway;
  readonly companions: Companions;
  readonly sitemaps: Sitemaps;
  readonly learned: Learned;
  readonly reader: PageReader;
  /** Pages in a browser, where the fetcher has one. */
  readonly renderings: Renderings;
  readonly handlers: HandlerPool;
  /** `null`: the user has none. */
  readonly hooks: Hooks | null;
  readonly own: OwnRequests;
  readonly items: ItemWriter;
  /** `null`: exchanges are not archived. */
  readonly archive: CrawlArchive | null;
  readonly record: Recorder;
  readonly wakeup: Wakeup;
  readonly turns: Turns;
  readonly nowMs: () => number;
  /** Requests in flight over all hosts. */
  readonly concurrency: number;
  /** Work in hand at most: in flight, being read, or with a handler. */
  readonly maxInHand: number;
  /** The run ends when nothing is left but hosts that wait longer than this. */
  readonly maxIdleMs: number;
  /** Running time of the whole crawl at which it is bounded, milliseconds; `null`: none. */
  readonly maxRunningMs: number | null;
  /** The longest time without a look into the store, milliseconds; `null`: nobody else changes it. */
  readonly lookAgainMs: number | null;
  readonly isStopping: () => boolean;
  /** Stops the run as its user would, once, and keeps the reason for the report. */
  readonly stopFor: (reason: string) => void;
  /** Aborts what is in flight: a stop that could not wait. */
  readonly signal: AbortSignal;
}
