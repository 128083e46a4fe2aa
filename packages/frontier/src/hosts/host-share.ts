// How many hosts one of several processes holds: a host that is held is asked by its holder alone, so whoever came first and took
// all of them would leave the others idle. Pure.

import { HOST_SHARE_MARGIN } from './limits.js';

/**
 * Hosts that a process may hold.
 *
 * @param most - What it may hold alone.
 * @param hosts - Hosts that the crawl knows.
 * @param others - Other processes at work.
 * @returns A little more than an equal share, so that a slow process keeps nobody's hosts waiting; 1 at least.
 * @throws Never
 */
export function shareOf(most: number, hosts: number, others: number): number {
  if (others === 0) return most;
  return Math.min(most, Math.max(1, Math.ceil((HOST_SHARE_MARGIN * hosts) / (others + 1))));
}
