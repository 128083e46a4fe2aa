// FrontierStore: the storage contract, verb by verb, with what holds when a process dies in between.
// A store knows verbs, not policy: it never parses a URL, reads a robots file or computes a delay.
//
// Time. Only the store owns an absolute clock. Every `…Ms` here is a duration from the moment the store runs the verb;
// never a time. Workers count a lease from before the request for it left, so that their end comes first.
//
// Fencing. The unit that is leased is the host queue. Each lease carries a fencing token; a commit with another one changes
// nothing. A holder that vanishes is a host that comes due later, at `lease end + delay`: there is nothing to reap.
//
// Crashes. A verb that resolved is kept as long as `capabilities.durable` says; one that did not may have happened or not, but
// never in part (per entry and per host). Fetching is at-least-once after a crash, adding exactly-once.
//
// Ownership. Bytes handed over (fingerprints, bodies, states, records) are not written to afterwards by either side.
// The letters and numbers (A1 … X4) name the invariants; `frontierStoreSuite` has a test for each.

/** The unit of politeness: a host name, a registrable domain or an address. Opaque to the store. */
export type HostKey = string;

/** Unique in its host queue, stable across crashes. Opaque, without blanks. */
export type EntryId = string;

/** Fencing token: decimal digits. As a number it grows at every lease and every release of its host. */
export type FencingToken = string;

/** A URL on its way into a host queue. */
export interface NewEntry {
  readonly host: HostKey;
  /** The authority, where one host queue serves several (http and https, ports). Absent: the host's own lane. */
  readonly lane?: string;
  /** `capabilities.fingerprintBytes` bytes, keyed hash of the canonical URL. */
  readonly fingerprint: Uint8Array;
  /** 0 … 7, 0 first. */
  readonly priority: number;
  /** Opaque: path, depth, origin, user data. At most `capabilities.maxBody` bytes. */
  readonly body: Uint8Array;
  /** Duration. Not handed out before it has passed (recrawl, retry later). @default 0 */
  readonly notBeforeMs?: number;
  /** `false` queues the entry although its fingerprint is known. @default true */
  readonly dedupe?: boolean;
}

/** `known`: seen before, not queued. `new`: queued. `full`: neither queued nor remembered. One byte each on the wire. */
export type AddOutcome = 'known' | 'new' | 'full';

/** A URL handed out or listed. */
export interface Entry {
  readonly id: EntryId;
  readonly priority: number;
  readonly body: Uint8Array;
  /** Times it was handed out before this one. */
  readonly attempt: number;
}

/** A fenced, time-limited right to talk to a host, with some of its entries in hand. */
export interface Lease {
  readonly host: HostKey;
  readonly fencingToken: FencingToken;
  /** Duration, as asked for. */
  readonly ttlMs: number;
  /** Duration until the host's next allowed time; 0 from a store that grants only what is due. */
  readonly notBeforeMs: number;
  /** What the last commit left, `null` before the first. */
  readonly state: Uint8Array | null;
  /** In hand from now on: by (priority, arrival), those of a vanished holder first (L5). */
  readonly entries: Entry[];
  /** Entries of the host that are not in hand. May be an estimate where `capabilities.exactCounts` is false. */
  readonly queued: number;
}

/** What to do with an entry in hand that is not finished. */
export interface Requeue {
  readonly id: EntryId;
  /** @default as before */
  readonly priority?: number;
  /** @default as before */
  readonly body?: Uint8Array;
  /** Duration. @default 0 */
  readonly notBeforeMs?: number;
}

/** An authority that must wait does not stand in front of the host's others. */
export interface LaneBlock {
  readonly lane: string;
  /** Duration, replacing an earlier hold of the lane; 0 opens it. */
  readonly ms: number;
}

