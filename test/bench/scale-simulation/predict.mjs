// From what one process takes to what several take. Everything is calibrated by a single process: what its pages cost,
// from the first one on, and how much of the machine it got. What is new with several is the frontier's: who holds
// which host, what travels with which commit, what each asks of the store because there are others; and that each
// begins cold.

import { simulateSmallWeb } from './simulate.mjs';

/** Simulations that look for how much of the machine one process had. */
const LOOKS = 6;
/** Processes that never rest and take part of the machine, at most. */
const OTHERS_MOST = 24;
/** Of a page's work one thread does this much at least. */
const MAIN_SHARE_LEAST = 0.5;

/**
 * @param options `hosts` of the web; `costs`; `alone`: `{ pages, cpuUs }` of one process, sizes ascending; `perS`:
 *   pages per second of one process at the largest size; `crowding`: by how much a crawl costs more next to so many
 *   others that share nothing with it but the machine; `answerUs`, `cores`
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
 * What the k-th page of a process costs next to its calls of the store, microseconds: the slope between the sizes that
 * were measured.
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
 * What explains how fast one process was: faster than one thread could be, others of its threads have helped; slower,
 * processes of others had part of the machine.
 */
async function machineFor(perS, rateWith) {
  const alone = { mainShare: 1, others: 0 };
  if ((await rateWith(alone)) <= perS) {
    const mainShare = await between(
      [MAIN_SHARE_LEAST, 1],
      async (share) => (await rateWith({ ...alone, mainShare: share })) > perS,
    );
    return { ...alone, mainShare };
  }
  return {
    ...alone,
    others: await between([0, OTHERS_MOST], async (others) => (await rateWith({ ...alone, others })) > perS),
  };
}

/** Where it stops to be so, between two values. */
async function between([low, high], isStillSo) {
  let [from, to] = [low, high];
  for (let look = 0; look < LOOKS; look += 1) {
    const middle = (from + to) / 2;
    if (await isStillSo(middle)) from = middle;
    else to = middle;
  }
  return (from + to) / 2;
}

/**
 * What `pnpm bench scale` has measured, out of its rows.
 *
 * @returns by the number of processes `{ cpuS, perS }`, and how many pages there were
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
