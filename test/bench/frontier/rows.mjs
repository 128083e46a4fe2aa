// The frontier's rows of the table of all benchmarks: each store at three sizes, and each verb compared with itself in
// a small store. Every measurement is a process of its own, or the median of three. MANNERLY_BENCH_URLS bounds the
// largest size, MANNERLY_BENCH_FINGERPRINTS=50000000 sets the number of known URLs (default: ten million). Stores on a
// server are measured only by name, `pnpm bench frontier --store redis|postgres`; their figures are the server's.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_URLS = Number(process.env.MANNERLY_BENCH_URLS ?? 10_000_000);
/** Each is measured once; the second and the third are in both rows, that of hosts and that of URLs. */
const SIZES = [
  { urls: 10_000, hosts: 10_000 },
  { urls: 1_000_000, hosts: 10_000 },
  { urls: 10_000_000, hosts: 10_000 },
  { urls: 1_000_000, hosts: 100 },
  { urls: 1_000_000, hosts: 100_000 },
].filter(({ urls }) => urls <= MAX_URLS);
/** The memory store has at most this many queued: a queued URL takes about 500 bytes. */
const QUEUED_IN_MEMORY = 2_000_000;
/** The heap limit of the measured process, for the largest size in memory. */
const HEAP_MB = 8_192;
/** The median of so many processes counts; above a million URLs there is one. */
const PROCESSES = 3;
/**
 * A verb is flat if the ratio of its cost at the largest size to that at the smallest is below this, or below the same
 * ratio of the memory access that dominates it.
 */
const FLAT = 1.5;
/** The machine's own memory access that dominates a verb with many hosts and URLs (reference.mjs). */
const REACHES = {
  '60 links, mean': 'hostNs',
  addPageOf60: 'hostNs',
  'a lease of up to 16 and its end, mean': 'claimNs',
  'a claim by itself, mean': 'claimNs',
  leaseAndRelease: 'claimNs',
  scanOf100: 'hostNs',
  wake: 'hostNs',
};
const REACH_NAMES = {
  tableNs: 'a word of a table of fingerprints',
  hostNs: 'a host by name in a bare Map',
  claimNs: 'a claim of nothing but a host and its URL',
};

/** Stores on a server, with the goals for links, a seen URL, a queued one besides its body, and a host. */
const SERVER_GOALS = {
  redis: { links: '≥ 150,000', seen: '≤ 14', queued: '≤ 60', host: '≤ 350' },
  postgres: { links: '≥ 50,000', seen: '', queued: '', host: '' },
};
/** Sizes on a server, which takes longer to fill. */
const SERVER_SIZES = [
  { urls: 10_000, hosts: 10_000 },
  { urls: 1_000_000, hosts: 10_000 },
  { urls: 1_000_000, hosts: 100 },
  { urls: 1_000_000, hosts: 100_000 },
].filter(({ urls }) => urls <= MAX_URLS);

/**
 * @param only - The name of one store. @default the stores in the process
 * @returns Rows of the table of all benchmarks.
 */
export async function rows(only) {
  if (only !== undefined && only in SERVER_GOALS) return rowsOfServer(only);
  const machine = await machineReaches();
  const table = [];
  for (const store of ['memory', 'lmdb'].filter((name) => only === undefined || name === only)) {
    const runs = [];
    for (const { urls, hosts } of SIZES) {
      const queued = store === 'memory' ? Math.min(urls, QUEUED_IN_MEMORY) : urls;
      runs.push(await medianOf(urls > 1_000_000 ? 1 : PROCESSES, 'run.mjs', { store, urls, hosts, queued }));
    }
    table.push(
      ...ratesOf(store, runs),
      ...costsOf(store, runs, machine),
      ...(await seenOf(store)),
      ...(await visitsOf(store)),
      ...(await millionHosts(store)),
    );
  }
  table.push(...rowsOfMachine(machine));
  return only === 'memory' ? table : [...table, ...(await reopened())];
}

/**
 * The machine's part of the costs: the same three accesses at the smallest size and at the largest; `null` if a size is
 * left out.
 */