/** One host's part of a commit. Ids that are not in hand are ignored. */
export interface HostCommit {
  readonly host: HostKey;
  readonly fencingToken: FencingToken;
  /** Finished: they never come back (C2). */
  readonly done?: readonly EntryId[];
  /** Out of hand and into the queue again, behind those of their priority. */
  readonly requeue?: readonly Requeue[];
  /** Opaque, at most 1 KiB; absent: as before. */
  readonly state?: Uint8Array;
  /** Duration, kept until replaced: added after the lease end if the holder dies. @default as before, at first the lease's `delayMs` */
  readonly delayMs?: number;
  readonly blockLanes?: readonly LaneBlock[];
  /**
   * `keep`: the lease runs `ttlMs` from now under the same epoch, and up to `want` more entries come into hand.
   * `release`: the lease ends, entries still in hand go back in front of the queue; the host's next allowed time is
   * `dueInMs` from now, or, when `null`, the host is parked until `wake` (its next allowed time is then `delayMs` from now).
   */
  readonly then:
    | { readonly keep: { readonly ttlMs: number; readonly want: number } }
    | { readonly release: { readonly dueInMs: number | null } };
}

/** What became of one host's part: `lost` when the fencing token is not the host's present one, and then nothing changed (C1). */
export type HostCommitAnswer =
  | { readonly ok: true; readonly entries: Entry[] }
  | { readonly ok: false; readonly reason: 'lost' };

/** What became of a commit, in the order of its hosts and links. */
export interface CommitAnswer {
  readonly hosts: HostCommitAnswer[];
  readonly links: AddOutcome[];
}

/** What to lease. */
export interface LeaseRequest {
  readonly maxHosts: number;
  readonly entriesPerHost: number;
  /** Duration. */
  readonly ttlMs: number;
  /**
   * Duration. The delay of the granted hosts is this at least, until a commit says another: a holder that dies before its
   * first commit may have sent a request (L4, O1). @default 0
   */
  readonly delayMs?: number;
  /**
   * Only these hosts, if free and past their next allowed time. A host asked for by name is granted with nothing queued
   * too, known or not: the lease is also the right to make a request that no entry stands for.
   */
  readonly hosts?: readonly HostKey[];
}

/** What is asked of `open`. */
export interface OpenRequest {
  /** Name of the crawl; a store that holds another one refuses (O2). */
  readonly crawl: string;
  /** Names this process, unique among those alive. */
  readonly owner: string;
  /** Whether an absent crawl is made; `false`: it must be there. */
  readonly create: boolean;
}

/** What a store can do. */
export interface StoreCapabilities {
  /** Several processes may hold the same crawl open. */
  readonly shared: boolean;
  /** What survives: `none`; `process`: a killed process; `power`: a power cut. */
  readonly durable: 'none' | 'process' | 'power';
  readonly exactCounts: boolean;
  /** Bytes of one body. */
  readonly maxBody: number;
  /** Entries of one `add`, or links of one commit. */
  readonly maxBatch: number;
  readonly fingerprintBytes: 8 | 16;
}

/** Counts; estimates where `capabilities.exactCounts` is false. Flat cost. */
export interface StoreStats {
  /** Entries queued and not in hand. */
  readonly queued: number;
  /** Entries in hand of a lease. */
  readonly inFlight: number;
  /** Fingerprints. */
  readonly known: number;
  readonly hosts: number;
  /** Hosts under a lease, one whose holder vanished included until it is leased again. */
  readonly leased: number;
  readonly parked: number;
}

/** One page of a scan. It may hold fewer items than asked for, none included; the end is a `null` cursor. */
export interface ScanListing {
  readonly cursor: string | null;
  readonly items: { readonly host: HostKey; readonly entry: Entry }[];
}

/** What a store knows of one host. */
export interface StoredHost {
  /** What the last commit left, `null` before the first. */
  readonly state: Uint8Array | null;
  /** Entries not in hand. */
  readonly queued: number;
  readonly inFlight: number;
  readonly isLeased: boolean;
  readonly isParked: boolean;
  /** Duration until it falls due, of a leased one until its holder would count as gone; `null`: it is not in the time index. */
  readonly dueInMs: number | null;
}

/** One slot of `reserve`. */
export interface ReserveSlot {
  readonly key: string;
  /** Duration. */
  readonly delayMs: number;
}

