// Four clients at once on one crawl, some of which vanish: one holder per host at any time, every entry completed
// once, nothing left behind (A1, L1, C2 under concurrency).

import type { FrontierStore, Lease } from '../store.js';
import { must, mustEqual } from './must.js';
import { type Choices, createChoices } from './seeded.js';
import type { StoreTrial } from './store-trial.js';
import type { SuiteOptions } from './suite-options.js';
import { nameOf, names, type Trial } from './trial.js';

const HOSTS = names('h', 12);
const SEEDS_PER_HOST = 6;
/** Links end here, so that the crawl does. */
const DEEPEST = 3;
const TTL_UNITS = 6;
const DELAY_UNITS = 1;
const ROUNDS_AT_MOST = 4_000;

/** The trial of concurrent clients. */
export function clientTrials({ seed = 1 }: SuiteOptions): StoreTrial[] {
  const invariants = ['A1', 'L1', 'C2'];
  return [
    {
      invariants,
      title: 'four clients complete everything once, one at a time per host',
      run: (trial) => crawl(trial, seed),
    },
  ];
}

interface Ledger {
  /** Completions of each entry, `host name`. */
  readonly completed: Map<string, number>;
  readonly added: Set<string>;
  /** Until when the last holder of a host may speak to it; absent once it gave it up. */
  readonly heldUntilMs: Map<string, number>;
  /** The fencingToken of the last lease of a host. */
  readonly fencingTokens: Map<string, string>;
}

interface Client {
  readonly store: FrontierStore;
  readonly choices: Choices;
  /** Leases to be committed later, or never. */
  readonly late: Lease[];
}

async function crawl(trial: Trial, seed: number): Promise<void> {
  const ledger: Ledger = { completed: new Map(), added: new Set(), heldUntilMs: new Map(), fencingTokens: new Map() };
  const seeds = HOSTS.flatMap((host) => names('s', SEEDS_PER_HOST).map((name) => trial.entry(host, name)));
  for (const one of seeds) ledger.added.add(`${one.host} ${new TextDecoder().decode(one.body)}`);
  await trial.store.add(seeds);
  const clients = (await trial.clients(4)).map(
    (store, at): Client => ({ store, choices: createChoices(seed * 16 + at), late: [] }),
  );
  // Between two ticks of the clock all clients act at once; a late one commits some ticks after it leased, perhaps too late.
  for (let round = 0; (await trial.store.nextDueInMs()) !== null; round += 1) {
    const progress = `${ledger.completed.size} of ${ledger.added.size} entries completed`;
    must(round < ROUNDS_AT_MOST, 'C2', `not finished after ${ROUNDS_AT_MOST} units: ${progress}`);
    await Promise.all(clients.map((client) => turn(trial, client, ledger)));
    await trial.pass(1);
  }
  const completed = [...ledger.completed.keys()].toSorted();
  mustEqual(completed, [...ledger.added].toSorted(), 'C2', 'entries completed beside entries added');
  const twice = [...ledger.completed].filter(([, times]) => times !== 1);
  mustEqual(twice, [], 'C2', 'entries not completed exactly once');
}

async function turn(trial: Trial, client: Client, ledger: Ledger): Promise<void> {
  const { store, choices, late } = client;
  if (late.length > 0 && choices.below(4) === 0) {
    const overdue = late.splice(0, late.length);
    for (const lease of overdue) await complete(trial, client, lease, ledger);
  }
  const beforeMs = trial.made.nowMs();
  const ttlMs = TTL_UNITS * trial.unit;
  const leases = await store.lease({ maxHosts: 1 + choices.below(2), entriesPerHost: 1 + choices.below(3), ttlMs });
  for (const { host, fencingToken } of leases) {
    const heldUntilMs = ledger.heldUntilMs.get(host) ?? Number.NEGATIVE_INFINITY;
    must(trial.made.nowMs() >= heldUntilMs, 'L1', `${host} was granted while another holder had it`);
    // Counted from before the request for the lease left: our end comes before the store's.
    ledger.heldUntilMs.set(host, beforeMs + ttlMs);
    ledger.fencingTokens.set(host, fencingToken);
  }
  for (const lease of leases) {
    if (choices.below(4) === 0) late.push(lease);
    else await complete(trial, client, lease, ledger);
  }
}

async function complete(trial: Trial, { store, choices }: Client, lease: Lease, ledger: Ledger): Promise<void> {
  const finished = lease.entries.filter(() => choices.below(5) > 0);
  const links = finished.flatMap((entry) => {
    const name = nameOf(entry);
    if (name.length >= DEEPEST + 1) return [];
    return [choices.of(HOSTS), choices.of(HOSTS)].map((host) => trial.entry(host, `${name}${choices.below(3)}`));
  });
  const done = finished.map(({ id }) => id);
  // Written before the commit: another client may complete a link before we hear of it.
  for (const link of links) ledger.added.add(`${link.host} ${new TextDecoder().decode(link.body)}`);
  const delayMs = DELAY_UNITS * trial.unit;
  const part = {
    host: lease.host,
    fencingToken: lease.fencingToken,
    done,
    delayMs,
    then: { release: { dueInMs: delayMs } },
  };
  // A late holder may be lost by now, and then the host is not its to give up.
  const isLive =
    trial.made.nowMs() < (ledger.heldUntilMs.get(lease.host) ?? 0) &&
    ledger.fencingTokens.get(lease.host) === lease.fencingToken;
  if (isLive) ledger.heldUntilMs.delete(lease.host);
  const { hosts } = await store.commit([part], links);
  must(hosts[0]?.ok === true || !isLive, 'C1', `the live holder of ${lease.host} was told it is lost`);
  if (hosts[0]?.ok !== true) return;
  for (const entry of finished) {
    const key = `${lease.host} ${nameOf(entry)}`;
    ledger.completed.set(key, (ledger.completed.get(key) ?? 0) + 1);
  }
}
