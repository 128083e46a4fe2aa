// Moves a crawl at rest from one store to another, through the verbs of both: known fingerprints, hosts with their
// clocks, entries, records. If it is interrupted, call it again and it adds what is missing. During and after the move,
// a record keeps processes from opening the crawl where it is incomplete or would be crawled twice.

import type { Clock } from '../clock.js';
import { FrontierError } from '../errors.js';
import { hostOfRecord, LOCK_HOST } from '../records/processes.js';
import { itemOf } from '../records/record.js';
import type { FrontierStore, ListedHost, NewEntry, ScanListing } from '../store.js';
import { authorityOf, type HostKeyBy, hostKeyOf } from '../url/url.js';

export interface MovedCounts {
  readonly known: number;
  readonly hosts: number;
  readonly entries: number;
}

/** A move. Both stores are open and belong to the caller. */
export interface MoveOptions {
  readonly from: FrontierStore;
  readonly to: FrontierStore;
  /** The crawl's `hostKeyBy`. */
  readonly hostKeyBy: HostKeyBy;
  /** What the crawl's hosts share. `crawlIntervalMs`: between any two requests, `null`: no limit. */
  readonly shared: { readonly perIp: boolean | 'domain'; readonly crawlIntervalMs: number | null };
  /** Called from time to time. */
  readonly onProgress?: (moved: MovedCounts) => void;
  readonly clock: Pick<Clock, 'after'>;
}

/** The record that says, with the crawl's secret, where the crawl is. Absent: the crawl is here. */
const RECORD_MOVED = 'moved';
const SECRET_KEY = 'fingerprint-secret';
/** The number of hosts, entries or records handled at a time. */
const BATCH_SIZE = 250;
const KNOWN_BATCH_SIZE = 1_000;
/** Milliseconds for which a host is leased while its clock is set. */
const LEASE_MS = 30_000;
const RETRY_MS = 1_000;
/** If addresses are spaced by domain, a longer pause delays only the hosts of its own domain. */
const LONG_PAUSE_MS = 60_000;
/** The most domains with such a pause. Pauses of further domains delay all hosts. */
const MAX_LONG_PAUSES = 16_384;
/** How many times to check whether a host that an interrupted move leased is free: longer than the lease. */
const MAX_LEASE_RETRIES = 90;

/** `leaving`, `moved`: in the old store. `arriving`: in the new store, until everything is there. */
function stateOfMove(state: 'leaving' | 'arriving' | 'moved', secret: string): string {
  return `${state} ${secret}`;
}

/** @throws FrontierError (rejects) `store-mismatch` if the crawl is elsewhere, or not yet completely here. */
export async function refuseMoved(store: Pick<FrontierStore, 'readRecord'>): Promise<void> {
  const text = decoded(await store.readRecord(RECORD_MOVED));
  if (text === '') return;
  const isMoved = text.startsWith('moved ');
  const message = isMoved ? 'the crawl was moved to another store' : 'the crawl is being moved to another store';
  const hint = isMoved ? 'Name the store that it was moved to.' : 'End the move first: the same mannerly move again.';
  throw new FrontierError('store-mismatch', message, { hint });
}

/** Whether a move finds the verbs it needs. @throws FrontierError `option-invalid` */
export function checkMovable(from: FrontierStore, to: FrontierStore): void {
  if (!from.listKnown || !from.listHosts || !from.listRecords || !to?.know)
    throw new FrontierError('option-invalid', 'one of the two stores cannot export or import a crawl');
}

/**
 * Moves the crawl, between stores that `checkMovable` has accepted. It skips what it has moved already; called again
 * after its end, it does nothing.
 *
 * @throws FrontierError `store-mismatch` if the target contains another crawl; `store-failed`, also if less has arrived
 *   than was there.
 */
