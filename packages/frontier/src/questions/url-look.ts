// What is known of one URL: the gate's answer and why its host waits. Changes nothing.

import type { FrontierContext } from '../flow/context.js';
import type { HostWait } from '../frontier-event.js';
import { authorityOf } from '../url/host-key.js';
import type { RobotsCopyRef } from '../work.js';
import { scanItems } from './queued.js';

/** What the gate and the clock say of a URL now. */
export interface UrlLook {
  readonly url: string;
  readonly host: string;
  readonly authority: string;
  readonly isKnown: boolean;
  readonly gate:
    | {
        readonly kind: 'allow' | 'deny';
        readonly reason: string;
        readonly line: number | null;
        readonly pattern: string | null;
        readonly dialect: string | null;
      }
    | {
        readonly kind: 'hold';
        readonly reason: 'robots-unknown' | 'robots-unreachable';
        readonly untilMs: number | null;
      };
  readonly robots: RobotsCopyRef | null;
  readonly wait: HostWait | null;
}

/**
 * Looks. `isKnown` is exact for what is queued and for what was met lately; a URL that was finished long ago may read
 * as not known, because the store has no verb that asks without adding.
 *
 * @param wait - Why its host waits; `null`: it does not.
 * @throws What the store throws.
 */
export async function lookAt(
  url: string,
  host: string,
  wait: HostWait | null,
  { gate, store, seen, clock }: FrontierContext,
): Promise<UrlLook> {
  const name = authorityOf(url) ?? '';
  const authority = await gate.load(name);
  const answer = gate.ask(authority, url, clock.nowMs());
  let isKnown = seen.isRecent(url);
  const look = ({ item }: Parameters<Parameters<typeof scanItems>[2]>[0]) => {
    isKnown = item.kind === 'page' && item.record.url === url;
    return !isKnown;
  };
  if (!isKnown) await scanItems(store, host, look);
  const known = { url, host, authority: name, isKnown, robots: gate.ref(authority), wait };
  switch (answer.kind) {
    case 'allow':
    case 'deny': {
      const { reason, line, pattern, dialect } = answer.decision;
      return { ...known, gate: { kind: answer.kind, reason, line, pattern, dialect } };
    }
    case 'hold':
      return { ...known, gate: { kind: 'hold', reason: 'robots-unreachable', untilMs: answer.untilMs } };
    case 'refused':
      return { ...known, gate: { kind: 'deny', reason: answer.reason, line: null, pattern: null, dialect: null } };
    default:
      return { ...known, gate: { kind: 'hold', reason: 'robots-unknown', untilMs: null } };
  }
}
