// The requirements for a store whose server is killed or restarted, or whose clock is set, for every kind of server.

import { FrontierError, type FrontierStore, type Lease, type NewEntry } from '@mannerly/frontier';
import { expect } from 'vitest';

/** By how many milliseconds a server's clock may be slewed against ours meanwhile. */
const SLEW_MS = 5;

/** Longer than the leases and the delay. */
const WAIT_MS = 600_000;

/** The options of the leases in these tests. */
interface LeaseOptions {
  readonly maxHosts: number;
  readonly entriesPerHost: number;
  readonly ttlMs: number;
  readonly delayMs: number;
}

/** A server that can be killed and started again. */
interface Restarted {
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
}

/** A server that forgets what came after a copy of its data. */
interface Restored {
  readonly save: () => Promise<unknown>;
  /** Kills it, and starts it with the copy. */
  readonly setBack: () => Promise<void>;
}

/** The error with which a store refuses something. */
export async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (cause: unknown) => cause,
  );
  return error instanceof FrontierError ? `${error.code}: ${error.message} ${error.hint ?? ''}` : String(error);
}

/** An entry of a host, by its number. */
export function entry(host: string, number: number): NewEntry {
  const fingerprint = new Uint8Array(8);
  new DataView(fingerprint.buffer).setBigUint64(0, BigInt.asUintN(64, BigInt(number) * 0x9e3779b97f4a7c15n));
  return { host, fingerprint, priority: 4, body: new TextEncoder().encode(`${host} ${number}`) };
}

/** The ids of a host's entries. */
async function idsOf(store: FrontierStore, host: string): Promise<string[]> {
  return (await store.scan(null, 100, host)).items.map(({ entry: { id } }) => id);
}

/** Asks until something is leased. Returns the lease and the wait for it, milliseconds. */
async function firstGrant(store: FrontierStore, ask: LeaseOptions) {
  const fromMs = performance.now();
  for (;;) {
    const [lease] = await store.lease(ask);
    if (lease !== undefined) return { lease, waitedMs: performance.now() - fromMs };
    await pause(20);
  }
}

/** Expects the first lease only after the longest lease and the delay. */
async function expectGrantInTime(store: FrontierStore, ask: LeaseOptions) {
  const { lease, waitedMs } = await firstGrant(store, ask);
  expect(waitedMs).toBeGreaterThanOrEqual(ask.ttlMs + ask.delayMs - SLEW_MS);
  return lease;
}

/**
 * Adds continuously while the server is killed and started. Confirmed entries are there afterwards. `notices`: their
 * kinds.
 */
export async function expectKeptAcrossKill(store: FrontierStore, server: Restarted, notices: readonly string[]) {
  const answered = new Set<number>();
  const maybe = new Set<number>();
  let number = 0;
  let isOver = false;
  const adders = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const mine = number++;
      maybe.add(mine);
      await store.add([entry(`h${mine % 7}`, mine)]);
      answered.add(mine);
    }
  });
  while (answered.size < 200) await pause(5);
  await server.kill();
  // Answers may still be in the socket's buffer.
  await pause(100);
  const atKill = answered.size;
  await pause(200);
  expect(answered.size).toBe(atKill);
  await server.start();
  while (answered.size < atKill + 50) await pause(5);
  isOver = true;
  await Promise.all(adders);
  // A broken connection that is noticed later makes the store hold once more.
  const states = notices.filter((kind) => kind !== 'rolled-back');
  expect([states[0], states.at(-1), notices.length - states.length], notices.join()).toEqual(['holding', 'resumed', 1]);
  // A fast machine adds more of them than a page holds.
  const listed: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<FrontierStore['scan']>> = await store.scan(cursor, 10_000);
    listed.push(...page.items.map(({ entry: { body } }) => new TextDecoder().decode(body)));
    cursor = page.cursor;
  } while (cursor !== null);
  expect(listed.toSorted()).toEqual([...answered].map((one) => `h${one % 7} ${one}`).toSorted());
  expect((await store.stats()).known).toBe(maybe.size);
}

/** Kills a server that has leases and reservations. Neither a host nor an address is granted too early afterwards. */
export async function expectNothingEarlyAfterKill(store: FrontierStore, server: Restarted, ask: LeaseOptions) {
  await store.add([entry('h', 1), entry('other', 2)]);
  const [before] = await store.lease({ ...ask, hosts: ['h'] });
  expect(await store.reserve?.([{ key: 'address', delayMs: 60_000 }])).toEqual([0]);
  await server.kill();
  await server.start();
  const lease = await expectGrantInTime(store, ask);
  expect(BigInt(lease.fencingToken)).toBeGreaterThan(BigInt(before?.fencingToken ?? 0));
  // The server may also have forgotten reservations that no client remembers.
  const [waitMs = 0] = (await store.reserve?.([{ key: 'another', delayMs: 60_000 }])) ?? [];
  expect(waitMs).toBeGreaterThan(0);
}