async function machineReaches() {
  const pair = async (most, least) => {
    if (most.urls > MAX_URLS) return null;
    return {
      most: await medianOf(PROCESSES, 'reference.mjs', most),
      least: await medianOf(PROCESSES, 'reference.mjs', least),
    };
  };
  return {
    byUrls: await pair({ urls: MAX_URLS, hosts: 10_000 }, { urls: 10_000, hosts: 10_000 }),
    byHosts: await pair({ urls: 1_000_000, hosts: 100_000 }, { urls: 1_000_000, hosts: 100 }),
  };
}

function rowsOfMachine(machine) {
  return Object.values(machine).flatMap((pair) =>
    pair === null
      ? []
      : Object.entries(REACH_NAMES).map(([field, what]) => ({
          ...row(`the machine: ${what}, ns, ${sizeOf(pair.most)}`, pair.most[field], '', 1),
          reference: sizeOf(pair.least),
          referenceValue: pair.least[field],
        })),
  );
}

/** The ratio below which a verb is flat. The memory store is simple instead (decision 0025). */
function flatGoal(store, verb, pair) {
  if (store === 'memory') return '';
  const field = REACHES[verb];
  const ofMachine = pair === null || field === undefined ? 0 : pair.most[field] / pair.least[field];
  return ofMachine <= FLAT ? `< ${FLAT} ×` : `< ${ofMachine.toFixed(2)} ×, the machine's`;
}

async function rowsOfServer(store) {
  const goals = SERVER_GOALS[store];
  const runs = [];
  for (const size of SERVER_SIZES) {
    // Space is measured once: it is the same for every size.
    const weigh = runs.length === 0 ? 'yes' : 'no';
    runs.push(await measure('server.mjs', { store, ...size, weigh }));
  }
  const { held, bytes } = runs[0];
  return [
    ...runs.flatMap((run) => {
      const size = sizeOf(run);
      return [
        row(`${store}: links per server CPU-s, ${size}`, run.linksPerServerCpuS, run.urls >= 1e6 ? goals.links : ''),
        row(`${store}: claims + completions per server CPU-s, ${size}`, run.claimsPerServerCpuS, ''),
        row(`${store}: the same one URL per lease, ${size}`, run.claimsOneByOnePerServerCpuS, ''),
      ];
    }),
    row(`${store}: ${held}, bytes per seen URL`, bytes.perSeenUrl, goals.seen, 1),
    row(`${store}: ${held}, bytes per queued URL next to its body`, bytes.perQueuedUrlWithoutBody, goals.queued, 1),
    row(`${store}: ${held}, bytes per host next to its URL`, bytes.perHost, goals.host, 1),
    ...costsOf(store, runs, { byUrls: null, byHosts: null }),
    ...(await visitsOf(store)),
  ];
}

/** What a recrawl stores for each page, besides the record's own bytes. */
async function visitsOf(store) {
  const urls = Math.min(MAX_URLS, 200_000);
  const { recordBytes, bytesPerPage, writeUs, readUs, listUs } = await measure('visits.mjs', { store, urls });
  const what = `${store}: a recrawl's record of a page, ${short(urls)} pages`;
  return [
    { ...row(`${what}: bytes`, bytesPerPage, ''), reference: 'the record', referenceValue: recordBytes },
    row(`${what}: written, µs`, writeUs, '', 1),
    row(`${what}: read, µs`, readUs, '', 1),
    row(`${what}: listed, µs`, listUs, '', 1),
  ];
}

function ratesOf(store, runs) {
  const ofGoals = store === 'memory' ? ['≥ 700,000', '', ''] : ['≥ 120,000', '≥ 80,000', '≤ 150'];
  return runs.flatMap((run) => {
    const size = sizeOf(run);
    // The goals are for ten thousand hosts, and for more URLs than the compiler needs to warm up.
    const goals = run.urls >= 1_000_000 && run.hosts === 10_000 ? ofGoals : ['', '', ''];
    return [
      row(`${store}: links per CPU-s, ${size}`, run.linksPerCpuS, goals[0]),
      row(`${store}: claims + completions per CPU-s, ${size}`, run.claimsPerCpuS, goals[1]),
      row(`${store}: the same one URL per lease, ${size}`, run.claimsOneByOnePerCpuS, ''),
      ...(run.diskBytesPerUrl === null
        ? []
        : [row(`${store}: disk, bytes per URL, ${size}`, run.diskBytesPerUrl, goals[2])]),
    ];
  });
}

