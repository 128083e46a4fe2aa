// Stores that each break one invariant as an author might. The suite is as good as the faults that it finds here. Each
// is the memory store with one verb changed. It is still one file because it is one list.

import { setImmediate } from 'node:timers/promises';
import type { FrontierStore, HostCommit, Lease } from '@mannerly/frontier';
import { FrontierError } from '@mannerly/frontier';

/** A store that must fail the suite. */
export interface BrokenStore {
  /** The fault, as a sentence. */
  readonly fault: string;
  /** The invariant whose test must fail. */
  readonly invariant: string;
  /** `spend` adds to the measured cost of a verb, so the fault shows on a busy machine too. */
  readonly wrap: (store: FrontierStore, nowMs: () => number, spend: (ms: number) => void) => FrontierStore;
}

const moment = () => Promise.resolve();
/** The cost of reading one entry. */
const MS_PER_ENTRY = 0.05;

/** The store with some verbs replaced. */
function replaceVerbs(store: FrontierStore, verbs: Partial<FrontierStore>): FrontierStore {
  return { ...store, ...verbs };
}

/** The store with each host's part of a commit changed before it is applied. */
function changeCommit(store: FrontierStore, change: (part: HostCommit) => HostCommit): FrontierStore {
  return replaceVerbs(store, { commit: (hosts, links) => store.commit(hosts.map(change), links) });
}

/** The store with each lease changed before it is handed out. */
function changeLease(store: FrontierStore, change: (lease: Lease) => Lease): FrontierStore {
  return replaceVerbs(store, { lease: async (request) => (await store.lease(request)).map(change) });
}

function dueIn(part: HostCommit, change: (dueInMs: number) => number): HostCommit {
  if ('keep' in part.then || part.then.release.dueInMs === null) return part;
  return { ...part, then: { release: { dueInMs: change(part.then.release.dueInMs) } } };
}

/** Checks whether it knows a URL, and adds it a moment later. */
function checksThenAdds(store: FrontierStore): FrontierStore {
  const known = new Set<string>();
  return replaceVerbs(store, {
    add: async (entries) => {
      const isNew = entries.map(({ fingerprint }) => !known.has(String(fingerprint)));
      await moment();
      for (const { fingerprint } of entries) known.add(String(fingerprint));
      await store.add(entries.filter((_, at) => isNew[at]).map((entry) => ({ ...entry, dedupe: false })));
      return isNew.map((is) => (is ? 'new' : 'known'));
    },
  });
}

/** Answers concurrent calls with the same lease. */
function sharesGrants(store: FrontierStore): FrontierStore {
  let running: Promise<Lease[]> | null = null;
  return replaceVerbs(store, {
    lease: (request) => {
      running ??= moment()
        .then(() => store.lease(request))
        .finally(() => {
          running = null;
        });
      return running;
    },
  });
}

/** Checks whether a host is empty, and parks it a moment later; an add in between does not wake it. */
function parksEmptyHosts(store: FrontierStore): FrontierStore {
  const queued = new Map<string, number>();
  return replaceVerbs(store, {
    lease: async (request) => {
      const leases = await store.lease(request);
      for (const lease of leases) queued.set(lease.host, lease.queued);
      return leases;
    },
    add: async (entries) => {
      const outcomes = await store.add(entries);
      for (const { host } of entries) await store.wake(host);
      return outcomes;
    },
    commit: async (hosts, links) => {
      const isEmpty = hosts.map(({ host }) => queued.get(host) === 0);
      await moment();
      const parts = hosts.map(
        (part, at): HostCommit => (isEmpty[at] ? { ...part, then: { release: { dueInMs: null } } } : part),
      );
      return store.commit(parts, links);
    },
  });
}

