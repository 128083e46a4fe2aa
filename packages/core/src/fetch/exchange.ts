// What the frontier wants to know of an exchange: when it began and ended, and what it says about the host.

import type { Exchange } from '@mannerly/frontier';
import { type FetchOutcome, headerValue } from './outcome.js';

/**
 * The facts of an outcome for the frontier's clock.
 *
 * A response that the peer cut short counts as `closed-early`: its host failed to deliver, whatever the status said.
 * One that our own cap cut is whole in this sense: the host did its part.
 *
 * Instants are rounded up. Clocks show whole milliseconds and cut off the rest, so what ended at 7.9 reads 7; counted from
 * there, the next request would be up to a millisecond early, and a server that stamps arrivals sees it.
 *
 * @throws Never.
 */
export function exchangeOf(outcome: FetchOutcome): Exchange {
  const startedAtMs = outcome.timing.startedAtMs + CUT_OFF_MS;
  const endedAtMs = outcome.timing.endedAtMs + CUT_OFF_MS;
  if (outcome.kind === 'failed') {
    return { startedAtMs, endedAtMs, status: null, retryAfter: null, failure: outcome.failure, bytes: 0 };
  }
  return {
    startedAtMs,
    endedAtMs,
    status: outcome.status,
    retryAfter: headerValue(outcome.headers, 'retry-after'),
    failure: outcome.truncated === 'connection' ? 'closed-early' : null,
    bytes: outcome.file?.bytes ?? outcome.body.length,
  };
}

/** What a clock of whole milliseconds may have cut off. */
const CUT_OFF_MS = 1;
