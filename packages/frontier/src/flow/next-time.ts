// The earliest time at which `take` may have something: of the hosts that are held, of those in the store, of requests of the
// owner's own, as far as bounds and the pace of the crawl let it.

import type { Clock } from '../clock.js';
import type { CrawlPace } from '../politeness/crawl-pace.js';
import type { Budget } from '../records/budget.js';
import type { FrontierStore } from '../store.js';
import type { Dispatch } from './dispatch.js';
import { GRANT_RETRY_MS } from './limits.js';
import type { OwnRequests } from './own-requests.js';

/** Who is asked. */
export interface NextInstantParts {
  readonly clock: Clock;
  readonly store: FrontierStore;
  readonly budget: Budget;
  readonly dispatch: Dispatch;
  readonly own: OwnRequests;
  readonly pace: CrawlPace;
}

/** Epoch milliseconds; `null` when nothing waits. Work in hand is not counted. Rejects with what the store throws. */
export async function nextInstant({
  clock,
  store,
  budget,
  dispatch,
  own,
  pace,
}: NextInstantParts): Promise<number | null> {
  await dispatch.settleDown();
  const ownAt = own.nextAtMs();
  if (budget.reached(clock.nowMs()) !== null) return ownAt;
  if (!budget.canReserve()) {
    if (!budget.isGrantedAway()) return ownAt;
    return Math.min(ownAt ?? Number.MAX_SAFE_INTEGER, clock.nowMs() + GRANT_RETRY_MS);
  }
  const heldAt = earlier(dispatch.earliestMs(), ownAt);
  const dueInMs = dispatch.hasRoom() ? await store.nextDueInMs() : null;
  if (dueInMs === 0) dispatch.mayBeDue();
  const dueAt = dueInMs === null ? null : clock.nowMs() + Math.ceil(dueInMs);
  if (heldAt === null && dueAt === null) {
    // With no room for another host others have theirs, and perhaps ours to give back.
    const isLeft = budget.othersAtWork() > 0 && (await store.nextDueInMs()) !== null;
    return isLeft ? clock.nowMs() + GRANT_RETRY_MS : null;
  }
  return Math.max(Math.min(heldAt ?? Number.MAX_SAFE_INTEGER, dueAt ?? Number.MAX_SAFE_INTEGER), pace.nextAtMs());
}

function earlier(one: number | null, other: number | null): number | null {
  if (one === null) return other;
  return other === null ? one : Math.min(one, other);
}