/** Accepts every fencing token. */
function ignoresFencingTokens(store: FrontierStore): FrontierStore {
  const present = new Map<string, string>();
  return replaceVerbs(store, {
    lease: async (request) => {
      const leases = await store.lease(request);
      for (const { host, fencingToken } of leases) present.set(host, fencingToken);
      return leases;
    },
    commit: (hosts, links) =>
      store.commit(
        hosts.map((part) => ({ ...part, fencingToken: present.get(part.host) ?? part.fencingToken })),
        links,
      ),
  });
}

/** Hands out three fencing tokens in turn. */
function reusesFencingTokens(store: FrontierStore): FrontierStore {
  const present = new Map<string, string>();
  return replaceVerbs(store, {
    lease: async (request) =>
      (await store.lease(request)).map((lease) => {
        present.set(lease.host, lease.fencingToken);
        return { ...lease, fencingToken: String(BigInt(lease.fencingToken) % 3n) };
      }),
    commit: (hosts, links) =>
      store.commit(
        hosts.map((part) => ({ ...part, fencingToken: present.get(part.host) ?? '' })),
        links,
      ),
  });
}

/** Reads all of its entries before each add. */
function sweepsOnAdd(store: FrontierStore, _nowMs: () => number, spend: (ms: number) => void): FrontierStore {
  const all = new Set<string>();
  return replaceVerbs(store, {
    add: (entries) => {
      spend(all.size * MS_PER_ENTRY);
      for (const { fingerprint } of entries) all.add(String(fingerprint));
      return store.add(entries);
    },
  });
}

/** Skips blocked lanes one entry at a time. */
function readsBlockedLanes(store: FrontierStore, _nowMs: () => number, spend: (ms: number) => void): FrontierStore {
  let blocked = 0;
  return replaceVerbs(store, {
    add: (entries) => {
      blocked += entries.filter(({ lane }) => lane === 'blocked').length;
      return store.add(entries);
    },
    commit: (hosts, links) => {
      spend(blocked * MS_PER_ENTRY);
      return store.commit(hosts, links);
    },
  });
}

/** Applies what it can before it refuses the rest. */
function refusesTooLate(store: FrontierStore): FrontierStore {
  return replaceVerbs(store, {
    commit: async (hosts, links) => {
      const withoutState = hosts.map(({ state: _state, ...part }) => part);
      if (!hosts.some(({ state }) => (state?.length ?? 0) > 1_024)) return store.commit(hosts, links);
      await store.commit(withoutState, links);
      throw new FrontierError('record-too-large', 'too long a state');
    },
  });
}

