// The cost of a page in a whole crawl, next to the bare loop, interleaved in one run at one server.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const LONGEST_MS = 600_000;
const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/**
 * @param options `{ hosts, pages, runs }`
 * @returns rows of the table of all benchmarks
 */
export async function rows({ hosts = 25, pages = 200, runs = 3 } = {}) {
  const [links, dom] = [
    await compare({ hosts, pages, runs, args: [] }),
    await compare({ hosts, pages, runs: 1, args: ['dom'] }),
  ];
  const idle = await waiting();
  const size = `${hosts * pages} pages`;
  return [
    {
      row: `crawl, ${size}: CPU-s per 1,000 pages`,
      value: links.ours.cpuS,
      reference: 'bare htmlparser2 loop',
      referenceValue: links.loop.cpuS,
      goal: '≤ 1.0 ×',
      digits: 2,
    },
    {
      row: `crawl, ${size}: peak memory, MB`,
      value: links.ours.rssMb,
      reference: 'bare htmlparser2 loop',
      referenceValue: links.loop.rssMb,
      goal: '≤ 180',
      digits: 0,
    },
    {
      row: `crawl, page.$ on each of ${size}: CPU-s per 1,000 pages`,
      value: dom.ours.cpuS,
      reference: 'bare cheerio loop',
      referenceValue: dom.loop.cpuS,
      goal: '≤ 1.1 ×',
      digits: 2,
    },
    ...idle,
  ];
}

/** A crawl whose hosts all wait: what it takes although nothing happens. */
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

/** Both by turns at one server, the medians of their runs. */
async function compare({ hosts, pages, runs, args }) {
  const server = fork(here('server.mjs'), [String(hosts), String(pages)]);
  const [{ port }] = await once(server, 'message');
  const measured = { 'bare-loop.mjs': [], 'mannerly.mjs': [] };
  try {
    for (let run = 0; run < runs; run += 1) {
      for (const crawler of Object.keys(measured)) {
        measured[crawler].push(await crawl(crawler, server, [port, hosts, pages, ...args].map(String)));
      }
    }
  } finally {
    server.send('end');
  }
  const [loop, ours] = Object.values(measured).map(medianOf);
  return { loop, ours };
}

/** One crawl in a process of its own; what it cost, and that it was complete and exact. */
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
