// The metrics of several processes of one crawl in one exposition: counts of a process have its name as a label, counts
// of the crawl appear once. prom-client writes the text.

import type { AggregatorRegistry, Registry } from 'prom-client';
import type { OutcomeTable } from '../report/decision.js';
import { knownReason, MEASURES, type Measure, type MeasureName, measuresOf } from './measures.js';

/** A metric as prom-client's `registry.getMetricsAsJSON()` returns it: plain JSON. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: string;
  readonly values: readonly { readonly value: number; readonly labels: Readonly<Record<string, string | number>> }[];
}

const PREFIX = 'mannerly_';
/** What each process knows about the whole crawl; the other metrics are its own. */
const CRAWL_MEASURES: readonly MeasureName[] = [...measuresOf('total'), 'queuedUrls', 'knownHosts'];

/** One exposition. @param Aggregator - That of prom-client. @param all - The metrics of each process, by its name. */
export function combineMetrics(
  Aggregator: typeof AggregatorRegistry,
  all: ReadonlyMap<string, readonly MetricFamily[]>,
): Promise<string> {
  const crawlNames = new Set(CRAWL_MEASURES.map((name) => `${PREFIX}${MEASURES[name].prometheus}`));
  const labelled = Array.from(all, ([process, families]) =>
    families.map((family) =>
      crawlNames.has(family.name)
        ? { ...family, aggregator: 'max' }
        : { ...family, values: family.values.map((one) => ({ ...one, labels: { ...one.labels, process } })) },
    ),
  );
  return (Aggregator.aggregate(labelled) as Registry).metrics();
}

/** Metrics from numbers of a process that is read through its store. @param values - By the names of the table. */
export function familiesOf(
  values: Readonly<Partial<Record<MeasureName, number>>>,
  outcomes: OutcomeTable = {},
): MetricFamily[] {
  const family = (name: MeasureName, of: MetricFamily['values']): MetricFamily => {
    const { kind, prometheus, help }: Measure = MEASURES[name];
    const type = kind === 'gauge' ? 'gauge' : 'counter';
    return { name: `${PREFIX}${prometheus}`, help, type, aggregator: 'sum', values: of };
  };
  const rows = Object.entries(values).map(([name, value]) => family(name as MeasureName, [{ value, labels: {} }]));
  const decisions = Object.entries(outcomes).flatMap(([status, reasons]) =>
    Object.entries(reasons).map(([reason, value]) => ({ value, labels: { status, reason: knownReason(reason) } })),
  );
  return decisions.length === 0 ? rows : [...rows, family('decisions', decisions)];
}