/** A restored server forgets that a host was leased, released, and leased again. */
export async function expectNoTokenRepeated(store: FrontierStore, server: Restored, ask: LeaseOptions) {
  await store.add([entry('h', 1), entry('h', 2)]);
  await server.save();
  const { host, fencingToken } = (await firstGrant(store, ask)).lease;
  const then = { release: { dueInMs: 0 } };
  await store.commit([{ host, fencingToken, delayMs: ask.delayMs, then }]);
  const lost = (await firstGrant(store, ask)).lease;
  await server.setBack();
  const after = await expectGrantInTime(store, ask);
  expect(BigInt(after.fencingToken)).toBeGreaterThan(BigInt(lost.fencingToken));
  const late = await store.commit([{ host, fencingToken: lost.fencingToken, then }]);
  expect(late.hosts).toEqual([{ ok: false, reason: 'lost' }]);
}

/** A restored server forgets links. `expectNoticed` makes the store notice it. */
export async function expectLinksAddedAgain(
  store: FrontierStore,
  server: Restored,
  expectNoticed: () => Promise<void>,
) {
  await store.add([entry('h', 1), entry('other', 2)]);
  await server.save();
  expect(await store.add([entry('h', 1), entry('h', 3), entry('new', 4)])).toEqual(['known', 'new', 'new']);
  const before = await idsOf(store, 'h');
  await server.setBack();
  await expectNoticed();
  const listed = (await store.scan(null, 100)).items.map(({ entry: { body } }) => new TextDecoder().decode(body));
  expect(listed.toSorted()).toEqual(['h 1', 'h 3', 'new 4', 'other 2']);
  // A forgotten entry may be in flight under its old id, which is not assigned again.
  const after = await idsOf(store, 'h');
  expect(after.filter((id) => before.includes(id))).toHaveLength(1);
}

/** A restored server forgets how long two hosts asked to wait. */
export async function expectWaitsKept(store: FrontierStore, server: Restored, ask: LeaseOptions) {
  await store.add(['early', 'leased'].flatMap((host, at) => [entry(host, 2 * at), entry(host, 2 * at + 1)]));
  const leaseOf = async (host: string): Promise<Lease> => {
    const [lease] = await store.lease({ ...ask, entriesPerHost: 1, hosts: [host] });
    return lease ?? leaseOf(host);
  };
  const release = ({ host, fencingToken }: Lease) =>
    store.commit([{ host, fencingToken, then: { release: { dueInMs: WAIT_MS } } }]);
  // One host whose lease the copy has, and one whose lease and release it lacks.
  const known = await leaseOf('leased');
  await server.save();
  await release(known);
  await release(await leaseOf('early'));
  await server.setBack();
  await store.lease(ask);
  await store.nextDueInMs();
  for (const host of ['leased', 'early'])
    expect((await store.readHost!(host))?.dueInMs, host).toBeGreaterThan(WAIT_MS / 2);
}

/** Sets a store's clock forward by a minute. `open` opens a store on these clocks. */
export async function expectNothingEarlyAfterLeap(
  open: (clocks: {
    nowMs: () => number;
    monotonicMs: () => number;
    onNotice: (notice: { readonly kind: string }) => void;
  }) => Promise<FrontierStore>,
  ask: LeaseOptions,
) {
  let aheadMs = 0;
  let idleMs = 0;
  const notices: string[] = [];
  const store = await open({
    nowMs: () => performance.now() + idleMs + aheadMs,
    monotonicMs: () => performance.now() + idleMs,
    onNotice: ({ kind }) => notices.push(kind),
  });
  await store.add([entry('h', 1), entry('h', 2)]);
  const [lease] = await store.lease({ ...ask, entriesPerHost: 1 });
  const part = { host: 'h', fencingToken: lease?.fencingToken ?? '', done: [lease?.entries[0]?.id ?? ''] };
  await store.commit([{ ...part, delayMs: ask.delayMs, then: { release: { dueInMs: 30_000 } } }]);
  // Time that passes on both clocks does not count as setting one of them.
  idleMs = 1_000;
  expect(await store.lease(ask)).toEqual([]);
  expect(store.rollbacks).toBe(0);
  aheadMs = 60_000;
  expect(await store.lease(ask)).toEqual([]);
  expect(store.rollbacks).toBe(1);
  expect(notices.at(-1)).toBe('rolled-back');
  idleMs += ask.ttlMs + ask.delayMs;
  // Its site asked for a longer pause.
  expect(await store.lease(ask)).toEqual([]);
  idleMs += 30_000;
  expect(await store.lease(ask)).toMatchObject([{ host: 'h', queued: 0 }]);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
