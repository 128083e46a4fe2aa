// A healthy host keeps its pace within a tenth, whatever another host of the same crawl serves; and the command still
// reacts to SIGTERM. The whole test takes about a minute.

import { expect, it } from 'vitest';
import { ATTACKS, HEALTHY_PAGES, type Pace, paceNextTo, paceTable } from './hostile-neighbour.js';

/** The minimum share of the pace that is kept. */
const MIN_SHARE = 0.9;
/** Milliseconds from SIGTERM to the end: work in flight is released. */
const MAX_END_MS = 10_000;
/** The exit code of a crawl that a signal ended. */
const INTERRUPTED = 130;
/** Measurements are repeated if the machine is busy with other suites, also the one without an attack. */
const ATTEMPTS = 3;

it('keeps its pace within 10 % next to each attack', { timeout: 600_000 }, async () => {
  const quiet = await paceNextTo(null);
  const rows: [string, Pace][] = [['an honest one', quiet]];
  const shares = new Map<string, number>();
  for (const attack of ATTACKS) {
    let [usual, pace] = [quiet, await paceNextTo(attack)];
    for (let at = 1; at < ATTEMPTS && shareOf(pace, usual) < MIN_SHARE; at += 1) {
      [usual, pace] = [await paceNextTo(null), await paceNextTo(attack)];
    }
    rows.push([attack.name, pace]);
    shares.set(attack.name, shareOf(pace, usual));
  }
  console.info(paceTable(rows, quiet.pagesPerSecond));
  expect(quiet.pagesPerSecond).toBeGreaterThan(3);
  expect([...shares].filter(([, share]) => share < MIN_SHARE)).toEqual([]);
  for (const [name, pace] of rows) {
    expect(pace.pages, name).toBeGreaterThanOrEqual(HEALTHY_PAGES);
    expect(pace.exitCode, name).toBe(INTERRUPTED);
    expect(pace.hostileRequests, name).toBeGreaterThan(0);
    expect(pace.endMs, name).toBeLessThan(MAX_END_MS);
  }
});

function shareOf(pace: Pace, usual: Pace): number {
  return pace.pagesPerSecond / usual.pagesPerSecond;
}
