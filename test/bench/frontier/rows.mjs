// The frontier's rows of the table of all benchmarks: each store at three sizes, each verb beside itself in a small store.
// Every measurement is a process of its own. MANNERLY_BENCH_URLS bounds the largest size, MANNERLY_BENCH_FINGERPRINTS=50000000
// asks for so many known URLs instead of ten million. Stores on a server are measured when
// they are named, `pnpm bench frontier --store redis|postgres`, and what counts there is what the server uses.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MOST_URLS = Number(process.env.MANNERLY_BENCH_URLS ?? 10_000_000);
/** Each is measured once; the second and the third are both in the row of hosts and in that of URLs. */
const SIZES = [
  { urls: 10_000, hosts: 10_000 },
  { urls: 1_000_000, hosts: 10_000 },
  { urls: 10_000_000, hosts: 10_000 },
  { urls: 1_000_000, hosts: 100 },
  { urls: 1_000_000, hosts: 100_000 },
].filter(({ urls }) => urls <= MOST_URLS);
/** The memory store keeps no more than this queued: a queued URL takes it some 500 octets. */
const QUEUED_IN_MEMORY = 2_000_000;
/** The measured process may hold this much, for the largest size in memory. */
const HEAP_MB = 8_192;
const FLAT = '< 1.5 ×';

/** Stores on a server, and what the goals say of links, of a seen URL, of a queued one beside its body, and of a host. */
const SERVER_GOALS = {
  redis: { links: '≥ 150,000', seen: '≤ 14', queued: '≤ 60', host: '≤ 350' },
  postgres: { links: '≥ 50,000', seen: '', queued: '', host: '' },
};
/** Sizes on a server, which is slower to fill. */
const SERVER_SIZES = [
  { urls: 10_000, hosts: 10_000 },
  { urls: 1_000_000, hosts: 10_000 },
  { urls: 1_000_000, hosts: 100 },
  { urls: 1_000_000, hosts: 100_000 },
].filter(({ urls }) => urls <= MOST_URLS);

/**
 * @param only - The name of one store. @default those in the process
 * @returns rows of the table of all benchmarks
 */
export async function rows(only) {
  if (only !== undefined && only in SERVER_GOALS) return rowsOfServer(only);
  const table = [];
  for (const store of ['memory', 'lmdb'].filter((name) => only === undefined || name === only)) {
    const runs = [];
    for (const { urls, hosts } of SIZES) {
      const queued = store === 'memory' ? Math.min(urls, QUEUED_IN_MEMORY) : urls;
      runs.push(await measure('run.mjs', { store, urls, hosts, queued }));
    }
    table.push(
      ...ratesOf(store, runs),
      ...costsOf(store, runs),
      ...(await seenOf(store)),
      ...(await millionHosts(store)),
    );
  }
  table.push(...(await references()));
  return only === 'memory' ? table : [...table, ...(await reopened())];
}

/** What of the costs is the machine's: the same three reaches at the smallest size and at the largest. */
async function references() {
  const bySize = new Map();
  for (const { urls, hosts } of SIZES) bySize.set(`${urls} ${hosts}`, await measure('reference.mjs', { urls, hosts }));
  const pair = (most, least) => {
    const [large, small] = [bySize.get(most), bySize.get(least)];
    if (large === undefined || small === undefined) return [];
    const figures = {
      tableNs: 'a word of a table of fingerprints',
      hostNs: 'a host by name in a bare Map',
      claimNs: 'a claim of nothing but a host and its URL',
    };
    return Object.entries(figures).map(([field, what]) => ({
      ...row(`the machine: ${what}, ns, ${sizeOf(large)}`, large[field], '', 1),
      reference: sizeOf(small),
      referenceValue: small[field],
    }));
  };
  return [...pair(`${MOST_URLS} 10000`, '10000 10000'), ...pair('1000000 100000', '1000000 100')];
}

async function rowsOfServer(store) {
  const goals = SERVER_GOALS[store];
  const runs = [];
  for (const size of SERVER_SIZES) {
    // Room is weighed once: it is the same at every size.
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
    row(`${store}: ${held}, octets per seen URL`, bytes.perSeenUrl, goals.seen, 1),
    row(`${store}: ${held}, octets per queued URL beside its body`, bytes.perQueuedUrlBesideBody, goals.queued, 1),
    row(`${store}: ${held}, octets per host beside its URL`, bytes.perHost, goals.host, 1),
    ...costsOf(store, runs),
  ];
}

