// FrontierStore: the storage contract, verb by verb, and what holds if a process dies in between. A store remembers and
// decides nothing: it never parses a URL, reads a robots file or computes a delay.
//
// Time. Only the store has an absolute clock. Every `…Ms` is a duration from the moment when the store runs the verb,
// never a time. Workers count a lease from before they request it, so their end of it comes before the store's.
//
// Fencing. The unit of leasing is the host queue. Each lease has a fencing token, and a commit with a different one
// changes nothing. If its holder vanishes, a host is due again at `lease end + delay`: no store needs to look for dead
// holders.
//
// Crashes. `capabilities.durable` says how the effects of a resolved verb survive. A verb that did not resolve may have
// happened or not, but never partially (per entry and per host). Pages are fetched at least once after a crash; links
// are added exactly once.
//
// Ownership. Neither side writes to bytes that were handed over (fingerprints, bodies, states, records). The letters
// and numbers (A1 … X4) name the invariants; `frontierStoreSuite` has tests for each.

/** The unit of politeness: a host name, a registrable domain or an address. Opaque to the store. */
export type HostKey = string;

/** Unique in its host queue, stable across crashes. Opaque, without blanks. */
export type EntryId = string;

/** Fencing token: decimal digits. Its number increases at every lease and every release of its host. */
export type FencingToken = string;

/** A URL to be queued. */
export interface NewEntry {
  readonly host: HostKey;
  /** The authority, if one host queue serves several (http and https, ports). Absent: the host's own lane. */
  readonly lane?: string;
  /** 8 bytes, a keyed hash of the canonical URL. */
  readonly fingerprint: Uint8Array;
  /** 0 … 7, 0 first. */
  readonly priority: number;
  /** Opaque: path, depth, origin, user data. At most `capabilities.maxBody` bytes. */
  readonly body: Uint8Array;
  /** Duration. The entry is not handed out earlier (recrawl, retry later). @default 0 */
  readonly notBeforeMs?: number;
  /** `false` queues the entry even if its fingerprint is known. @default true */
  readonly dedupe?: boolean;
}

/** `known`: seen before, not queued. `new`: queued. `full`: neither queued nor remembered. */
export type AddOutcome = 'known' | 'new' | 'full';

/** A URL handed out or listed. */
export interface Entry {
  readonly id: EntryId;
  readonly priority: number;
  readonly body: Uint8Array;
  /** How many times it was handed out before. */
  readonly attempt: number;
}

/** A fenced, time-limited right to send requests to a host, with some of its entries. */
export interface Lease {
  readonly host: HostKey;
  readonly fencingToken: FencingToken;
  /** The state of the last commit; `null`: there was none. */
  readonly state: Uint8Array | null;
  /** In flight from now on, by (priority, arrival); those of a vanished holder come first (L5). */
  readonly entries: Entry[];
  /** Entries of the host that are not in flight; may be an estimate. */
  readonly queued: number;
}

/** What to do with an entry in flight that is not finished. */
export interface Requeue {
  readonly id: EntryId;
  /** @default unchanged */
  readonly priority?: number;
  /** @default unchanged */
  readonly body?: Uint8Array;
  /** Duration. @default 0 */
  readonly notBeforeMs?: number;
}

/** An authority of a host that must wait while the others continue. */
export interface LaneBlock {
  readonly lane: string;
  /** Duration. Replaces an earlier block of the lane; 0 unblocks it. */
  readonly ms: number;
}

/** One host's part of a commit. Ids that are not in flight are ignored. */
export interface HostCommit {
  readonly host: HostKey;
  readonly fencingToken: FencingToken;
  /** Finished: they are never handed out again (C2). */
  readonly done?: readonly EntryId[];
  /** Return to the queue, behind entries of the same priority. */
  readonly requeue?: readonly Requeue[];
  /** Opaque, at most 1 KiB; absent: unchanged. */
  readonly state?: Uint8Array;
  /**
   * Duration, kept until replaced: added to the lease end if the holder dies.
   * @default unchanged, initially the lease's `delayMs`
   */
  readonly delayMs?: number;
  readonly blockLanes?: readonly LaneBlock[];
  /**
   * `keep`: the lease runs `ttlMs` from now under the same fencing token, and up to `want` more entries are handed out.
   * `release`: the lease ends, and entries still in flight go back in front of the queue. The host's next allowed time
   * is `dueInMs` from now. `null` parks the host until `wake`; its next allowed time is then `delayMs` from now.
   */
  readonly then:
    | { readonly keep: { readonly ttlMs: number; readonly want: number } }
    | { readonly release: { readonly dueInMs: number | null } };
}

/**
 * The answer for one host. `lost`: the fencing token is not the host's current one, and nothing changed (C1). Or the
 * store stopped waiting for the server of this host: `late` then says whether the commit took effect after all.
 */
