// The questions that a frontier answers, put together from its parts. None of them changes anything.

import type { Clock } from '../clock.js';
import type { Dispatch } from '../flow/dispatch.js';
import type { Leases } from '../flow/lease.js';
import type { Seen } from '../flow/seen.js';
import type { HostWait } from '../frontier-event.js';
import type { HostBounds } from '../hosts/host-bounds.js';
import type { Politeness } from '../politeness/profile.js';
import type { Budget } from '../records/budget.js';
import type { Waits } from '../records/waits.js';
import type { RobotsGate } from '../robots/robots-gate.js';
import type { FrontierStore } from '../store.js';
import { authorityOf } from '../url/host-key.js';
import type { UrlRecord } from '../url-record.js';
import { type HostLook, lookAtHost } from './host-look.js';
import { lookAt } from './look.js';
import { type ListRequest, listQueued, type QueueListing, queuedOf } from './queued.js';
import { type ReadyHost, readyHosts } from './ready-hosts.js';
import type { UrlLook } from './url-look.js';

/** What a frontier can be asked. */
export interface FrontierQuestions {
  /** Why hosts wait, the earliest first, parked ones last, at most `limit`. */
  waits(limit: number): HostWait[];
  /** Hosts whose turn has come, or whose work is in hand, at most `limit`: those of this process that do not wait. */
  ready(limit: number): ReadyHost[];
  /** The URLs queued for a host, in the store's order, at most `limit`. */
  queued(host: string, limit: number): Promise<UrlRecord[]>;
  /** A page of what is queued, in the store's order. */
  list(request?: ListRequest): Promise<QueueListing>;
  /** What is known of one URL, for `explain`. */
  look(url: string): Promise<UrlLook>;
  /** What is known of one host, by its name or any URL of it. */
  inspectHost(hostOrUrl: string): Promise<HostLook>;
}

/** Who is asked. */
export interface QuestionsParts {
  readonly store: FrontierStore;
  readonly clock: Clock;
  readonly politeness: Politeness;
  readonly gate: RobotsGate;
  readonly seen: Seen;
  readonly leases: Leases;
  readonly dispatch: Dispatch;
  readonly waits: Waits;
  readonly budget: Budget;
  readonly hostBounds: HostBounds;
  readonly hostOf: (url: string) => string | null;
  /** @throws FrontierError while the frontier is not open. */
  readonly checkOpen: () => void;
}

/** Answers the questions of one frontier. Never throws; its promises reject with what `checkOpen` and the store throw. */
export function createQuestions(parts: QuestionsParts): FrontierQuestions {
  const { store, clock, politeness, gate, seen, leases, dispatch, waits, budget, hostBounds, hostOf, checkOpen } =
    parts;
  return {
    waits(limit) {
      const nowMs = clock.nowMs();
      const held = [...leases.held.values()].flatMap((host) => dispatch.waitOf(host, nowMs) ?? []);
      return waits.list(limit, held, nowMs);
    },
    ready(limit) {
      const nowMs = clock.nowMs();
      return readyHosts(leases.held.values(), (host) => dispatch.waitOf(host, nowMs), limit);
    },
    async queued(host, limit) {
      checkOpen();
      return queuedOf(store, host, limit);
    },
    async look(url) {
      checkOpen();
      const host = hostOf(url) ?? '';
      const held = leases.held.get(host);
      const wait = held === undefined ? waits.get(host) : dispatch.waitOf(held, clock.nowMs());
      return lookAt(url, { store, gate, seen, host, authority: authorityOf(url) ?? '', wait, nowMs: clock.nowMs() });
    },
    async list(request = {}) {
      checkOpen();
      const { host } = request;
      const only = host === undefined ? {} : { host: hostOf(`http://${host}/`) ?? host };
      return listQueued(store, { ...request, ...only }, authorityOf);
    },
    async inspectHost(hostOrUrl) {
      checkOpen();
      const host = hostOf(hostOrUrl) ?? hostOf(`http://${hostOrUrl}/`) ?? hostOrUrl;
      const nowMs = clock.nowMs();
      const held = leases.held.get(host);
      const wait = held === undefined ? waits.get(host) : dispatch.waitOf(held, nowMs);
      const runningMs = budget.runningMs(nowMs);
      return lookAtHost(host, { store, gate, politeness, hostBounds, held, wait, runningMs, authorityOf, nowMs });
    },
  };
}
