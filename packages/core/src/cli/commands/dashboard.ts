// `mannerly dashboard`: a live view and the metrics of all processes of a crawl on a server, wherever they run.

import type { WatchedCrawl } from '../../dashboard/view.js';
import type { ProcessReport, StoreReport } from '../../inspection/store-inspection.js';
import { familiesOf, type MetricFamily } from '../../metrics/combine-metrics.js';
import { sums } from '../../report/combined-counts.js';
import type { CrawlProgress } from '../../report/crawl-report.js';
import { sumOf } from '../../report/table.js';
import { type CrawlActivity, NO_ACTIVITY } from '../../run/activity.js';
import type { CrawlOrder } from '../../run/crawl-orders.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import type { Flags } from '../flags.js';
import type { CliIo } from '../io.js';
import { DEFAULT_LISTEN, STORE_POLL_MS } from '../limits.js';
import { combinedSource, openDashboard } from '../open-dashboard.js';
import { withStoreInspection } from '../open-inspection.js';
import { combinePhases } from '../workers/combine-reports.js';

const NO_BOUNDS: CrawlActivity['bounds'] = {
  ...{ pages: null, minutes: null, depth: null, bytes: null, queuedUrls: Number.MAX_SAFE_INTEGER, onFull: 'spill' },
  ...{ pagesPerHost: null, bytesPerHost: null, minutesPerHost: null },
};

/** Runs the command until Ctrl-C, or until the store fails. @throws UsageError, MannerlyError */
export async function dashboardCommand(flags: Flags, io: CliIo): Promise<number> {
  const { store, listen = DEFAULT_LISTEN } = flags;
  if (store === undefined) throw new UsageError('name the store of the crawl', 'Add --store <url>.');
  return withStoreInspection(store, io, async ({ report, order }) => {
    let last = await report();
    let fail = (_: unknown): void => undefined;
    const send = (given: CrawlOrder) => (): void => void order(given).catch((error) => fail(error));
    const orders = { pause: send('pause'), resume: send('resume'), stop: send('stop') };
    const crawl = { ...watchedCrawl(() => last, io), ...orders };
    const opened = await openDashboard(crawl, { ...flags, listen }, () => combinedSource(() => familiesIn(last)), io);
    const ends: (() => void)[] = [];
    try {
      await new Promise<void>((resolve, reject) => {
        fail = reject;
        let isReading = false;
        const refresh = async (): Promise<void> => {
          if (isReading) return;
          isReading = true;
          last = await report();
          isReading = false;
        };
        ends.push(
          io.every(STORE_POLL_MS, () => void refresh().catch(reject)),
          io.onInterrupt(() => resolve()),
        );
      });
      return EXIT.ok;
    } finally {
      for (const end of ends) end();
      await opened?.close();
    }
  });
}

/** A crawl on a server, as the dashboard shows it. Its processes report numbers, but no events. */
function watchedCrawl(last: () => StoreReport, io: CliIo): Omit<WatchedCrawl, CrawlOrder> {
  return {
    events: { on: () => () => undefined },
    progress: () => progressOf(last()),
    activity: () => {
      const { name, seeds, seedCount, processes, ...totals } = last();
      const bounds = { ...NO_BOUNDS, ...totals.bounds };
      const phases = processes.flatMap(({ state, phase }) => (state === 'at-work' ? (phase ?? 'running') : []));
      const phase = phases.length === 0 ? 'over' : combinePhases(phases);
      const about = { name, seeds, seedCount, bounds, phase, ended: null, nowMs: io.nowMs() };
      return { ...NO_ACTIVITY, ...about, underwayCount: underwayOf(processes) };
    },
    combinedView: () => ({ outcomes: last().outcomes, processes: last().processes.map(rowOf) }),
  };
}

/** The metrics of each process, and of the crawl. */
function familiesIn({ processes, outcomes, pages, queued, hosts, runningMs }: StoreReport) {
  const families = new Map<string, readonly MetricFamily[]>();
  const ofCrawl = { pages, runningSeconds: runningMs / 1_000, queuedUrls: queued, knownHosts: hosts };
  families.set('', familiesOf(ofCrawl, outcomes));
  for (const process of processes) {
    const { name, phase, bytes: receivedBytes, ...counts } = rowOf(process);
    const running = process.state === 'at-work' ? 1 : 0;
    const paused = phase === 'paused' ? 1 : 0;
    families.set(name, familiesOf({ ...counts, receivedBytes, running, paused }));
  }
  return families;
}

function progressOf({ processes, outcomes, ...totals }: StoreReport): CrawlProgress {
  const { pages, requests, hosts, queued, items, bytes, runningMs } = totals;
  const countOf = (status: string): number => sumOf(outcomes[status] ?? {});
  return {
    ...{ pages, requests, hosts, queued, items, bytes, runningMs, inFlight: underwayOf(processes) },
    ...{ excluded: countOf('excluded'), dropped: countOf('dropped'), failed: countOf('failed') },
    ...{ waitingFor: null, waitingHosts: 0 },
  };
}

function underwayOf(processes: readonly ProcessReport[]): number {
  return sums(processes.map(rowOf), 'underway').underway;
}

/** A process as a row. Its name stays the same over all runs: the machine and the number of its directory. */
function rowOf({ machine, part, state, phase, requests, items, bytes, ...process }: ProcessReport) {
  const isAtWork = state === 'at-work';
  const name = machine === null ? part : `${machine} ${part}`;
  const underway = isAtWork ? process.underway : 0;
  return { name, phase: isAtWork ? (phase ?? 'running') : state, underway, requests, items, bytes };
}
