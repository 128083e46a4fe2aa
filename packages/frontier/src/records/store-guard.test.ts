// At stake: if a user's store answers in another shape, a crawl may end without its links, wait for ever, or ask a host
// too early.

import { expect, it } from 'vitest';
import { FrontierError } from '../errors.js';
import type { FrontierStore } from '../store.js';
import { memoryStore } from '../stores/memory.js';
import { aroundStoreVerbs, checkedAnswer } from './store-guard.js';

/** The memory store with one verb replaced. */
async function storeWith(verb: string, does: () => unknown): Promise<FrontierStore> {
  const inner = Object.assign(memoryStore(), { [verb]: does });
  const toError = (message: string, cause?: unknown) => new Fault(message, { cause });
  const store = aroundStoreVerbs(inner, (call, name, args) => checkedAnswer(call, name, args, toError));
  if (verb !== 'open') await store.open({ crawl: 'one', create: true });
  return store;
}

/** Not a `FrontierError`, as in the conformance suite. */
class Fault extends Error {}

const ENTRY = { host: 'h', fingerprint: new Uint8Array(8), priority: 4, body: new Uint8Array(1) };
const COMMIT = { host: 'h', fencingToken: '1', then: { release: { dueInMs: 0 } } };
const CALLS: Readonly<Record<string, (store: FrontierStore) => Promise<unknown>>> = {
  open: (store) => store.open({ crawl: 'one', create: true }),
  add: (store) => store.add([ENTRY]),
  lease: (store) => store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 1_000 }),
  commit: (store) => store.commit([COMMIT], [ENTRY]),
  nextDueInMs: (store) => store.nextDueInMs(),
  reserve: async (store) => store.reserve?.([{ key: 'k', delayMs: 1 }]),
  readRecord: (store) => store.readRecord('k'),
  stats: (store) => store.stats(),
  scan: (store) => store.scan(null, 1),
  close: (store) => store.close(),
};

const GIVEN = { id: '1', priority: 4, attempt: 0, body: new Uint8Array(1) };
const LEASE = { host: 'h', fencingToken: '1', state: null, entries: [], queued: 0 };

it.each<[verb: string, does: () => unknown, message: string]>([
  ['open', () => thrown(new Error('no file')), '`open` of the store failed: no file'],
  ['close', () => Promise.reject('busy'), '`close` of the store failed: busy'],
  ['lease', () => Promise.reject(undefined), '`lease` of the store failed: undefined'],
  ['readRecord', () => null, '`readRecord` of the store returned null, not a promise'],
  ['add', async () => undefined, '`add` of the store answered undefined, not an outcome for each entry'],
  ['add', async () => ['new', 'new'], '`add` of the store answered a list of 2, not an outcome for each entry'],
  [
    'add',
    async () => ['queued'],
    '`add` of the store answered a list of 1, not an outcome for each entry: known, new or full',
  ],
  ['lease', async () => undefined, '`lease` of the store answered undefined, not a list of leases'],
  ['lease', async () => [{ ...LEASE, fencingToken: 1 }], '`lease` of the store answered a list of 1'],
  ['lease', async () => [{ ...LEASE, state: 'x' }], '`lease` of the store answered a list of 1'],
  ['lease', async () => [{ ...LEASE, queued: -1 }], '`lease` of the store answered a list of 1'],
  ['lease', async () => [{ ...LEASE, entries: [{ ...GIVEN, priority: 8 }] }], '`lease` of the store answered a list'],
  ['lease', async () => [{ ...LEASE, entries: [{ ...GIVEN, body: 'x' }] }], '`lease` of the store answered a list'],
  ['commit', async () => undefined, '`commit` of the store answered undefined, not an answer for each host'],
  [
    'commit',
    async () => ({ hosts: [{ ok: true, entries: [] }], links: [] }),
    '`commit` of the store answered an object',
  ],
  ['commit', async () => ({ hosts: [], links: ['new'] }), '`commit` of the store answered an object'],
  [
    'commit',
    async () => ({ hosts: [{ ok: true, entries: [] }], links: [undefined] }),
    '`commit` of the store answered an object',
  ],
  ['commit', async () => ({ hosts: [{}], links: ['new'] }), '`commit` of the store answered an object'],
  ['nextDueInMs', async () => undefined, '`nextDueInMs` of the store answered undefined, not a duration or null'],
  ['nextDueInMs', async () => Number.NaN, '`nextDueInMs` of the store answered NaN, not a duration or null'],
  ['nextDueInMs', async () => 1e300, '`nextDueInMs` of the store answered 1e\\+300, not a duration or null'],
  ['reserve', async () => [Number.NaN], '`reserve` of the store answered a list of 1, not a duration for each slot'],
  ['reserve', async () => [], '`reserve` of the store answered a list of 0, not a duration for each slot'],
  ['readRecord', async () => undefined, '`readRecord` of the store answered undefined, not a Uint8Array or null'],
  [
    'stats',
    async () => ({ queued: 1 }),
    '`stats` of the store answered an object of another shape, not an object of counts',
  ],
  ['stats', async () => ({ queued: -1, inFlight: 0, known: 0, hosts: 0 }), '`stats` of the store answered an object'],
  ['scan', async () => ({ cursor: null, items: [{}] }), '`scan` of the store answered an object'],
  ['scan', async () => [], '`scan` of the store answered a list of 0, not a page of entries'],
])('an answer of %s is refused by name (row %#)', async (verb, does, message) => {
  const failed = CALLS[verb]?.(await storeWith(verb, does));
  await expect(failed).rejects.toBeInstanceOf(Fault);
  await expect(failed).rejects.toMatchObject({ message: expect.stringMatching(new RegExp(`^${message}`)) });
});

it('the answers of a store that keeps the contract, and its refusals, pass', async () => {
  const refusal = new FrontierError('record-too-large', 'a body of 70000 bytes');
  await expect((await storeWith('add', () => Promise.reject(refusal))).add([ENTRY])).rejects.toBe(refusal);
  const store = await storeWith('clockMs', async () => null);
  expect(await store.add([ENTRY])).toEqual(['new']);
  expect(await store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 1_000 })).toHaveLength(1);
  expect(await store.commit([COMMIT])).toMatchObject({ links: [] });
});

function thrown(error: Error): never {
  throw error;
}
