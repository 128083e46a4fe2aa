// The questions that a frontier answers, put together from its parts. None of them changes anything.

import type { FrontierContext } from '../flow/context.js';
import type { Scheduler } from '../flow/scheduler.js';
import type { HostWait } from '../frontier-event.js';
import { authorityOf, hostKeyOf } from '../url/host-key.js';
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
      return waits.list(
        limit,
        [...scheduler.hosts()].flatMap((host) => host.waitAt(nowMs) ?? []),
        nowMs,
      );
    },
    ready: (limit) => readyHosts(scheduler.hosts(), clock.nowMs(), limit),
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
      return listQueued(store, { ...request, ...only }, authorityOf);
    },
    async inspectHost(hostOrUrl) {
      checkOpen();
      const host = hostOf(hostOrUrl) ?? hostOf(`http://${hostOrUrl}/`) ?? hostOrUrl;
      return lookAtHost(host, scheduler.host(host), waitOf(host), context);
    },
  };
}