/** All of them, each with the invariant that it breaks. */
export const BROKEN_STORES: readonly BrokenStore[] = [
  { fault: 'checks first and adds later', invariant: 'A1', wrap: checksThenAdds },
  {
    fault: 'answers `new` for an entry it loses',
    invariant: 'A2',
    wrap: (store) =>
      replaceVerbs(store, {
        add: async (entries) => {
          await store.add(entries.filter(({ body }) => body.at(-1) !== 0x37));
          const outcomes = await store.add([]);
          return entries.map((_, at) => outcomes[at] ?? 'new');
        },
      }),
  },
  {
    fault: 'forgets the next allowed time of a host',
    invariant: 'A3',
    wrap: (store) => changeCommit(store, (part) => dueIn(part, () => 0)),
  },
  { fault: 'adds at a cost that grows', invariant: 'A4', wrap: sweepsOnAdd },
  {
    fault: 'ends leases after half their time',
    invariant: 'L1',
    wrap: (store) => replaceVerbs(store, { lease: (request) => store.lease({ ...request, ttlMs: request.ttlMs / 2 }) }),
  },
  {
    fault: 'grants the newest host first',
    invariant: 'L2',
    wrap: (store) => replaceVerbs(store, { lease: async (request) => (await store.lease(request)).toReversed() }),
  },
  { fault: 'uses fencing tokens again', invariant: 'L3', wrap: reusesFencingTokens },
  {
    fault: 'forgets the delay of a holder that vanished',
    invariant: 'L4',
    wrap: (store) => changeCommit(store, ({ delayMs: _delayMs, ...part }) => part),
  },
  {
    fault: 'ignores the delay of a lease',
    invariant: 'L4',
    wrap: (store) => replaceVerbs(store, { lease: ({ delayMs: _delayMs, ...request }) => store.lease(request) }),
  },
  {
    fault: 'hands out by arrival alone',
    invariant: 'L5',
    wrap: (store) =>
      replaceVerbs(store, { add: (entries) => store.add(entries.map((entry) => ({ ...entry, priority: 0 }))) }),
  },
  {
    fault: 'gives entries of a vanished holder new ids',
    invariant: 'L5',
    wrap: (store) =>
      changeLease(store, (lease) => ({
        ...lease,
        entries: lease.entries.map((entry) => ({ ...entry, id: `${entry.id}.${entry.attempt}` })),
      })),
  },
  {
    fault: 'rounds times down to seconds',
    invariant: 'L2',
    wrap: (store) => changeCommit(store, (part) => dueIn(part, (ms) => Math.floor(ms / 1_000) * 1_000)),
  },
  {
    fault: 'keeps 32 bits of a time',
    invariant: 'L2',
    wrap: (store) => changeCommit(store, (part) => dueIn(part, (ms) => Math.max(0, ms | 0))),
  },
  {
    fault: 'takes an empty list of hosts for none',
    invariant: 'L1',
    wrap: (store) =>
      replaceVerbs(store, {
        lease: ({ hosts = [], ...request }) => store.lease(hosts.length === 0 ? request : { ...request, hosts }),
      }),
  },
  {
    fault: 'forgets the delay with a commit that sets none',
    invariant: 'L4',
    wrap: (store) => changeCommit(store, (part) => ({ delayMs: 0, ...part })),
  },
  { fault: 'grants one host to two callers at once', invariant: 'L6', wrap: sharesGrants },
  {
    fault: 'hands out entries before their time',
    invariant: 'L7',
    wrap: (store) =>
      replaceVerbs(store, { add: (entries) => store.add(entries.map(({ notBeforeMs: _ms, ...entry }) => entry)) }),
  },
  {
    fault: 'lets a blocked lane delay the others',
    invariant: 'L8',
    wrap: (store) => changeCommit(store, ({ blockLanes: _lanes, ...part }) => part),
  },
  {
    fault: 'loses a whole commit if one of its hosts is lost',
    invariant: 'C1',
    wrap: (store) =>
      replaceVerbs(store, {
        commit: async (hosts, links) => {
          const answer = await store.commit(hosts, links);
          const isLost = answer.hosts.some(({ ok }) => !ok);
          return isLost ? { ...answer, hosts: hosts.map(() => ({ ok: false, reason: 'lost' })) } : answer;
        },
      }),
  },
  {
    fault: 'finds records in any case',
    invariant: 'X3',
    wrap: (store) =>
      replaceVerbs(store, {
        readRecord: (key) => store.readRecord(key.toLowerCase()),
        writeRecord: (key, value) => store.writeRecord(key.toLowerCase(), value),
      }),
  },
  { fault: 'reads a blocked lane', invariant: 'L8', wrap: readsBlockedLanes },
  { fault: 'accepts a commit with an old fencing token', invariant: 'C1', wrap: ignoresFencingTokens },
  {
    fault: 'drops the links of a lost commit',
    invariant: 'C1',
    wrap: (store) =>
      replaceVerbs(store, {
        commit: async (hosts, links) => {
          const answer = await store.commit(hosts);
          const isLost = answer.hosts.some(({ ok }) => !ok);
          return { ...answer, links: links === undefined || isLost ? [] : await store.add(links) };
        },
      }),
  },
  {
    fault: 'forgets one done entry of a batch',
    invariant: 'C2',
    wrap: (store) => changeCommit(store, (part) => ({ ...part, done: part.done?.slice(0, -1) ?? [] })),
  },
  {
    fault: 'makes a released host due too early',
    invariant: 'C3',
    wrap: (store) => changeCommit(store, (part) => dueIn(part, (ms) => ms / 2)),
  },
  { fault: 'loses the wake-up of a host it is releasing', invariant: 'C4', wrap: parksEmptyHosts },
  {
    fault: 'adds the links after the page is done',
    invariant: 'C5',
    wrap: (store) =>
      replaceVerbs(store, {
        commit: async (hosts, links) => {
          const { hosts: committed } = await store.commit(hosts);
          await setImmediate();
          return { hosts: committed, links: await store.add(links ?? []) };
        },
      }),
  },
  {
    fault: 'answers `known` for a link that does not fit',
    invariant: 'C5',
    wrap: (store) =>
      replaceVerbs(store, {
        commit: async (hosts, links) => {
          const answer = await store.commit(hosts, links);
          return { ...answer, links: answer.links.map((outcome) => (outcome === 'full' ? 'known' : outcome)) };
        },
      }),
  },
  {
    fault: 'wakes a parked host when something is added',
    invariant: 'C6',
    wrap: (store) =>
      replaceVerbs(store, {
        add: async (entries) => {
          const outcomes = await store.add(entries);
          for (const { host } of entries) await store.wake(host);
          return outcomes;
        },
      }),
  },
  {
    fault: 'answers that a host is due later than it is',
    invariant: 'N1',
    wrap: (store) =>
      replaceVerbs(store, {
        nextDueInMs: async () => {
          const dueInMs = await store.nextDueInMs();
          return dueInMs === null ? null : dueInMs + 1;
        },
      }),
  },
  {
    fault: 'keeps the first value of a record',
    invariant: 'R1',
    wrap: (store) =>
      replaceVerbs(store, {
        writeRecord: async (key, value) => {
          if (value === null || (await store.readRecord(key)) === null) await store.writeRecord(key, value);
        },
      }),
  },
  {
    fault: 'forgets the last record of a page of a listing',
    invariant: 'R3',
    wrap: (store) =>
      replaceVerbs(store, {
        listRecords: async (prefix, cursor, limit) => {
          const listing = await store.listRecords?.(prefix, cursor, limit);
          return { cursor: listing?.cursor ?? null, items: listing?.items.slice(0, -1) ?? [] };
        },
      }),
  },
  {
    fault: 'forgets the clock of a host when it lists it',
    invariant: 'M1',
    wrap: (store) =>
      replaceVerbs(store, {
        listHosts: async (cursor, limit) => {
          const listing = await store.listHosts?.(cursor, limit);
          const items = listing?.items.map((host) => ({ ...host, waitMs: 0 })) ?? [];
          return { cursor: listing?.cursor ?? null, items };
        },
      }),
  },
  {
    fault: 'gives the same slot to two callers',
    invariant: 'R2',
    wrap: (store) => replaceVerbs(store, { reserve: async (slots) => slots.map(() => 0) }),
  },
  {
    fault: 'continues after close',
    invariant: 'O2',
    wrap: (store) => replaceVerbs(store, { close: async () => undefined }),
  },
  {
    fault: 'answers a time instead of a duration',
    invariant: 'X1',
    wrap: (store, nowMs) =>
      replaceVerbs(store, {
        nextDueInMs: async () => {
          const dueInMs = await store.nextDueInMs();
          return dueInMs === null ? null : nowMs() + dueInMs;
        },
      }),
  },
  {
    fault: 'scans without a limit',
    invariant: 'X2',
    wrap: (store) => replaceVerbs(store, { scan: (cursor, _limit, host) => store.scan(cursor, 10_000, host) }),
  },
  { fault: 'refuses after it has begun', invariant: 'X3', wrap: refusesTooLate },
];