function ratesOf(store, runs) {
  const ofGoals = store === 'memory' ? ['≥ 700,000', '', ''] : ['≥ 120,000', '≥ 80,000', '≤ 150'];
  return runs.flatMap((run) => {
    const size = sizeOf(run);
    // The goals are for ten thousand hosts, and for more than a compiler warms up with.
    const goals = run.urls >= 1_000_000 && run.hosts === 10_000 ? ofGoals : ['', '', ''];
    return [
      row(`${store}: links per CPU-s, ${size}`, run.linksPerCpuS, goals[0]),
      row(`${store}: claims + completions per CPU-s, ${size}`, run.claimsPerCpuS, goals[1]),
      row(`${store}: the same one URL per lease, ${size}`, run.claimsOneByOnePerCpuS, ''),
      ...(run.diskBytesPerUrl === null
        ? []
        : [row(`${store}: disk, octets per URL, ${size}`, run.diskBytesPerUrl, goals[2])]),
    ];
  });
}

/** Each verb at the largest size beside the smallest, by URLs and by hosts. */
function costsOf(store, runs) {
  const among = (pick, by) => runs.filter(pick).toSorted((a, b) => a[by] - b[by]);
  const byUrls = among(({ hosts }) => hosts === 10_000, 'urls');
  const byHosts = among(({ urls }) => urls === 1_000_000, 'hosts');
  return [byUrls, byHosts].flatMap((series) => {
    const [least, most] = [series[0], series.at(-1)];
    if (series.length < 2) return [];
    const before = costsWithRates(least);
    return Object.entries(costsWithRates(most)).map(([verb, us]) => ({
      ...row(`${store}: ${verb}, µs, ${sizeOf(most)}`, us, FLAT, 1),
      reference: sizeOf(least),
      referenceValue: before[verb],
    }));
  });
}

/** The rates too, as microseconds: they have in them what a verb puts off until later. */
function costsWithRates({ costUs, linksPerCpuS, usPerLease, claimsOneByOnePerCpuS }) {
  if (linksPerCpuS === undefined) return costUs;
  return {
    '60 links, mean': 6e7 / linksPerCpuS,
    // Not a claim of those: on many hosts a lease finds fewer URLs than it asks for.
    'a lease of up to 16 and its end, mean': usPerLease,
    'a claim by itself, mean': 1e6 / claimsOneByOnePerCpuS,
    ...costUs,
  };
}

async function seenOf(store) {
  const urls = Number(process.env.MANNERLY_BENCH_FINGERPRINTS ?? Math.min(MOST_URLS, 10_000_000));
  const { octetsPerUrl, diskBytesPerUrl, openCpuS } = await measure('seen.mjs', { store, urls });
  const size = `${short(urls)} known`;
  return [
    row(`${store}: memory, octets per seen URL, ${size}`, octetsPerUrl, '≤ 14', 1),
    ...(diskBytesPerUrl === undefined
      ? []
      : [row(`${store}: disk, octets per seen URL, ${size}`, diskBytesPerUrl, '', 1)]),
    ...(openCpuS === undefined ? [] : [row(`${store}: opening, CPU-s, ${size}`, openCpuS, '≤ 1.5', 2)]),
  ];
}

async function millionHosts(store) {
  const { full } = await measure('million-hosts.mjs', { store, hosts: Math.min(MOST_URLS, 1_000_000) });
  const what = `${store}: memory, MB, ${short(Math.min(MOST_URLS, 1_000_000))} hosts with one URL each`;
  return [
    row(`${what}: the process's own`, full.ownMb, '≤ 350'),
    row(`${what}: and files the system has mapped for it`, full.rssMb, '≤ 350'),
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

function row(name, value, goal, digits = 0) {
  return { row: name, value, reference: '', referenceValue: null, goal, digits };
}

function sizeOf({ urls, hosts }) {
  return `${short(urls)} URLs, ${short(hosts)} hosts`;
}

function short(count) {
  return count >= 1_000_000 ? `${count / 1_000_000}M` : count >= 1_000 ? `${count / 1_000}k` : String(count);
}
