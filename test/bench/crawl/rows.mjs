// The cost of a page in a whole crawl compared with the bare loop, interleaved in one run with one server.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const LONGEST_MS = 600_000;
const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/**
 * @param options `{ hosts, pages, runs }`
 * @returns Rows of the table of all benchmarks.
 */
export async function rows({ hosts = 25, pages = 200, runs = 3 } = {}) {
  const loopAndOurs = (more) => [
    ['bare-loop.mjs', ...more],
    ['mannerly.mjs', ...more],
  ];
  const [loop, links] = await compare({ hosts, pages, runs, crawlers: loopAndOurs([]) });
  const [domLoop, dom] = await compare({ hosts, pages, runs: 1, crawlers: loopAndOurs(['dom']) });
  const kinds = [
    ['mannerly.mjs', 'https'],
    ['mannerly.mjs', 'signed'],
  ];
  const [unsigned, signed] = await compare({ hosts, pages, runs, crawlers: kinds, scheme: 'https' });
  const idle = await waiting();
  const size = `${hosts * pages} pages`;
  return [
    {
      row: `crawl, ${size}: CPU-s per 1,000 pages`,
      value: links.cpuS,
      reference: 'bare htmlparser2 loop',
      referenceValue: loop.cpuS,
      goal: '≤ 1.0 ×',
      digits: 2,
    },
    {
      row: `crawl, ${size}: peak memory, MB`,
      value: links.rssMb,
      reference: 'bare htmlparser2 loop',
      referenceValue: loop.rssMb,
      goal: '≤ 180',
      digits: 0,
    },
    {
      row: `crawl, page.$ on each of ${size}: CPU-s per 1,000 pages`,
      value: dom.cpuS,
      reference: 'bare cheerio loop',
      referenceValue: domLoop.cpuS,
      goal: '≤ 1.1 ×',
      digits: 2,
    },
    {
      row: `crawl, each of ${size} signed: CPU-s per 1,000 pages`,
      value: signed.cpuS,
      reference: 'the same, unsigned',
      referenceValue: unsigned.cpuS,
      goal: '≤ 1.06 ×',
      digits: 3,
    },
    {
      row: `crawl, each of ${size} signed: peak memory, MB`,
      value: signed.rssMb,
      reference: 'the same, unsigned',
      referenceValue: unsigned.rssMb,
      goal: '≤ 1.0 ×',
      digits: 0,
    },
    ...idle,
  ];
}

/** The cost of a crawl whose hosts all wait. */
async function waiting() {
  const child = fork(here('idle.mjs'), [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
  const [{ hosts, share, rssMb }] = await once(child, 'message');
  clearTimeout(timer);
  const none = { reference: '', referenceValue: null };
  const name = `crawl, ${hosts} hosts that all wait`;
  return [
    { row: `${name}: % of a core`, value: 100 * share, ...none, goal: '< 1', digits: 2 },
    { row: `${name}: memory, MB`, value: rssMb, ...none, goal: '< 200', digits: 0 },
  ];
}

/** Runs all in turns with one server; medians. @param crawlers The file and further arguments of each. */
async function compare({ hosts, pages, runs, crawlers, scheme = 'http' }) {
  const server = fork(here('server.mjs'), [String(hosts), String(pages), scheme]);
  const [{ port }] = await once(server, 'message');
  const measured = crawlers.map(() => []);
  try {
    for (let run = 0; run < runs; run += 1) {
      for (const [at, [file, ...args]] of crawlers.entries()) {
        measured[at].push(await crawl(file, server, [port, hosts, pages, ...args].map(String)));
      }
    }
  } finally {
    server.send('end');
  }
  return measured.map(medianOf);
}

/** One crawl in its own process. Returns its cost, and checks that it was complete and exact. */
async function crawl(crawler, server, args) {
  const child = fork(here(crawler), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
  const answer = await Promise.race([once(child, 'message'), once(child, 'exit').then(([code]) => [{ failed: code }])]);
  clearTimeout(timer);
  const [{ pages, cpuUs, maxRssKb, failed }] = answer;
  server.send('count');
  const [count] = await once(server, 'message');
  const wrong = count.missing + count.again + count.disallowed + count.other;
  if (failed !== undefined || wrong > 0) {
    throw new Error(`${crawler} did not crawl the web as it is: ${JSON.stringify({ failed, pages, ...count })}`);
  }
  return { cpuS: cpuUs / 1e6 / (pages / 1_000), rssMb: maxRssKb / 1_024 };
}

function medianOf(figures) {
  const median = (key) => figures.map((figure) => figure[key]).sort((a, b) => a - b)[Math.floor(figures.length / 2)];
  return { cpuS: median('cpuS'), rssMb: median('rssMb') };
}
