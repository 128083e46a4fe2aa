// The silences that hosts asked for, and whether they were kept: a Retry-After or a row of refusals closes a host, an answer
// that does not come closes an authority until its robots.txt is asked for again, a Visit-time closes pages.

import type { HostWarning } from '@mannerly/frontier';
import type { JudgedRequest } from '../audit/auditor.js';
import { MAX_PAGE_PAUSES } from './limits.js';
import type { ReportedPause } from './report-data.js';

/** Gathers silences. */
export interface Pauses {
  /** A request, in the order of ends, after the warnings that came before it. */
  request(judged: JudgedRequest): void;
  warning(warning: HostWarning): void;
  read(): { readonly pauses: readonly ReportedPause[]; readonly leftOut: number };
}

interface Open {
  readonly pause: ReportedPause;
  readonly ends: (judged: JudgedRequest) => boolean;
}

const HOLDS: Readonly<Record<string, string>> = {
  'robots-unreachable': 'robots.txt could not be had',
  'visit-time-closed': 'Visit-time',
  'request-rate-closed': 'Request-rate allows none now',
  'host-parked': 'set aside',
};

/** Makes an empty gathering. Never throws. */
export function createPauses(): Pauses {
  const done: ReportedPause[] = [];
  const open = new Map<string, Open[]>();
  let leftOut = 0;
  let openCount = 0;

  const begin = (host: string, each: Open): void => {
    if (done.length + openCount >= MAX_PAGE_PAUSES) {
      leftOut += 1;
      return;
    }
    openCount += 1;
    open.set(host, [...(open.get(host) ?? []), each]);
  };

  return {
    request(judged) {
      const waiting = open.get(judged.host);
      if (waiting !== undefined) {
        const { startedAtMs } = judged.record;
        const still = waiting.filter(({ pause, ends }) => {
          if (startedAtMs < pause.fromMs || !ends(judged)) return true;
          done.push({ ...pause, nextAtMs: startedAtMs, isObeyed: startedAtMs >= pause.untilMs });
          openCount -= 1;
          return false;
        });
        if (still.length === 0) open.delete(judged.host);
        else open.set(judged.host, still);
      }
      const { pause, host } = judged;
      if (pause !== null) begin(host, { pause: { host, ...pause, nextAtMs: null, isObeyed: true }, ends: () => true });
    },
    warning({ code, host, authority, atMs, untilMs, detail }) {
      const word = HOLDS[code];
      if (word === undefined || untilMs === null || untilMs <= atMs) return;
      const why = detail === '' ? word : `${word}: ${detail}`;
      const pause: ReportedPause = { host, fromMs: atMs, untilMs, why, nextAtMs: null, isObeyed: true };
      const isRobots = code === 'robots-unreachable';
      begin(host, {
        pause,
        ends: ({ record }) => (isRobots ? record.robotsAnswer?.authority === authority : record.purpose !== 'robots'),
      });
    },
    read() {
      const all = [...done, ...[...open.values()].flat().map(({ pause }) => pause)];
      return { pauses: all.sort((a, b) => a.fromMs - b.fromMs), leftOut };
    },
  };
}
