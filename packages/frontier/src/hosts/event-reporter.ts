// What the frontier reports to its owner: statuses of URLs that end here, and warnings about hosts (access §12). It
// reports each occasion once and remembers it in bounded memory; a forgotten occasion may be reported again.

import type { Decision } from '@mannerly/robots';
import type { AccessState, RobotsAnswer } from '@mannerly/robots/access';
import type { HostWarning, UrlVerdict } from '../frontier-event.js';
import type { ResolvedFrontierOptions } from '../options/options.js';
import type { ClockWarning } from '../politeness/host-clock.js';
import { createRecentSet } from '../recent-set.js';
import { recordOf } from '../records/record.js';
import type { Authority } from '../robots/authority-cache.js';
import { type AuthorityRules, type ClosedTime, excludedReason } from '../robots/authority-rules.js';
import type { Exclusion } from '../robots/robots-gate.js';
import type { NewUrl, UrlRecord } from '../url-record.js';
import type { RobotsCopyRef } from '../work.js';
import {
  LARGE_CRAWL_DELAY_MS,
  MAX_COMMENT_LINES,
  MAX_FAILURE_DETAIL_CHARS,
  REPORTED_URLS,
  REPORTED_WARNINGS,
} from './limits.js';

/** Why a URL ends here: a decision of robots.txt, or a reason from the documented table. */
export type Ending =
  | { readonly status: 'excluded'; readonly decision: Decision }
  | { readonly status: UrlVerdict['status']; readonly reason: string; readonly detail?: string };

/** The reason of an ending, and the line of robots.txt that decides it, if one does. `phase`: of the deciding copy. */
export function explainEnding(
  ending: Ending,
  phase: string | null,
): Pick<UrlVerdict, 'reason' | 'line' | 'pattern' | 'dialect'> {
  if (!('decision' in ending)) return { reason: ending.reason, line: null, pattern: null, dialect: null };
  const { line, pattern, dialect } = ending.decision;
  return { reason: excludedReason(ending.decision, phase), line, pattern, dialect };
}

/** What an operator reads about an answer for robots.txt. */
const NOTES: Readonly<Record<AccessState['notes'][number], string>> = {
  'robots-forbidden': 'robots.txt is answered with 401, 402 or 403',
  'robots-redirect-limit': 'robots.txt redirects too often',
  'robots-content-type': 'robots.txt is not text/plain, and is read anyway',
  'robots-html': 'robots.txt looks like an HTML page, and is read anyway',
};

/** Reports to `onEvent`. Exceptions that `onEvent` throws pass through. */
export class EventReporter {
  readonly #settings: Pick<ResolvedFrontierOptions, 'onEvent' | 'clock' | 'maxCrawlDelayMs'>;
  readonly #urls = createRecentSet(REPORTED_URLS);
  readonly #warnings = createRecentSet(REPORTED_WARNINGS);

  constructor(settings: ResolvedFrontierOptions) {
    this.#settings = settings;
  }

  /** Reports a URL that was excluded instead of queued, once per URL as it would be requested (`url`). */
  excluded(input: NewUrl, url: string, { decision, robots }: Exclusion): void {
    if (this.#urls.add(url)) this.ended(recordOf(input, input.url), { status: 'excluded', decision }, robots);
  }

  dropped(input: NewUrl, reason: string): void {
    this.ended(recordOf(input, input.url), { status: 'dropped', reason }, null);
  }

  ended(record: UrlRecord, ending: Ending, robots: RobotsCopyRef | null): void {
    const detail = 'detail' in ending ? (ending.detail ?? null) : null;
    const about = { status: ending.status, url: record.url, record, robots, detail };
    const atMs = this.#settings.clock.nowMs();
    this.#settings.onEvent({ kind: 'url', ...about, ...explainEnding(ending, robots?.phase ?? null), atMs });
  }

  /** Reports what an exchange revealed about its host. */
  clock(host: string, warnings: readonly ClockWarning[]): void {
    for (const warning of warnings) this.#warn({ host, authority: null, ...warning });
  }

  closed(host: string, { reason, untilMs, authority }: ClosedTime): void {
    if (!this.#warnings.add(`${reason} ${host} ${untilMs}`)) return;
    const code = reason === 'visit-time' ? 'visit-time-closed' : 'request-rate-closed';
    this.#warn({ code, host, authority, untilMs, detail: `closed until ${new Date(untilMs).toISOString()}` });
  }

  /** Reports the end of a fetch of robots.txt, with `answer`. */
  robots(host: string, authority: Authority, rules: AuthorityRules | null, answer: RobotsAnswer): void {
    const { notes, phase, retryAtMs, firstFailureMs, failures, freshUntilMs } = authority.access;
    const about = { host, authority: authority.name, untilMs: null };
    const { clock, maxCrawlDelayMs } = this.#settings;
    for (const code of notes) this.#warn({ code, ...about, detail: `${NOTES[code]} (${phase})` });
    if (failures > 0) {
      const nowMs = clock.nowMs();
      const elapsedS = Math.round((nowMs - (firstFailureMs ?? nowMs)) / 1000);
      const detail = `attempt ${failures} failed (${resultOf(answer)}), ${elapsedS} s since the first${detailOf(answer)}`;
      if (phase === 'last-good' && this.#warnings.add(`last-good ${authority.name} ${firstFailureMs}`))
        this.#warn({ code: 'robots-last-good-used', ...about, detail });
      this.#warn({ code: 'robots-unreachable', ...about, untilMs: retryAtMs, detail });
      return;
    }
    this.#warn({ code: 'robots-read', ...about, untilMs: freshUntilMs, detail: phase });
    if (rules === null) return;
    const content = authority.hash ?? '';
    const { crawlDelayMs: fileDelayMs, comments } = rules.file;
    if (fileDelayMs !== null && fileDelayMs > LARGE_CRAWL_DELAY_MS && this.#warnings.add(`delay ${host} ${content}`)) {
      const detail = `${fileDelayMs / 1000} s`;
      this.#warn({ code: 'crawl-delay-large', ...about, detail });
      const cut = `${detail}, cut to ${maxCrawlDelayMs / 1000} s`;
      if (maxCrawlDelayMs < fileDelayMs) this.#warn({ code: 'crawl-delay-clamped', ...about, detail: cut });
    }
    if (comments.length === 0 || !this.#warnings.add(`comment ${host} ${content}`)) return;
    for (const detail of comments.slice(0, MAX_COMMENT_LINES)) this.#warn({ code: 'comment', ...about, detail });
  }

  #warn(warning: Omit<HostWarning, 'kind' | 'atMs'>): void {
    this.#settings.onEvent({ kind: 'host', ...warning, atMs: this.#settings.clock.nowMs() });
  }
}

/** The result in one word: the failure code, or the status. */
function resultOf(answer: RobotsAnswer): string {
  if (answer.kind === 'failure') return answer.failure;
  return answer.kind === 'response' ? `status ${answer.status}` : answer.kind;
}

/** What the platform reported about a failure: which certificate, which name, which proxy. */
function detailOf(answer: RobotsAnswer): string {
  const detail = answer.kind === 'failure' ? (answer.detail ?? '') : '';
  return detail === '' ? '' : `: ${detail.slice(0, MAX_FAILURE_DETAIL_CHARS)}`;
}