/**
 * A store of frontiers. Every verb may be called concurrently. All of them reject with a `FrontierError`: `not-open`,
 * `closed`, `record-too-large` (bodies, states, records and batches past their bound; nothing changed),
 * `store-mismatch` (`open` only) or `store-failed`.
 */
export interface FrontierStore {
  readonly capabilities: StoreCapabilities;

  /**
   * Opens or creates the crawl. Once, before any other verb.
   * O1: leases of owners that are provably dead end at the time of the proof, which is now or was earlier
   * (`@mannerly/frontier/processes`), and their hosts are due at that time + delay. O2: a store of another crawl, identity or
   * format version is refused by name.
   */
  open(o: OpenRequest): Promise<void>;

  /**
   * Queues what is not known. Outcomes in the order of the entries.
   * A1: of all concurrent adds of one fingerprint exactly one answers `new`, duplicates inside one batch included. A2: `new` and
   * "it is queued" are one atom: after a crash both hold or neither. A3: an idle host becomes due at max(now, its saved
   * next time); a leased or parked one is not made due. A4: cost O(batch).
   */
  add(entries: readonly NewEntry[]): Promise<AddOutcome[]>;

  /**
   * Grants hosts that are due, at once; an empty answer is no error.
   * L1: at most one live lease per host. L2: only hosts whose time has passed, oldest first. L3: fencingTokens strictly grow.
   * L4: in the same atom the host is indexed at now + ttl + delay. L5: order of entries; ids and entries of a vanished
   * holder are kept. L6: concurrent callers get disjoint hosts and do not wait for each other. L7: no entry before its
   * `notBeforeMs`; a host whose entries all wait is due at the earliest of them. L8: held lanes are skipped in O(1).
   */
  lease(r: LeaseRequest): Promise<Lease[]>;

  /** A parked host becomes due at its saved next time; any other host is left alone (C6). */
  wake(host: HostKey): Promise<void>;

  /**
   * Reports on leased hosts and adds links, in one transaction.
   * C1: wrong fencing token → `lost`, nothing of the host changes; links are still added: they are facts. C2: done entries never
   * return, entries not mentioned stay. C3: release indexes the host at now + `dueInMs` if anything is queued, else
   * forgets the index and keeps the next allowed time. C4: no wake-up is lost when an add races the release of an empty
   * host. C5: never "page done, links lost"; "links added, page not done" may be; a link answered `full` is reported
   * here. C6: a parked host comes back by `wake` and by nothing else.
   */
  commit(hosts: readonly HostCommit[], links?: readonly NewEntry[]): Promise<CommitAnswer>;

  /** N1: never later than the truth. 0: now. `null`: nothing waits at all; with no live lease anywhere the crawl is finished. */
  nextDueInMs(): Promise<number | null>;

  /** A small record beside the queue (access state, good copy of a robots.txt), `null` when absent. */
  readRecord(key: string): Promise<Uint8Array | null>;

  /** R1: the last write wins, whole values only, survives a reopen. `null` removes. At most 1 MiB. */
  writeRecord(key: string, value: Uint8Array | null): Promise<void>;

  /**
   * Spacing of what is no host (per address, per proxy, global). Answers the duration to wait, one per slot.
   * R2: atomically start = max(now, next[key]); next[key] = start + delay.
   */
  reserve?(slots: readonly ReserveSlot[]): Promise<number[]>;

  /** What is known of one host, for people who ask; `null` for one never met. Changes nothing; flat cost. */
  readHost?(host: HostKey): Promise<StoredHost | null>;

  stats(): Promise<StoreStats>;

  /**
   * Lists entries, in hand or queued, page by page. X2: the cost of a page is bounded by `limit`, at most 10,000.
   * What changes while a scan runs may be missed or seen twice; what does not is seen exactly once.
   *
   * @param cursor - `null` at first, then the last page's.
   * @param host - Only this host's.
   */
  scan(cursor: string | null, limit: number, host?: HostKey): Promise<ScanListing>;

  /** Gives up what this client holds in memory. Leases run out by themselves. The second call does nothing. */
  close(): Promise<void>;
}
