// What an outcome means to the frontier: for its host's clock, and for the reader of robots.txt.

import type { Exchange } from '@mannerly/frontier';
import type { RobotsAnswer, RobotsFailure } from '@mannerly/robots/access';
import { type FailureCode, type FetchOutcome, type HeaderLines, headerValue } from './outcome.js';

/**
 * The facts of an outcome for the frontier's clock.
 *
 * A response that the peer cut short counts as `closed-early`: its host failed to deliver, whatever the status said.
 * One that our own cap cut is whole in this sense: the host did its part.
 *
 * Times are rounded up. Clocks show whole milliseconds and cut off the rest, so what ended at 7.9 reads 7; counted from
 * there, the next request would be up to a millisecond early.
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

const FAILURES: Readonly<Record<FailureCode, RobotsFailure>> = {
  dns: 'dns',
  refused: 'refused',
  'unreachable-network': 'refused',
  reset: 'reset',
  'closed-early': 'short-body',
  tls: 'tls',
  framing: 'framing',
  'headers-too-large': 'framing',
  'timeout-connect': 'timeout',
  'timeout-headers': 'timeout',
  'timeout-exchange': 'timeout',
  encoding: 'content-encoding',
  aborted: 'other',
  'address-forbidden': 'blocked',
  'port-forbidden': 'blocked',
  'scheme-unsupported': 'blocked',
  internal: 'other',
};

/**
 * The answer that an exchange gives to the state machine of an authority.
 *
 * A body that the network cut is never read in part, since the missing half may hold the Disallow lines: whatever its
 * status said, the exchange is a failure.
 * One that our own cap cut is a response: it holds more bytes than the reader reads, so that the reader sees the cut.
 *
 * @throws Never.
 * @see specification, access §2, §4
 */
export function toRobotsAnswer(outcome: FetchOutcome): RobotsAnswer {
  if (outcome.kind === 'failed') return { kind: 'failure', failure: FAILURES[outcome.failure] };
  if (outcome.truncated === 'connection') return { kind: 'failure', failure: 'short-body' };
  return {
    kind: 'response',
    status: outcome.status,
    headers: lookup(outcome.headers),
    body: outcome.body,
    robotsUrl: outcome.url,
    finalUrl: outcome.url,
  };
}

function lookup(fields: HeaderLines): Record<string, string> {
  const found: Record<string, string> = Object.create(null);
  for (const [name, value] of fields) {
    const key = name.toLowerCase();
    found[key] = found[key] === undefined ? value : `${found[key]}, ${value}`;
  }
  return found;
}