export async function moveCrawl(options: MoveOptions): Promise<MovedCounts> {
  const { from, to } = options;
  const secret = decoded(await from.readRecord(SECRET_KEY));
  const isResumed = await begin(options, secret);
  const moved = { known: 0, hosts: 0, entries: 0 };
  if (isResumed === null) return moved;
  const reportProgress = (): void => options.onProgress?.({ ...moved });

  let anyFingerprint = new Uint8Array(8);
  await moveKnown(options, (fingerprints) => {
    if (fingerprints[0] !== undefined) anyFingerprint = new Uint8Array(fingerprints[0]);
    moved.known += fingerprints.length;
    reportProgress();
  });
  const waitOf = await sharedWaits(options, (cursor) => from.listHosts!(cursor, BATCH_SIZE));
  for await (const page of pages((cursor) => from.listHosts!(cursor, BATCH_SIZE))) {
    const hosts = page.filter(({ host }) => host !== LOCK_HOST);
    await setClocks(options, hosts, waitOf);
    moved.hosts += hosts.length;
    reportProgress();
  }
  const hasArrived = isResumed ? createArrivalCheck(to) : async () => false;
  for await (const page of pages((cursor) => from.scan(cursor, BATCH_SIZE))) {
    const missing: NewEntry[] = [];
    for (const item of page) if (!(await hasArrived(item))) missing.push(entryOf(item, anyFingerprint));
    const outcomes = missing.length === 0 ? [] : await to.add(missing);
    if (outcomes.includes('full'))
      throw new FrontierError('store-failed', 'the target takes no more entries', { hint: 'Raise its `maxQueued`.' });
    moved.entries += page.length;
    reportProgress();
  }
  for await (const page of pages((cursor) => from.listRecords!('', cursor, BATCH_SIZE))) {
    for (const { key, value } of page) {
      if (key !== RECORD_MOVED) await to.writeRecord(key, value, hostOfRecord(key, options.hostKeyBy));
    }
  }
  await checkComplete(options);
  // A source of several shards may list a fingerprint once for each of them.
  moved.known = Math.min(moved.known, (await to.stats()).known);
  // In this order: a crash in between leaves both stores closed, and the next call completes the move.
  await from.writeRecord(RECORD_MOVED, encode(stateOfMove('moved', secret)));
  await to.writeRecord(RECORD_MOVED, null);
  return moved;
}

/** Closes both stores to processes. @returns Whether the move had begun before; `null`: it had ended. */
async function begin({ from, to }: MoveOptions, secret: string): Promise<boolean | null> {
  const arriving = stateOfMove('arriving', secret);
  const targetState = decoded(await to.readRecord(RECORD_MOVED));
  if (targetState !== arriving) {
    const { known, queued } = await to.stats();
    const targetSecret = decoded(await to.readRecord(SECRET_KEY));
    const hasEnded = decoded(await from.readRecord(RECORD_MOVED)) === stateOfMove('moved', secret);
    if (hasEnded && targetSecret === secret && targetState === '') return null;
    if (targetState === stateOfMove('moved', secret))
      throw new FrontierError('store-mismatch', 'the target holds the remains of this crawl, which was moved away', {
        hint: 'Remove that first: the folder `frontier` of a crawl directory, or on a server by mannerly delete.',
      });
    if (known > 0 || queued > 0 || targetSecret !== '' || targetState !== '')
      throw new FrontierError('store-mismatch', 'the target holds another crawl already', {
        hint: 'Take another ?crawl=<name>, or remove that one first: mannerly delete.',
      });
    await to.writeRecord(RECORD_MOVED, encode(arriving));
  }
  await from.writeRecord(RECORD_MOVED, encode(stateOfMove('leaving', secret)));
  return targetState === arriving;
}

/**
 * How long each host waits for what it shares with others (an address, the crawl's pace), because the last shared
 * request is not known: as long as any host that may share it still pauses, or for its own pause if that is longer.
 */
async function sharedWaits(
  { shared: { perIp, crawlIntervalMs } }: MoveOptions,
  list: Parameters<typeof pages<ListedHost>>[0],
): Promise<(host: ListedHost) => number> {
  let waitOfAll = crawlIntervalMs ?? 0;
  if (perIp === false) return () => waitOfAll;
  const waitsByDomain = new Map<string, number>();
  const domainOf = (host: string): string => hostKeyOf(`http://${host}`, 'domain') ?? host;
  for await (const page of pages(list)) {
    for (const { host, delayMs, waitMs } of page) {
      const pauseMs = Math.min(delayMs, waitMs);
      if (perIp === 'domain' && pauseMs > LONG_PAUSE_MS && waitsByDomain.size < MAX_LONG_PAUSES) {
        const domain = domainOf(host);
        waitsByDomain.set(domain, Math.max(pauseMs, waitsByDomain.get(domain) ?? 0));
      } else waitOfAll = Math.max(waitOfAll, pauseMs);
    }
  }
  return ({ host, delayMs }) => Math.max(delayMs, waitOfAll, waitsByDomain.get(domainOf(host)) ?? 0);
}