/** Each verb at the largest size compared with the smallest, by URLs and by hosts. */
function costsOf(store, runs, machine) {
  const among = (pick, by) => runs.filter(pick).toSorted((a, b) => a[by] - b[by]);
  const byUrls = among(({ hosts }) => hosts === 10_000, 'urls');
  const byHosts = among(({ urls }) => urls === 1_000_000, 'hosts');
  return Object.entries({ byUrls, byHosts }).flatMap(([way, series]) => {
    const [least, most] = [series[0], series.at(-1)];
    if (series.length < 2) return [];
    const before = costsWithRates(least);
    return Object.entries(costsWithRates(most)).map(([verb, us]) => ({
      ...row(`${store}: ${verb}, µs, ${sizeOf(most)}`, us, flatGoal(store, verb, machine[way]), 2),
      reference: sizeOf(least),
      referenceValue: before[verb],
    }));
  });
}

/** The rates too, as microseconds: they include work that a verb defers. */
function costsWithRates({ costUs, linksPerCpuS, usPerLease, urlsPerLease, claimsOneByOnePerCpuS }) {
  if (linksPerCpuS === undefined) return costUs;
  return {
    '60 links, mean': 6e7 / linksPerCpuS,
    // A lease returns one to sixteen URLs, depending on its host, so its cost is per host and URL.
    'a lease of up to 16 and its end, mean': usPerLease / (1 + urlsPerLease),
    'a claim by itself, mean': 1e6 / claimsOneByOnePerCpuS,
    ...costUs,
  };
}

async function seenOf(store) {
  const urls = Number(process.env.MANNERLY_BENCH_FINGERPRINTS ?? Math.min(MAX_URLS, 10_000_000));
  const { bytesPerUrl, diskBytesPerUrl, openCpuS } = await measure('seen.mjs', { store, urls });
  const size = `${short(urls)} known`;
  return [
    row(`${store}: memory, bytes per seen URL, ${size}`, bytesPerUrl, '≤ 14', 1),
    ...(diskBytesPerUrl === undefined
      ? []
      : [row(`${store}: disk, bytes per seen URL, ${size}`, diskBytesPerUrl, '', 1)]),
    ...(openCpuS === undefined ? [] : [row(`${store}: opening, CPU-s, ${size}`, openCpuS, '≤ 1.5', 2)]),
  ];
}

async function millionHosts(store) {
  const { full } = await measure('million-hosts.mjs', { store, hosts: Math.min(MAX_URLS, 1_000_000) });
  const goal = store === 'memory' ? '≤ 1,500' : '≤ 350';
  const what = `${store}: memory, MB, ${short(Math.min(MAX_URLS, 1_000_000))} hosts with one URL each`;
  return [
    row(`${what}: the process's own`, full.ownMb, goal),
    row(`${what}: and files the system has mapped for it`, full.rssMb, goal),
  ];
}

async function reopened() {
  const { firstClaimMs } = await measure('reopen.mjs', { urls: 200_000 });
  return [row('lmdb: first claim after kill -9, ms, 200k queued', firstClaimMs, '≤ 1,000')];
}

async function measure(program, options) {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  console.error(`  ${program} ${words.join(' ')}`);
  const { stdout } = await run(process.execPath, ['--expose-gc', `--max-old-space-size=${HEAP_MB}`, path, ...words]);
  return JSON.parse(stdout);
}

/** The median of each figure over so many processes. */
async function medianOf(processes, program, options) {
  const runs = [];
  for (let count = 0; count < processes; count += 1) runs.push(await measure(program, options));
  return median(runs);
}

/** The median of numbers, or of each field of objects; for anything else the first value. */
function median(values) {
  const [first] = values;
  if (typeof first === 'number') return values.toSorted((a, b) => a - b)[values.length >> 1];
  if (typeof first !== 'object' || first === null) return first;
  return Object.fromEntries(Object.keys(first).map((field) => [field, median(values.map((each) => each[field]))]));
}

function row(name, value, goal, digits = 0) {
  return { row: name, value, reference: '', referenceValue: null, goal, digits };
}

function sizeOf({ urls, hosts }) {
  return `${short(urls)} URLs, ${short(hosts)} hosts`;
}

function short(count) {
  return count >= 1_000_000 ? `${count / 1_000_000}M` : count >= 1_000 ? `${count / 1_000}k` : String(count);
}
