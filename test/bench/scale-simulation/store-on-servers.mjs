// A model of a store that processes share. It keeps the contract, because it is the memory store, and costs what the
// verbs of a store on servers cost: CPU time of the caller and of the servers, the round trip, and the wait for a disk.
// Hosts are spread over servers by their name, and each verb asks the servers that the Redis store would ask.

import { memoryStore } from '@mannerly/frontier';

/** The most entries of one batch, as in both stores on servers. */
const MAX_ENTRIES = 1_024;
const VERBS = ['add', 'lease', 'commit', 'nextDueInMs', 'readRecord', 'writeRecord', 'stats', 'other'];

/**
 * @param options `clock`; `servers`: one `{ run(us) }` for each shard; `costs`: from `costs.mjs`; `roundTripMs`
 * @returns `{ client(process), meter, setFree(isFree) }`; `client` makes one process's store
 */
export function createStoreOnServers({ clock, servers, costs, roundTripMs }) {
  const inner = memoryStore({ nowMs: () => clock.timeMs(), maxQueued: 1_000_000_000 });
  const shards = servers.length;
  const meter = { links: 0, hosts: 0, leases: 0, entries: 0, serverUs: 0, clientUs: 0, calls: {} };
  for (const verb of VERBS) meter.calls[verb] = 0;
  let opened = null;
  let isFree = false;

  /** One call for each of some shards: `parts` are the shard, and the microseconds besides the call itself. */
  const ask = async (process, verb, parts, { writes = false, links = 0 } = {}) => {
    if (isFree) return;
    const clientUs = parts.length * costs.client.callUs + links * costs.client.linkUs;
    meter.calls[verb] += parts.length;
    meter.clientUs += clientUs;
    // Urgent: calls of the store come between two pages, and do not wait for all pages that were read.
    await process.run(clientUs, true);
    if (roundTripMs > 0) await clock.wait(roundTripMs / 2);
    const work = parts.map(([shard, us]) => {
      meter.serverUs += costs.server.callUs + us;
      return servers[shard].run(costs.server.callUs + us);
    });
    await Promise.all(work);
    const backMs = roundTripMs / 2 + (writes ? costs.syncMs : 0);
    if (backMs > 0) await clock.wait(backMs);
  };
  const everyShard = (us) => servers.map((_, shard) => [shard, us]);
  const linksUs = (links) => links.length * costs.server.linkUs;
  const hostsUs = (hosts) => hosts.reduce((sum, host) => sum + hostUs(host), 0);
  const hostUs = ({ done = [], requeue = [], then }) =>
    (then.keep === undefined ? costs.server.releaseUs : costs.server.keepUs) +
    (done.length + requeue.length) * costs.server.entryUs;

  const client = (process) => ({
    capabilities: { ...inner.capabilities, shared: true, durable: 'process', maxBatch: MAX_ENTRIES },
    async open(request) {
      opened ??= inner.open({ ...request, create: true });
      await opened;
    },
    async add(entries) {
      const parts = [...byShard(entries, shards)].map(([shard, links]) => [shard, linksUs(links)]);
      meter.links += isFree ? 0 : entries.length;
      await ask(process, 'add', parts, { writes: true, links: entries.length });
      return inner.add(entries);
    },
    async lease(request) {
      if (request.hosts !== undefined) {
        await ask(process, 'lease', [[shardOf(request.hosts[0] ?? '', shards), costs.server.leaseUs]], {
          writes: true,
        });
        return inner.lease(request);
      }
      // With several shards, each is first asked for its oldest hosts.
      if (shards > 1) await ask(process, 'lease', everyShard(0));
      const leases = await inner.lease(request);
      const granted = byShard(leases, shards);
      if (shards === 1 && leases.length === 0) granted.set(0, []);
      const parts = [...granted].map(([shard, some]) => [
        shard,
        some.reduce((sum, { entries }) => sum + costs.server.leaseUs + entries.length * costs.server.entryUs, 0),
      ]);
      if (!isFree) {
        meter.leases += leases.length;
        for (const { entries } of leases) meter.entries += entries.length;
      }
      await ask(process, 'lease', parts, { writes: leases.length > 0 });
      return leases;
    },
    async commit(hosts, links = []) {
      const linksOf = byShard(links, shards);
      const hostsOf = byShard(hosts, shards);
      if (!isFree) {
        meter.links += links.length;
        meter.hosts += hosts.length;
      }
      const isOneStep = [...linksOf.keys()].every((shard) => hostsOf.size === 1 && hostsOf.has(shard));
      if (!isOneStep) {
        const parts = [...linksOf].map(([shard, some]) => [shard, linksUs(some)]);
        await ask(process, 'commit', parts, { writes: true, links: links.length });
      }
      const parts = [...hostsOf].map(([shard, some]) => [
        shard,
        hostsUs(some) + (isOneStep ? linksUs(linksOf.get(shard) ?? []) : 0),
      ]);
      await ask(process, 'commit', parts, { writes: true, links: isOneStep ? links.length : 0 });
      const answer = await inner.commit(hosts, links);
      const received = answer.hosts.reduce((sum, one) => sum + (one.ok ? one.entries.length : 0), 0);
      if (!isFree) meter.entries += received;
      return answer;
    },
    async nextDueInMs() {
      await ask(process, 'nextDueInMs', everyShard(0));
      return inner.nextDueInMs();
    },
    async readRecord(key) {
      await ask(process, 'readRecord', [[shardOf(key, shards), costs.server.readRecordUs]]);
      return inner.readRecord(key);
    },
    async writeRecord(key, value) {
      await ask(process, 'writeRecord', [[shardOf(key, shards), costs.server.writeRecordUs]], { writes: true });
      return inner.writeRecord(key, value);
    },
    async stats() {
      await ask(process, 'stats', everyShard(0));
      return inner.stats();
    },
    async reserve(slots) {
      await ask(process, 'other', [[shardOf(slots[0]?.key ?? '', shards), 0]], { writes: true });
      return inner.reserve(slots);
    },
    wake: (host) => inner.wake(host),
    readHost: (host) => inner.readHost(host),
    scan: (cursor, limit, host) => inner.scan(cursor, limit, host),
    async close() {
      // The others continue; the data is released with the simulation.
    },
  });

  return {
    client,
    meter,
    /** Whether verbs are free and not counted, for the setup of a simulation. */
    setFree(value) {
      isFree = value;
    },
  };
}

function byShard(all, shards) {
  const parts = new Map();
  for (const one of all) {
    const shard = shardOf(one.host, shards);
    const part = parts.get(shard);
    if (part === undefined) parts.set(shard, [one]);
    else part.push(one);
  }
  return parts;
}

function shardOf(name, shards) {
  if (shards === 1) return 0;
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % shards;
}