export type HostCommitAnswer =
  | { readonly ok: true; readonly entries: Entry[] }
  | { readonly ok: false; readonly reason: 'lost'; readonly late?: Promise<boolean> };

/** The answer to a commit, in the order of its hosts and links. */
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
   * Duration. The minimum delay of the granted hosts until a commit sets another: a holder that dies before its first
   * commit may have sent a request (L4, O1).
   * @default 0
   */
  readonly delayMs?: number;
  /**
   * Only these hosts, if they are free and past their next allowed time. A named host is granted even if it is unknown
   * or has nothing queued: the lease is also the right to send a request that has no entry.
   */
  readonly hosts?: readonly HostKey[];
}

/** The crawl to open. */
export interface OpenRequest {
  /** Name of the crawl. A store that contains another crawl refuses it (O2). */
  readonly crawl: string;
  /** Whether to create the crawl if it does not exist. */
  readonly create: boolean;
}

/** What a store can do. */
export interface StoreCapabilities {
  /** Several processes may have the same crawl open. */
  readonly shared: boolean;
  /** What survives: `none`; `process`: a killed process; `power`: a power cut. */
  readonly durable: 'none' | 'process' | 'power';
  /** The most bytes of one body. */
  readonly maxBody: number;
  /** The most entries of one `add`, or links of one commit. */
  readonly maxBatch: number;
}

/** Counts. Flat cost. */
export interface StoreStats {
  /** Entries that are queued and not in flight. */
  readonly queued: number;
  readonly inFlight: number;
  /** Fingerprints. */
  readonly known: number;
  readonly hosts: number;
}

/** A host as another store needs it, without its entries. */
export interface ListedHost {
  readonly host: HostKey;
  readonly state: Uint8Array | null;
  readonly delayMs: number;
  /** Duration until its next allowed time; for a leased host, until its next allowed time if its holder vanishes. */
  readonly waitMs: number;
  readonly isParked: boolean;
}

/** One page of a listing. It may have fewer items than requested, even none. The last one has a `null` cursor. */
export interface Listing<Item> {
  readonly cursor: string | null;
  readonly items: Item[];
}

export type ScanListing = Listing<{
  readonly host: HostKey;
  readonly entry: Entry;
  /** Duration until it may be handed out. @default it may be handed out now */
  readonly waitMs?: number;
}>;

/** A page of records. */
export type RecordListing = Listing<{ readonly key: string; readonly value: Uint8Array }>;

/** What a store knows of one host. */
export interface StoredHost {
  /** The state of the last commit; `null`: there was none. */
  readonly state: Uint8Array | null;
  /** Entries that are not in flight. */
  readonly queued: number;
  readonly inFlight: number;
  readonly isLeased: boolean;
  readonly isParked: boolean;
  /**
   * Duration until it is due; for a leased host, until it is due if its holder vanishes. `null`: not in the time index.
   */
  readonly dueInMs: number | null;
}

/** One slot of `reserve`. */
export interface ReserveSlot {
  readonly key: string;
  /** Duration. */
  readonly delayMs: number;
}

/**
 * A store of frontiers. Every verb may be called concurrently. All reject with a `FrontierError`: `not-open`, `closed`,
 * `record-too-large` (a body, state, record or batch above its limit; nothing changed), `store-mismatch` (`open` only)
 * or `store-failed`.
 */
export interface FrontierStore {
  readonly capabilities: StoreCapabilities;
  /**
   * How many times the store may have forgotten what it had confirmed (a fail-over to a server that lagged behind).
   * When it increases, the store has added its latest links again, and the caller forgets which URLs it remembers as
   * known.
   * @default 0
   */
  readonly rollbacks?: number;

  /**
   * Opens or creates the crawl. Once, before any other verb. O1: a lease may end early only if its owner is proven
   * dead: it ends at the time of the proof, which is now or was earlier (`@mannerly/frontier/processes`), and its host
   * is due at that time + delay. A store that proves nothing lets leases expire. O2: a store of another crawl or format
   * version is refused, and the message has both names.
   */
  open(o: OpenRequest): Promise<void>;

  /**
   * Queues entries that are not known. Outcomes are in the order of the entries. A1: of all concurrent adds of one
   * fingerprint exactly one answers `new`, duplicates inside one batch included. A2: `new` and "it is queued" are
   * atomic: after a crash both hold or neither. A3: an idle host becomes due at max(now, its saved next time); a leased
   * or parked one is not made due. A4: cost O(batch).
   */
  add(entries: readonly NewEntry[]): Promise<AddOutcome[]>;

  /**
   * Grants due hosts, without waiting. An empty answer is not an error. L1: at most one live lease per host. L2: only
   * hosts whose time has passed, oldest first. L3: fencing tokens strictly increase. L4: in the same step the host is
   * indexed at now + ttl + delay. L5: entries in their order; ids and entries of a vanished holder are kept. L6:
   * concurrent callers get disjoint hosts and do not wait for each other. L7: no entry before its `notBeforeMs`; a host
   * whose entries all wait is due at the earliest of them. L8: blocked lanes are skipped in O(1).
   */
  lease(r: LeaseRequest): Promise<Lease[]>;

