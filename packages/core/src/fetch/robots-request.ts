// What an exchange for robots.txt means to the reader of robots.txt. Its own bounds stand in `egress.ts` and `limits.ts`.

import type { RobotsAnswer, RobotsFailure } from '@mannerly/robots/access';
import type { FailureCode, FetchOutcome, HeaderLines } from './outcome.js';

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