/** Sets the clocks of hosts before anything is queued: no process gets them earlier than from the old store. */
async function setClocks(
  { to, clock }: MoveOptions,
  listed: readonly ListedHost[],
  waitOf: (host: ListedHost) => number,
): Promise<void> {
  let remaining = listed;
  for (let attempts = 0; remaining.length > 0; attempts += 1) {
    const request = {
      maxHosts: remaining.length,
      entriesPerHost: 1,
      ttlMs: LEASE_MS,
      hosts: remaining.map(({ host }) => host),
    };
    const leases = new Map((await to.lease(request)).map((lease) => [lease.host, lease.fencingToken]));
    const commits = remaining.flatMap((listedHost) => {
      const { host, state, delayMs, waitMs, isParked } = listedHost;
      const fencingToken = leases.get(host);
      if (fencingToken === undefined) return [];
      const then = { release: { dueInMs: isParked ? null : Math.max(waitMs, waitOf(listedHost)) } };
      return [{ host, fencingToken, delayMs, ...(state === null ? {} : { state }), then }];
    });
    if (commits.length > 0) await to.commit(commits);
    // Waiting hosts have their clocks already, except those that an interrupted move has leased.
    const others = remaining.filter(({ host }) => !leases.has(host));
    const stored = await Promise.all(others.map(({ host }) => to.readHost?.(host) ?? null));
    remaining = others.filter((_, at) => stored[at]?.isLeased === true);
    if (remaining.length > 0 && attempts >= MAX_LEASE_RETRIES)
      throw new FrontierError('store-failed', 'a process works on the crawl in the target');
    if (remaining.length > 0) await new Promise<void>((resolve) => void clock.after(RETRY_MS, resolve));
  }
}

/** Tells which entries an interrupted move has already moved, each once. Entries are listed host by host. */
function createArrivalCheck(to: FrontierStore): (item: ScanListing['items'][number]) => Promise<boolean> {
  let currentHost: string | null = null;
  let counts = new Map<string, number>();
  return async ({ host, entry }) => {
    if (host !== currentHost) {
      currentHost = host;
      counts = new Map();
      for await (const page of pages((cursor) => to.scan(cursor, BATCH_SIZE, host)))
        for (const { entry: arrived } of page) counts.set(keyOf(arrived), (counts.get(keyOf(arrived)) ?? 0) + 1);
    }
    const remaining = counts.get(keyOf(entry)) ?? 0;
    if (remaining > 0) counts.set(keyOf(entry), remaining - 1);
    return remaining > 0;
  };
}

function keyOf({ priority, body }: { readonly priority: number; readonly body: Uint8Array }): string {
  return `${priority} ${new TextDecoder().decode(body)}`;
}

/** @param known - Any known fingerprint: the entry's own is among those that were moved. */
function entryOf({ host, entry, waitMs }: ScanListing['items'][number], known: Uint8Array): NewEntry {
  const { priority, body } = entry;
  const item = itemOf(host, entry);
  const lane = item.kind === 'hop' ? `robots.txt of ${item.authority}` : (authorityOf(item.record.url) ?? undefined);
  const more = { ...(lane === undefined ? {} : { lane }), ...(waitMs === undefined ? {} : { notBeforeMs: waitMs }) };
  return { host, fingerprint: known, priority, body, dedupe: false, ...more };
}

/** @throws FrontierError `store-failed` if anything is missing. */
async function checkComplete({ from, to }: MoveOptions): Promise<void> {
  const [source, target] = [await from.stats(), await to.stats()];
  const entriesOf = ({ queued, inFlight }: typeof source): number => queued + inFlight;
  if (entriesOf(source) === entriesOf(target) && target.known >= source.known) return;
  const text = (counts: typeof source): string => `${counts.known} URLs known and ${entriesOf(counts)} queued`;
  throw new FrontierError('store-failed', `only ${text(target)} of ${text(source)} have arrived`, {
    hint: 'Is a process working on one of the two? Call it again when none is.',
  });
}

/** Makes the fingerprints of the source known in the target. With several shards, each then knows all of them. */
async function moveKnown(
  { from, to }: MoveOptions,
  onMoved: (fingerprints: readonly Uint8Array[]) => void,
): Promise<void> {
  const batch = Math.min(KNOWN_BATCH_SIZE, to.capabilities.maxBatch);
  for await (const page of pages((cursor) => from.listKnown!(cursor, KNOWN_BATCH_SIZE))) {
    for (let at = 0; at < page.length; at += batch) await to.know!(page.slice(at, at + batch));
    onMoved(page);
  }
}

async function* pages<Item>(
  list: (cursor: string | null) => Promise<{ readonly cursor: string | null; readonly items: readonly Item[] }>,
): AsyncGenerator<readonly Item[]> {
  let cursor: string | null = null;
  do {
    const page = await list(cursor);
    yield page.items;
    cursor = page.cursor;
  } while (cursor !== null);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decoded(bytes: Uint8Array | null): string {
  return bytes === null ? '' : new TextDecoder().decode(bytes);
}