  /** Makes a parked host due at its saved next time. Any other host stays as it is (C6). */
  wake(host: HostKey): Promise<void>;

  /**
   * Reports on leased hosts and adds links, in one transaction. C1: wrong fencing token → `lost`, and nothing of the
   * host changes; links are added nevertheless. C2: done entries never return, entries not mentioned stay. C3: a
   * release indexes the host at now + `dueInMs` if anything is queued; otherwise it removes the host from the index and
   * keeps the next allowed time. C4: no wake-up is lost when an add races the release of an empty host. C5: never "page
   * done, links lost"; "links added, page not done" is possible; a link that is `full` is answered here. C6: only
   * `wake` brings a parked host back.
   */
  commit(hosts: readonly HostCommit[], links?: readonly NewEntry[]): Promise<CommitAnswer>;

  /**
   * N1: never later than the truth. 0: now. `null`: nothing waits at all; if no lease is live anywhere either, the
   * crawl is finished.
   */
  nextDueInMs(): Promise<number | null>;

  /**
   * For how long hosts have been due, milliseconds, longest first, at most `limit`. It may list too many hosts, never
   * too few. Changes nothing. `shardedStore` uses it to lease the oldest hosts of several stores.
   */
  overdueMs?(limit: number): Promise<number[]>;

  /**
   * A small record (access state, good copy of a robots.txt); `null`: absent.
   *
   * @param near - A host that the record belongs to, the same for every access. A store of several servers keeps both
   *   together, so that one is available if the other is. Keys are unique nevertheless.
   * @default the key
   */
  readRecord(key: string, near?: HostKey): Promise<Uint8Array | null>;

  /** R1: the last write wins, values are complete and survive a reopen. `null` removes. At most 1 MiB. */
  writeRecord(key: string, value: Uint8Array | null, near?: HostKey): Promise<void>;

  /**
   * Lists records whose keys begin with `prefix`, page by page, in any order. Listed keys have at most 100 characters.
   * R3: a record that does not change in the meantime is listed exactly once. The cost of a page is bounded by `limit`,
   * at most 10,000. A crawl in a store without this verb cannot be repeated.
   *
   * @param cursor - `null` at first, then the last page's.
   */
  listRecords?(prefix: string, cursor: string | null, limit: number): Promise<RecordListing>;

  /**
   * Spacing of anything but hosts (per address, per proxy, global). Returns the duration to wait, one per slot. R2:
   * atomically start = max(now, next[key]); next[key] = start + delay.
   */
  reserve?(slots: readonly ReserveSlot[]): Promise<number[]>;

  /** What is known of one host; `null`: the host is unknown. Changes nothing; flat cost. */
  readHost?(host: HostKey): Promise<StoredHost | null>;

  /** Whether an entry with this fingerprint was ever added for its host. Changes nothing; flat cost. */
  isKnown?(fingerprint: Uint8Array, host: HostKey): Promise<boolean>;

  stats(): Promise<StoreStats>;

  /**
   * Lists entries, in flight or queued, page by page. X2: the cost of a page is bounded by `limit`, at most 10,000. An
   * entry that changes during a scan may be missed or listed twice. Any other is listed exactly once.
   *
   * @param cursor - `null` at first, then the last page's.
   * @param host - Only this host's entries.
   */
  scan(cursor: string | null, limit: number, host?: HostKey): Promise<ScanListing>;

  /**
   * The clock of the store's server, epoch milliseconds; `null`: it has none. Only for the account of a crawl, which
   * compares the clocks of machines.
   */
  clockMs?(): Promise<number | null>;

  // Verbs for moving a crawl to another store. M1: in a crawl at rest, each fingerprint and each host is listed at
  // least once. A crawl cannot move out of a store without these verbs, or into a store without `know`.

  /** Lists known fingerprints, page by page; a page has about `limit` of them. */
  listKnown?(cursor: string | null, limit: number): Promise<Listing<Uint8Array>>;
  /** Lists all hosts, page by page. */
  listHosts?(cursor: string | null, limit: number): Promise<Listing<ListedHost>>;
  /** Makes fingerprints known, whatever their hosts; nothing is queued. At most `capabilities.maxBatch`. */
  know?(fingerprints: readonly Uint8Array[]): Promise<void>;

  /**
   * Removes the crawl with all its data in the store, and closes this client. D1: other crawls and data that is not the
   * store's do not change; other clients of the crawl fail; a later open finds no crawl. If it is interrupted, call it
   * again. A store without it leaves removal to its operator.
   */
  destroy?(): Promise<void>;

  /** Frees the memory of this client. Leases expire by themselves. A second call has no effect. */
  close(): Promise<void>;
}
