// Compares the simulation with measurements: `pnpm bench scale` runs, or its rows are read, and its figures for one
// process have to explain those for two and four. Crawls by one process are measured too, alone and concurrently.

import { readFileSync } from 'node:fs';
import { rows as measureScale } from '../scale/rows.mjs';
import { measureAlone } from './alone.mjs';
import { COSTS } from './costs.mjs';
import { calibrate, measuredOf } from './predict.mjs';

const HOSTS = 40;
/** Pages per host on the smaller webs. */
const SMALLER = [2, 10, 38];

/**
 * @param kind the store: `redis` (the default) or `postgres`
 * @param options `measured`: a file with rows of `pnpm bench scale --json`, by default MANNERLY_BENCH_SCALE or a new
 *   run
 * @returns rows of the table of all benchmarks
 */
export async function rows(kind = 'redis', { measured = process.env.MANNERLY_BENCH_SCALE } = {}) {
  const costs = COSTS[kind];
  if (costs === undefined) return [];
  const scale = measured === undefined ? await measureScale(kind) : JSON.parse(readFileSync(measured, 'utf8'));
  const { pages, byProcesses } = measuredOf(scale, kind);
  const one = byProcesses.get(1);
  const alone = [];
  for (const size of SMALLER) alone.push(await measureAlone(kind, { hosts: HOSTS, pages: size }));
  alone.push({ pages, cpuUs: one.cpuS * 1_000 * pages });
  const crowding = new Map();
  for (const others of byProcesses.keys()) {
    if (others === 1) continue;
    const { cpuUs } = await measureAlone(kind, { hosts: HOSTS, pages: SMALLER.at(-1), others });
    crowding.set(others, Math.max(1, cpuUs / alone.at(-2).cpuUs));
  }
  const { predict } = await calibrate({ hosts: HOSTS, costs, alone, crowding, perS: one.perS });
  const table = [];
  for (const [processes, figures] of byProcesses) {
    const predicted = await predict(processes);
    const what = `simulated, ${kind}, ${processes} process${processes === 1 ? ' (calibrated by it)' : 'es'}`;
    const goal = processes === 1 ? '' : '0.75 to 1.25 ×';
    const common = { reference: 'measured', goal };
    table.push(
      {
        row: `${what}: CPU-s per 1,000 pages`,
        value: predicted.cpuS,
        referenceValue: figures.cpuS,
        digits: 2,
        ...common,
      },
      { row: `${what}: pages per second`, value: predicted.perS, referenceValue: figures.perS, digits: 0, ...common },
    );
  }
  return table;
}
