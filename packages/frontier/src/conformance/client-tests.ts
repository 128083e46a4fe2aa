// Four clients at once on one crawl, some of which vanish: one holder per host at any time, every entry completed once,
// nothing left behind (A1, L1, C2 under concurrency).

import type { FrontierStore, Lease } from '../store.js';
import {
  assert,
  assertEqual,
  type Choices,
  createChoices,
  idsOf,
  nameOf,
  names,
  type RegisterTest,
  type StoreTest,
} from './store-test.js';
import type { SuiteOptions } from './suite-options.js';

const HOSTS = names('h', 12);
const SEEDS_PER_HOST = 3;
/** Links end at this depth, so that the crawl ends. */
const MAX_DEPTH = 3;
const TTL_UNITS = 6;
const DELAY_UNITS = 1;
const MAX_ROUNDS = 4_000;

export function clientTests(it: RegisterTest, { seed = 1 }: SuiteOptions): void {
  it('A1, L1, C2', 'four clients complete everything once, one at a time per host', (test) => crawl(test, seed));
}

interface Client {
  readonly store: FrontierStore;
  readonly choices: Choices;
  /** Leases to be committed later, or never. */
  readonly late: Lease[];
}

async function crawl(test: StoreTest, seed: number): Promise<void> {
  const ttlMs = TTL_UNITS * test.unit;
  const delayMs = DELAY_UNITS * test.unit;
  const added = new Set<string>();
  /** How many times each entry was completed. */
  const completed = new Map<string, number>();
  /** The last lease of each host, and until when its holder may send requests; absent once it is released. */
  const live = new Map<string, { readonly fencingToken: string; readonly untilMs: number }>();

  async function turn(client: Client): Promise<void> {
    const { store, choices, late } = client;
    if (late.length > 0 && choices.below(4) === 0) {
      for (const lease of late.splice(0)) await complete(client, lease);
    }
    const beforeMs = test.made.nowMs();
    const leases = await store.lease({ maxHosts: 1 + choices.below(2), entriesPerHost: 1 + choices.below(3), ttlMs });
    for (const { host, fencingToken } of leases) {
      const isFree = test.made.nowMs() >= (live.get(host)?.untilMs ?? Number.NEGATIVE_INFINITY);
      assert(isFree, `${host} was granted while another holder had it`, 'L1');
      // Counted from before the request for the lease, so that the client's end comes before the store's.
      live.set(host, { fencingToken, untilMs: beforeMs + ttlMs });
    }
    for (const lease of leases) {
      if (choices.below(4) === 0) late.push(lease);
      else await complete(client, lease);
    }
  }

  async function complete({ store, choices }: Client, { host, fencingToken, entries }: Lease): Promise<void> {
    const finished = entries.filter(() => choices.below(5) > 0);
    const links = finished.flatMap((entry) => {
      const name = nameOf(entry);
      if (name.length > MAX_DEPTH) return [];
      return [choices.of(HOSTS), choices.of(HOSTS)].map((to) => test.entry(to, `${name}${choices.below(3)}`));
    });
    // Before the commit, because another client may complete a link before this one has its answer.
    for (const link of links) added.add(`${link.host} ${nameOf(link)}`);
    const part = { host, fencingToken, done: idsOf(finished), delayMs, then: { release: { dueInMs: delayMs } } };
    // A late holder may have lost the host, and then must not release it.
    const own = live.get(host);
    const isLive = own?.fencingToken === fencingToken && test.made.nowMs() < own.untilMs;
    if (isLive) live.delete(host);
    const [answer] = (await store.commit([part], links)).hosts;
    assert(answer?.ok === true || !isLive, `the live holder of ${host} was answered \`lost\``, 'C1');
    if (answer?.ok !== true) return;
    for (const entry of finished) {
      const key = `${host} ${nameOf(entry)}`;
      completed.set(key, (completed.get(key) ?? 0) + 1);
    }
  }

  const seeds = HOSTS.flatMap((host) => names('s', SEEDS_PER_HOST).map((name) => test.entry(host, name)));
  for (const one of seeds) added.add(`${one.host} ${nameOf(one)}`);
  await test.store.add(seeds);
  const stores = await test.clients(4);
  const clients = stores.map((store, at): Client => ({ store, choices: createChoices(seed * 16 + at), late: [] }));
  // Between two ticks of the clock all clients act at once. A late client commits some ticks after its lease, perhaps
  // too late.
  for (let round = 0; (await test.store.nextDueInMs()) !== null; round += 1) {
    const progress = `${completed.size} of ${added.size} entries completed`;
    assert(round < MAX_ROUNDS, `not finished after ${MAX_ROUNDS} units: ${progress}`, 'C2');
    await Promise.all(clients.map(turn));
    await test.pass(1);
  }
  const found = [...completed.keys()].toSorted();
  assertEqual(found, [...added].toSorted(), 'entries completed, compared with entries added', 'C2');
  const twice = [...completed].filter(([, times]) => times !== 1);
  assertEqual(twice, [], 'entries not completed exactly once', 'C2');
}
