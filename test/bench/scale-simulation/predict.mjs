// Predicts the cost of several processes from that of one. Everything is calibrated with a single process: the cost of
// its pages, from the first one on, and its share of the machine. The frontier adds what is new with several: who
// leases which host, what is committed together, what each asks of the store because of the others; and that each
// starts cold.

import { simulateSmallWeb } from './simulate.mjs';

/** Simulations that search for the share of the machine that one process had. */
const SEARCH_STEPS = 6;
/** The most always busy processes that may take a part of the machine. */
const MAX_OTHERS = 24;
/** The least share of a page's work that the main thread does. */
const MIN_MAIN_SHARE = 0.5;

/**
 * @param options `hosts` of the web; `costs`; `alone`: `{ pages, cpuUs }` of one process, sizes ascending; `perS`:
 *   pages per second of one process at the largest size; `crowding`: the factor by which a crawl costs more next to so
 *   many others that share only the machine with it; `answerUs`, `cores`
 * @returns `{ predict(processes), machine }`; a prediction is CPU-s per 1,000 pages and pages per second
 */
export async function calibrate({ hosts, costs, alone, perS, crowding = new Map(), answerUs = 60, cores = 2 }) {
  const size = alone.at(-1).pages;
  const shape = { hosts, pages: size / hosts, costs, answerUs, cores };
  const rough = await simulateSmallWeb({ ...shape, processes: 1, pageUs: alone.at(-1).cpuUs / size });
  const pageUs = costOfPages(alone, rough.storeUsPerPage);
  const run = (processes, machine) => {
    const factor = crowding.get(processes) ?? 1;
    return simulateSmallWeb({ ...shape, processes, pageUs: (page) => factor * pageUs(page), ...machine });
  };
  const machine = await machineFor(perS, async (tried) => rateOf(await run(1, tried)));
  return {
    machine,
    async predict(processes) {
      const { cpuUsPerPage, serverUsPerPage, pages, pagesOf, seconds } = await run(processes, machine);
      return { cpuS: cpuUsPerPage / 1_000, perS: pages / seconds, serverUsPerPage, pagesOf };
    },
  };
}

/**
 * The cost of the k-th page of a process without its calls of the store, microseconds: the slope between the measured
 * sizes.
 *
 * @returns a function of the number of pages before it
 */
export function costOfPages(alone, storeUsPerPage) {
  let [pagesBefore, usBefore] = [0, 0];
  const slopes = alone.map(({ pages, cpuUs }) => {
    const us = cpuUs - storeUsPerPage * pages;
    const slope = { until: pages, us: Math.max(1, (us - usBefore) / (pages - pagesBefore)) };
    [pagesBefore, usBefore] = [pages, us];
    return slope;
  });
  return (page) => (slopes.find(({ until }) => page < until) ?? slopes.at(-1)).us;
}

const rateOf = ({ pages, seconds }) => pages / seconds;

/**
 * The machine that explains the measured pace of one process: if it was faster than one thread could be, its other
 * threads have helped; if slower, other processes had a part of the machine.
 */
async function machineFor(perS, rateWith) {
  const alone = { mainShare: 1, others: 0 };
  if ((await rateWith(alone)) <= perS) {
    const mainShare = await between(
      [MIN_MAIN_SHARE, 1],
      async (share) => (await rateWith({ ...alone, mainShare: share })) > perS,
    );
    return { ...alone, mainShare };
  }
  return {
    ...alone,
    others: await between([0, MAX_OTHERS], async (others) => (await rateWith({ ...alone, others })) > perS),
  };
}

/** The value at which the condition stops to hold, by bisection. */
async function between([low, high], isStillSo) {
  let [from, to] = [low, high];
  for (let step = 0; step < SEARCH_STEPS; step += 1) {
    const middle = (from + to) / 2;
    if (await isStillSo(middle)) from = middle;
    else to = middle;
  }
  return (from + to) / 2;
}

/**
 * The measurements in the rows of `pnpm bench scale`.
 *
 * @returns `{ cpuS, perS }` by the number of processes, and the number of pages
 */
export function measuredOf(rows, kind) {
  const found = new Map();
  let pages = 0;
  for (const { row, value } of rows) {
    const read = /^scale, (\w+), (\d+) process(?:es)?, (\d+) pages: (CPU-s per 1,000 pages|pages per second)$/.exec(
      row,
    );
    if (read === null || read[1] !== kind) continue;
    pages = Number(read[3]);
    const figures = found.get(Number(read[2])) ?? {};
    figures[read[4] === 'pages per second' ? 'perS' : 'cpuS'] = value;
    found.set(Number(read[2]), figures);
  }
  return { pages, byProcesses: found };
}
