// The questions that a frontier answers. None of them changes anything.

import type { FrontierContext } from '../flow/context.js';
import type { Scheduler } from '../flow/scheduler.js';
import type { HostWait } from '../frontier-event.js';
import { hostKeyOf } from '../url/host-key.js';
import type { UrlRecord } from '../url-record.js';
import { type HostLook, lookAtHost } from './host-look.js';
import { type ListRequest, listQueued, type QueueListing, queuedOf } from './queued.js';
import { lookAt, type UrlLook } from './url-look.js';

/** A host that does not wait. */
export interface ReadyHost {
  readonly host: string;
  /** URLs queued for it. */
  readonly queued: number;
  /** Its work in flight: requested, being read, or with a handler. */
  readonly inFlight: number;
}

/** What a frontier can be asked. */
export interface FrontierQuestions {
  /** Why hosts wait, the earliest first, parked ones last, at most `limit`. */
  waits(limit: number): HostWait[];
  /** Hosts of this process that do not wait: they may be requested now or have work in flight. At most `limit`. */
  ready(limit: number): ReadyHost[];
  /** The URLs queued for a host, in the store's order, at most `limit`. */
  queued(host: string, limit: number): Promise<UrlRecord[]>;
  /** A listing of what is queued, in the store's order. */
  list(request?: ListRequest): Promise<QueueListing>;
  /** What is known of one URL, for `explain`. */
  look(url: string): Promise<UrlLook>;
  /** What is known of one host, by its name or any URL of it. */
  inspectHost(hostOrUrl: string): Promise<HostLook>;
}

/**
 * The answers of one frontier.
 *
 * @param checkOpen - Throws while the frontier is not open.
 * @throws Never; its promises reject with what `checkOpen` and the store throw.
 */
export function createQuestions(
  context: FrontierContext,
  scheduler: Scheduler,
  checkOpen: () => void,
): FrontierQuestions {
  const { store, clock, settings, waits } = context;
  const hostOf = (url: string) => hostKeyOf(url, settings.hostKeyBy);
  const waitOf = (host: string) => {
    const leased = scheduler.host(host);
    return leased === undefined ? waits.get(host) : leased.waitAt(clock.nowMs());
  };
  return {
    waits(limit) {
      const nowMs = clock.nowMs();
      const leased = [...scheduler.hosts()].flatMap((host) => host.waitAt(nowMs) ?? []);
      return waits.list(limit, leased);
    },
    ready(limit) {
      const nowMs = clock.nowMs();
      const found: ReadyHost[] = [];
      for (const host of scheduler.hosts()) {
        if (found.length >= limit) break;
        const { key, queued, unsettled: inFlight } = host;
        if (queued + inFlight > 0 && host.waitAt(nowMs) === null) found.push({ host: key, queued, inFlight });
      }
      return found;
    },
    async queued(host, limit) {
      checkOpen();
      return queuedOf(store, host, limit);
    },
    async look(url) {
      checkOpen();
      const host = hostOf(url) ?? '';
      return lookAt(url, host, waitOf(host), context);
    },
    async list(request = {}) {
      checkOpen();
      const { host } = request;
      const only = host === undefined ? {} : { host: hostOf(`http://${host}/`) ?? host };
      return listQueued(store, { ...request, ...only });
    },
    async inspectHost(hostOrUrl) {
      checkOpen();
      const host = hostOf(hostOrUrl) ?? hostOf(`http://${hostOrUrl}/`) ?? hostOrUrl;
      return lookAtHost(host, scheduler.host(host), waitOf(host), context);
    },
  };
}
