// The load of a crawl on its store that is larger than any that was run, and its first bottleneck. Usage: node
// what-if.mjs [--store redis|postgres] [--machines 100] [--processes 4] [--hosts 1e8] [--urls 1e10] [--known 0.98]
// [--page-us 830] [--json]

import { parseArgs } from 'node:util';
import { COSTS } from './costs.mjs';
import { extrapolate } from './extrapolate.mjs';
import { simulateWideWeb } from './simulate.mjs';

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'redis' },
    machines: { type: 'string', default: '100' },
    processes: { type: 'string', default: '4' },
    hosts: { type: 'string', default: '1e8' },
    urls: { type: 'string', default: '1e10' },
    known: { type: 'string', default: '0.98' },
    'page-us': { type: 'string', default: '830' },
    json: { type: 'boolean', default: false },
  },
});
/** The servers of a store, its total number of shards, and the cores of each server: a Redis uses one. */
const LAYOUTS = {
  redis: [
    { servers: 1, shards: 1, serverCores: 1 },
    { servers: 4, shards: 16, serverCores: 1 },
    { servers: 16, shards: 64, serverCores: 1 },
    { servers: 64, shards: 256, serverCores: 1 },
  ],
  postgres: [
    { servers: 1, shards: 1, serverCores: 8 },
    { servers: 1, shards: 1, serverCores: 32 },
    { servers: 4, shards: 4, serverCores: 8 },
  ],
};
/** The simulated crawl: processes, all hosts, URLs of each that are queued at first; virtual seconds. */
const SCALE = { processes: 4, hosts: 4 * 2_000, queued: 60, warmUpSeconds: 3, seconds: 4 };
/** A busier server slows its crawlers, so their own pace cannot be measured. */
const FULL = 0.9;
/** Idle processes that only read each other's accounts. */
const AT_REST = 48;
/** Bytes of a queued URL's body, and the largest share of all URLs that is queued. */
const [BODY_BYTES, QUEUED_SHARE] = [150, 0.1];
/** Bytes of the record of a host's robots.txt, stored unchanged: an assumption. */
const ROBOTS_BYTES = 1_500;

const costs = COSTS[values.store];
if (costs === undefined) throw new Error(`expected --store to be one of ${Object.keys(COSTS).join(', ')}`);
const pageUs = Number(values['page-us']);
const knownShare = Number(values.known);
const rest = await simulateWideWeb({
  costs,
  pageUs,
  processes: AT_REST,
  hosts: AT_REST,
  queued: 1,
  warmUpSeconds: 3,
  seconds: 3,
});
const readsPerPair = rest.callsPerS.readRecord / AT_REST ** 2;
const rows = [];
for (const layout of LAYOUTS[values.store]) {
  const found = await simulateWideWeb({ ...SCALE, ...layout, costs, pageUs, knownShare });
  if (found.serverBusy > FULL)
    throw new Error(`${layout.servers} servers are too few for ${SCALE.processes} processes`);
  if (found.early > 0) throw new Error(`${found.early} requests came too soon`);
  const { serverUsPerPage, clientUsPerPage, perPage } = found;
  const readUs = costs.server.callUs + costs.server.readRecordUs;
  const perProcessS = found.pagesPerS / SCALE.processes;
  const figures = { servers: layout.servers * layout.serverCores, serverUsPerPage, perProcessS, readsPerPair, readUs };
  const target = {
    processes: Number(values.machines) * Number(values.processes),
    urls: Number(values.urls),
    hosts: Number(values.hosts),
    queuedShare: QUEUED_SHARE,
    bodyBytes: BODY_BYTES,
    robotsBytes: ROBOTS_BYTES,
    bytes: costs.bytes,
  };
  rows.push({
    ...layout,
    perProcessS,
    processBusy: found.processBusy,
    clientUsPerPage,
    perPage,
    figures,
    ...extrapolate(figures, target),
  });
}

if (values.json) console.log(JSON.stringify(rows, null, 2));
else print();

function print() {
  const count = (value) => Math.round(value).toLocaleString('en');
  const [{ seenBytes, queuedBytes, hostBytes, robotsBytes, pagesLostToFingerprints }] = rows;
  const gb = (bytes) => `${count(bytes / 1e9)} GB`;
  console.log(
    `${values.store}, ${values.machines} machines with ${values.processes} processes, ${count(rows[0].crawlersPerS)} pages/s if the store were free`,
  );
  console.log(
    `seen ${gb(seenBytes)}, queued ${gb(queuedBytes)} (${QUEUED_SHARE * 100} % of the URLs), hosts ${gb(hostBytes)}, robots.txt ${gb(robotsBytes)}; ${pagesLostToFingerprints.toFixed(1)} pages taken for others`,
  );
  console.log(
    'servers  shards  cores  µs/page: server, client  calls/page  links/page  pages/s of a process, busy  pages/s  full first  processes served  servers wanted  accounts  days',
  );
  for (const row of rows) {
    const { serverUsPerPage } = row.figures;
    const calls = Object.values(row.perPage.calls).reduce((sum, each) => sum + each, 0);
    const cells = [
      count(row.servers),
      count(row.shards),
      count(row.serverCores),
      count(serverUsPerPage),
      count(row.clientUsPerPage),
      calls.toFixed(1),
      row.perPage.links.toFixed(0),
    ];
    cells.push(
      `${count(row.perProcessS)}, ${(100 * row.processBusy).toFixed(0)} %`,
      count(row.pagesPerS),
      row.first,
      count(row.processesServed),
      row.serversWanted.toFixed(0),
    );
    cells.push(`${(100 * row.accountsBusy).toFixed(1)} %`, row.days.toFixed(1));
    console.log(cells.map((cell) => cell.padStart(8)).join('  '));
  }
}
