// The pauses that hosts required, and whether the crawl kept them: a Retry-After or a series of refusals closes a host,
// an unreachable robots.txt closes an authority until the file is requested again, a Visit-time closes pages.

import type { HostWarning } from '@mannerly/frontier';
import type { AuditedRequest } from '../audit/auditor.js';
import type { Pause } from '../audit/host-pace.js';
import { MAX_PAGE_PAUSES } from '../limits.js';

const CLOSED_BY: Readonly<Partial<Record<HostWarning['code'], string>>> = {
  'robots-unreachable': 'robots.txt could not be fetched',
  'visit-time-closed': 'Visit-time',
  'request-rate-closed': 'Request-rate allows none now',
  'host-parked': 'parked',
};

export interface ReportedPause extends Pause {
  readonly host: string;
  /** The next request that it restricted; `null` if none came. */
  readonly nextAtMs: number | null;
  readonly isObeyed: boolean;
}

interface OpenPause {
  readonly pause: ReportedPause;
  /** Whether a request is the first one after the pause. */
  readonly isEndedBy: (audited: AuditedRequest) => boolean;
}

export class Pauses {
  leftOut = 0;
  readonly #ended: ReportedPause[] = [];
  readonly #open = new Map<string, OpenPause[]>();
  #count = 0;

  /** Takes a request, in the order of ends, after the warnings that came before it. */
  request(audited: AuditedRequest): void {
    const { host, pause, record } = audited;
    const remaining = (this.#open.get(host) ?? []).filter(({ pause: each, isEndedBy }) => {
      if (record.startedAtMs < each.fromMs || !isEndedBy(audited)) return true;
      this.#ended.push({ ...each, nextAtMs: record.startedAtMs, isObeyed: record.startedAtMs >= each.untilMs });
      return false;
    });
    if (remaining.length === 0) this.#open.delete(host);
    else this.#open.set(host, remaining);
    if (pause !== null) this.#begin({ host, ...pause, nextAtMs: null, isObeyed: true }, () => true);
  }

  warning({ code, host, authority, atMs, untilMs, detail }: HostWarning): void {
    const closedBy = CLOSED_BY[code];
    if (closedBy === undefined || untilMs === null || untilMs <= atMs) return;
    const why = detail === '' ? closedBy : `${closedBy}: ${detail}`;
    this.#begin({ host, fromMs: atMs, untilMs, why, nextAtMs: null, isObeyed: true }, ({ record }) =>
      code === 'robots-unreachable' ? record.robotsAnswer?.authority === authority : record.purpose !== 'robots',
    );
  }

  /** All pauses in the order in which they began. */
  all(): readonly ReportedPause[] {
    const open = [...this.#open.values()].flat().map(({ pause }) => pause);
    return [...this.#ended, ...open].sort((a, b) => a.fromMs - b.fromMs);
  }

  #begin(pause: ReportedPause, isEndedBy: OpenPause['isEndedBy']): void {
    if (this.#count >= MAX_PAGE_PAUSES) {
      this.leftOut += 1;
      return;
    }
    this.#count += 1;
    this.#open.set(pause.host, [...(this.#open.get(pause.host) ?? []), { pause, isEndedBy }]);
  }
}
