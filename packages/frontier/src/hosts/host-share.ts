// How many hosts one of several processes leases. A leased host is requested by its holder alone, so a process that
// came first and leased all of them would leave the others idle. Pure.

import { HOST_SHARE_MARGIN } from './limits.js';

/**
 * Hosts that a process may lease: a little more than an equal share, so that a slow process does not delay many hosts.
 *
 * @param most - What it may lease alone.
 * @param hosts - Hosts that the crawl knows.
 * @param others - Other processes at work.
 * @returns 1 at least. Never throws.
 */
export function shareOf(most: number, hosts: number, others: number): number {
  if (others === 0) return most;
  return Math.min(most, Math.max(1, Math.ceil((HOST_SHARE_MARGIN * hosts) / (others + 1))));
}
