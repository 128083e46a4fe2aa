// The cost of a store's verbs on this machine, for the process that calls them and for the server: the table of
// `costs.mjs`. Usage: node calibrate.mjs --store redis|postgres [--calls N]; prints one line of JSON, microseconds.

import { parseArgs } from 'node:util';
import { startPostgresEngine } from '../frontier/engine-postgres.mjs';
import { startRedisEngine } from '../frontier/engine-redis.mjs';
import { createLoad } from '../frontier/load.mjs';

const { values } = parseArgs({
  options: { store: { type: 'string', default: 'redis' }, calls: { type: 'string', default: '2000' } },
});
const calls = Number(values.calls);
const TTL_MS = 600_000;
/** Bytes of a page's body in the queue, hosts, and links of a page, as in a crawl. */
const [BODY, HOSTS, LINKS] = [120, 10_000, 60];
const AT_ONCE = 16;

const engine = values.store === 'postgres' ? await startPostgresEngine() : await startRedisEngine();

/** Microseconds of one call, `{ client, server }`. */
async function costOf(work, count = calls) {
  const server = await engine.cpuS();
  const client = process.cpuUsage();
  for (let call = 0; call < count; call += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => work(call + at)));
  }
  const { user, system } = process.cpuUsage(client);
  return { client: (user + system) / count, server: (((await engine.cpuS()) - server) * 1e6) / count };
}

try {
  const store = await engine.open();
  const load = createLoad({ hosts: HOSTS, bodyBytes: BODY });
  for (let batch = 0; batch < 50; batch += 1) await store.add(load.fresh(1_000));
  const made = (count) => Array.from({ length: calls }, () => load.page().slice(0, count));
  const [small, large] = [made(2), made(LINKS)];
  const record = new Uint8Array(120);
  // Once before the measurement: the code is compiled, and the server has its plans.
  for (const page of made(LINKS).slice(0, 200)) await store.add(page);
  const call = await costOf(() => store.nextDueInMs());
  const read = await costOf(() => store.readRecord('r'));
  const write = await costOf((at) => store.writeRecord(`r${at % 4}`, record));
  const addOf2 = await costOf((at) => store.add(small[at]));
  const addOf60 = await costOf((at) => store.add(large[at]));
  const kept = await store.lease({ maxHosts: AT_ONCE, entriesPerHost: 1, ttlMs: TTL_MS });
  const keep = await costOf((at) => {
    const { host, fencingToken } = kept[at % kept.length];
    return store.commit([{ host, fencingToken, then: { keep: { ttlMs: TTL_MS, want: 0 } } }]);
  });
  const turn = (entriesPerHost) => async () => {
    const [lease] = await store.lease({ maxHosts: 1, entriesPerHost, ttlMs: TTL_MS });
    if (lease === undefined) return;
    const { host, fencingToken, entries } = lease;
    await store.commit([{ host, fencingToken, done: entries.map(({ id }) => id), then: { release: { dueInMs: 0 } } }]);
  };
  const turnOf1 = await costOf(turn(1));
  const turnOf4 = await costOf(turn(4));
  const of = (side) => {
    const one = (value) => Number(Math.max(0, value).toFixed(1));
    const linkUs = (addOf60[side] - addOf2[side]) / (LINKS - 2);
    const callUs = call[side];
    const entryUs = Math.max(0, (turnOf4[side] - turnOf1[side]) / 3);
    const turnUs = turnOf1[side] - 2 * callUs - entryUs;
    return {
      callUs: one(callUs),
      linkUs: one(linkUs),
      keepUs: one(keep[side] - callUs),
      leaseUs: one(turnUs / 2),
      releaseUs: one(turnUs / 2),
      entryUs: one(entryUs),
      readRecordUs: one(read[side] - callUs),
      writeRecordUs: one(write[side] - callUs),
    };
  };
  console.log(JSON.stringify({ store: values.store, calls, client: of('client'), server: of('server') }));
} finally {
  await engine.dispose();
}
