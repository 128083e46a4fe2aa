// The machine's own cost of access to large data: a word in a table as large as the fingerprints of so many URLs, a
// host by name in a plain Map of objects in order of discovery, and a claim of that host's next URL without leases,
// delays, priorities or id lookups. No store can be faster. Usage: node --expose-gc reference.mjs [--urls N] [--hosts
// N]; prints one line of JSON, nanoseconds each.

import { parseArgs } from 'node:util';
import { createLoad } from './load.mjs';
import { cpuUs } from './own-use.mjs';

const { values } = parseArgs({
  options: { urls: { type: 'string', default: '1000000' }, hosts: { type: 'string', default: '10000' } },
});
const [urls, hosts] = [Number(values.urls), Number(values.hosts)];
const READS = 200_000;
const ROUNDS = 8;
const AT_ONCE = 64;
/** Bytes of the set of fingerprints, per URL. */
const BYTES_PER_URL = 12;

const table = new Uint32Array((urls * BYTES_PER_URL) / 4);
for (let at = 0; at < table.length; at += 1) table[at] = at;
const load = createLoad({ hosts, maxBodyBytes: 48 });
const byName = new Map();
for (let made = 0; made < Math.min(urls, 1_000_000); made += 1) {
  const [{ host, body }] = load.fresh(1);
  const known = byName.get(host);
  if (known === undefined) byName.set(host, { host, bodies: [body], next: 0, fencingToken: 0 });
  else known.bodies.push(body);
}
let sum = 0;
const tableNs = best(() => {
  let at = 1;
  return () => {
    for (let read = 0; read < READS; read += 1) {
      at = (Math.imul(at, 1_664_525) + 1_013_904_223) >>> 0;
      // Each read depends on the one before it, as in a hash table.
      at ^= table[at % table.length] & 1;
    }
    sum += at;
  };
});
const hostNs = best(() => {
  const names = load.fresh(READS).map(({ host }) => host);
  return () => {
    for (const name of names) sum += byName.get(name)?.bodies.length ?? 0;
  };
});
const claimNs = best(() => {
  const waiting = [...byName.values()];
  let turn = 0;
  return () => {
    for (let claimed = 0; claimed < READS; claimed += AT_ONCE) {
      const leases = Array.from({ length: AT_ONCE }, () => claim(waiting[turn++ % waiting.length]));
      for (const { host } of leases) byName.get(host).fencingToken += 1;
    }
  };
});
console.log(JSON.stringify({ urls, hosts, tableNs, hostNs, claimNs, sum: sum % 2 }));

/** Claims the next URL of a host, in the form in which a store hands it out. */
function claim(state) {
  const { host, bodies } = state;
  const id = state.next;
  state.next += 1;
  state.fencingToken += 1;
  const entry = { id: String(id), priority: 4, body: new Uint8Array(bodies[id % bodies.length]), attempt: 0 };
  return { host, fencingToken: String(state.fencingToken), entries: [entry], queued: bodies.length };
}

function best(prepare) {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const run = prepare();
    const before = cpuUs();
    run();
    least = Math.min(least, cpuUs() - before);
  }
  return Number(((1_000 * least) / READS).toFixed(1));
}
