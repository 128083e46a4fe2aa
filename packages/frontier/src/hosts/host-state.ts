// The state that travels with a host's lease from holder to holder, at most 1 KiB: its clock, what it has served, and
// which of its authorities require spacing. Only the store has an absolute clock, so times are written as ages and
// waits, and the next holder converts them to times on its own clock.
//
// All of it is relative to the time before which no other process gets the host: when the host falls due after a
// release, or the delay after the end of a lease. If it is read later than that, a gap comes out longer than required,
// never shorter.

import { MAX_CRAWL_DELAY_MS, MAX_EPOCH_MS, MAX_HOST_STATE_BYTES, MAX_INTERVAL_MS } from '../limits.js';
import type { HostSettings } from '../options/host-settings.js';
import { type HostClock, newHostClock } from '../politeness/host-clock.js';
import { MAX_ADAPTIVE_MS, MAX_RETRY_AFTER_MS } from '../politeness/limits.js';
import { isText } from '../stored-value.js';

export interface HostUse {
  /** Pages that count against the bound. */
  readonly pages: number;
  /** Decoded bytes. */
  readonly bytes: number;
  /** The crawl's running time at its first request, milliseconds; `null` before it. */
  readonly firstRequestRunningMs: number | null;
  /** When the count began, epoch milliseconds: with the crawl (0), or with its latest recrawl. */
  readonly sinceMs: number;
}

/** What a host has used up since a count began: nothing if the stored values belong to an earlier count. */
export function usedSince(stored: HostUse, sinceMs: number): HostUse {
  return stored.sinceMs === sinceMs ? stored : { pages: 0, bytes: 0, firstRequestRunningMs: null, sinceMs };
}

/** The part of a host that outlives a lease. */
export interface HostState {
  readonly clock: HostClock;
  readonly used: HostUse;
  /** Authorities that require spacing, longest interval first. Their rules are read at every lease. */
  readonly spacingAuthorities: readonly string[];
  /** The longest Crawl-delay of the authorities that are not among `spacingAuthorities`, milliseconds; 0: none. */
  readonly minDelayMs: number;
  /** The authority whose robots.txt the last exchange was for; `null`: it was for something else. */
  readonly lastRobotsAuthority: string | null;
}

/** The state of a host that was never leased. */
export function newHostState(): HostState {
  const used = { pages: 0, bytes: 0, firstRequestRunningMs: null, sinceMs: 0 };
  return { clock: newHostClock(), used, spacingAuthorities: [], minDelayMs: 0, lastRobotsAuthority: null };
}

/**
 * Encodes the state as bytes, at most 1 KiB. Authorities that do not fit are left out.
 *
 * @param asOfMs - The time, on our clock, before which no other process can get the host: now, or when it falls due.
 */
export function encodeHostState(state: HostState, asOfMs: number): Uint8Array {
  const { clock, used } = state;
  const age = (atMs: number | null) => (atMs === null ? null : asOfMs - atMs);
  for (let count = state.spacingAuthorities.length; ; count -= 1) {
    const bytes = new TextEncoder().encode(
      JSON.stringify({
        v: 1,
        s: age(clock.lastStartMs),
        e: age(clock.lastEndMs),
        r: clock.lastRetrievalMs,
        a: clock.adaptiveMs,
        g: clock.goodInARow,
        t: clock.throttledInARow,
        f: clock.failedInARow,
        x: clock.refusedInARow,
        p: clock.pausedUntilMs === null ? null : Math.max(0, clock.pausedUntilMs - asOfMs),
        k: clock.parked,
        n: used.pages,
        b: used.bytes,
        q: used.firstRequestRunningMs,
        w: used.sinceMs,
        l: state.spacingAuthorities.slice(0, count),
        d: state.minDelayMs,
        o: state.lastRobotsAuthority,
      }),
    );
    if (bytes.length <= MAX_HOST_STATE_BYTES || count === 0) return bytes;
  }
}

/**
 * Decodes the state; `null` for bytes that this version did not write. A host that was parked no longer is: only an
 * operator's `wake` makes it leasable (storage contract, C6).
 *
 * @param nowMs - The time of the lease on our clock, read after the store answered: the later, the longer the gap.
 */
export function decodeHostState(bytes: Uint8Array, nowMs: number): HostState | null {
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = JSON.parse(new TextDecoder().decode(bytes)) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
  if (typeof fields !== 'object' || fields === null || fields['v'] !== 1) return null;
  // What a faulty clock or a damaged record says is bounded: a host waits no longer than a site can ask for.
  let isReadable = bytes.length <= MAX_HOST_STATE_BYTES;
  const number = (name: string, most: number): number | null => {
    const value = fields[name] ?? null;
    if (value !== null && typeof value !== 'number') isReadable = false;
    return typeof value === 'number' ? Math.min(Math.max(0, value), most) : null;
  };
  const count = (name: string, most = Number.MAX_SAFE_INTEGER) => number(name, most) ?? 0;
  const time = (name: string) => {
    const ageMs = number(name, MAX_EPOCH_MS);
    return ageMs === null ? null : nowMs - ageMs;
  };
  const pauseMs = number('p', MAX_RETRY_AFTER_MS);
  const authorities: unknown = fields['l'] ?? [];
  if (!Array.isArray(authorities) || !authorities.every(isText)) return null;
  const state: HostState = {
    clock: {
      lastStartMs: time('s'),
      lastEndMs: time('e'),
      lastRetrievalMs: number('r', MAX_INTERVAL_MS),
      adaptiveMs: count('a', MAX_ADAPTIVE_MS),
      goodInARow: count('g'),
      throttledInARow: count('t'),
      failedInARow: count('f'),
      refusedInARow: fields['k'] === true ? 0 : count('x'),
      pausedUntilMs: pauseMs === null ? null : nowMs + pauseMs,
      parked: false,
    },
    used: {
      pages: count('n'),
      bytes: count('b'),
      firstRequestRunningMs: number('q', MAX_EPOCH_MS),
      sinceMs: count('w'),
    },
    spacingAuthorities: authorities,
    minDelayMs: count('d', MAX_CRAWL_DELAY_MS),
    lastRobotsAuthority: isText(fields['o']) ? fields['o'] : null,
  };
  return isReadable ? state : null;
}

/** Which bound a host has used up: reasons from the documented table. */
export type HostBound = 'bound-host-pages' | 'bound-host-bytes' | 'bound-host-minutes';

/**
 * The bound that a host has used up, over restarts and processes; `null`: none.
 *
 * @param runningMs - The crawl's running time. @param isPage - `false`: for a request that uses up no page.
 */
export function reachedBound(
  { used, settings }: { readonly used: HostUse; readonly settings: Pick<HostSettings, 'limits'> },
  runningMs: number,
  isPage = true,
): HostBound | null {
  const { pagesPerHost, bytesPerHost, runningPerHostMs } = settings.limits;
  if (isPage && pagesPerHost !== null && used.pages >= pagesPerHost) return 'bound-host-pages';
  if (bytesPerHost !== null && used.bytes >= bytesPerHost) return 'bound-host-bytes';
  if (runningPerHostMs === null || used.firstRequestRunningMs === null) return null;
  return runningMs - used.firstRequestRunningMs >= runningPerHostMs ? 'bound-host-minutes' : null;
}
