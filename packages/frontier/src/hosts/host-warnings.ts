// What the frontier tells its owner: final words that fall here, and what an operator should know of a host (access §12).
// Told once per occasion, from a bounded memory; what that has forgotten may be told again.

import type { Decision } from '@mannerly/robots';
import type { AccessState } from '@mannerly/robots/access';
import type { FrontierEvent, HostWarning, UrlVerdict } from '../frontier-event.js';
import type { ClockWarning } from '../politeness/host-clock.js';
import { createRecentSet } from '../recent-set.js';
import { recordOf } from '../records/record.js';
import type { Authority } from '../robots/authority-cache.js';
import { type AuthorityRules, excludedReason } from '../robots/authority-rules.js';
import type { ClosedTime } from '../robots/requirements.js';
import type { Exclusion } from '../robots/robots-gate.js';
import type { NewUrl, UrlRecord } from '../url-record.js';
import type { RobotsCopyRef } from '../work.js';
import { COMMENT_MAX_LINES, CRAWL_DELAY_LARGE_MS, MAX_REPORTED_WARNINGS, TOLD_URLS } from './limits.js';

/** Why a URL ends here: a decision of robots.txt, or a reason of the documented table. */
export type Ending =
  | { readonly word: 'excluded'; readonly decision: Decision }
  | { readonly word: 'excluded' | 'dropped' | 'failed'; readonly reason: string; readonly detail?: string };

/** A word about a URL before it has the frontier's stamp. */
interface Word {
  readonly word: UrlVerdict['status'];
  readonly reason: string;
  readonly decision: Decision | null;
  readonly robots: RobotsCopyRef | null;
  readonly detail?: string;
}

/** The frontier's voice. */
export interface HostWarnings {
  /** A queued URL ends here. */
  ended(record: UrlRecord, ending: Ending, robots: RobotsCopyRef): void;
  /** A URL that was not let in: excluded, told once per URL (`key`). */
  excluded(input: NewUrl, key: string, exclusion: Exclusion): void;
  /** A link that was not let in. */
  dropped(input: NewUrl, reason: string): void;
  clock(host: string, notices: readonly ClockWarning[]): void;
  closed(host: string, closed: ClosedTime): void;
  /** The end of a fetch of robots.txt; `said`: what came, in a word. */
  robots(host: string, authority: Authority, before: AccessState, rules: AuthorityRules | null, said: string): void;
}

/** @throws Never; what the listener throws passes through. */
export function createHostWarnings(
  onEvent: (event: FrontierEvent) => void,
  nowMs: () => number,
  crawlDelayMaxMs: number,
): HostWarnings {
  const toldUrls = createRecentSet(TOLD_URLS);
  const toldNotices = createRecentSet(MAX_REPORTED_WARNINGS);

  const url = (address: string, record: UrlRecord | null, { word, reason, decision, robots, detail }: Word) =>
    onEvent({
      kind: 'url',
      status: word,
      reason,
      url: address,
      record,
      line: decision?.line ?? null,
      pattern: decision?.pattern ?? null,
      dialect: decision?.dialect ?? null,
      robots,
      detail: detail ?? null,
      atMs: nowMs(),
    });
  const host = (notice: Omit<HostWarning, 'kind' | 'atMs'>) => onEvent({ kind: 'host', ...notice, atMs: nowMs() });

  return {
    ended(record, ending, robots) {
      const decision = 'decision' in ending ? ending.decision : null;
      const reason = 'decision' in ending ? excludedReason(ending.decision, robots.phase) : ending.reason;
      const detail = 'detail' in ending && ending.detail !== undefined ? { detail: ending.detail } : {};
      url(record.url, record, { word: ending.word, reason, decision, robots, ...detail });
    },
    excluded(input, key, { decision, robots }) {
      if (!toldUrls.add(key)) return;
      const word: Word = { word: 'excluded', reason: excludedReason(decision, robots.phase), decision, robots };
      url(input.url, recordOf(input, input.url), word);
    },
    dropped(input, reason) {
      url(input.url, recordOf(input, input.url), { word: 'dropped', reason, decision: null, robots: null });
    },
    clock(name, notices) {
      for (const { notice, untilMs, detail } of notices)
        host({ code: notice, host: name, authority: null, untilMs, detail });
    },
    closed(name, { reason, untilMs, authority }) {
      if (!toldNotices.add(`${reason} ${name} ${untilMs}`)) return;
      const notice = reason === 'visit-time' ? 'visit-time-closed' : 'request-rate-closed';
      host({ code: notice, host: name, authority, untilMs, detail: `closed until ${new Date(untilMs).toISOString()}` });
    },
    robots(name, authority, before, rules, said) {
      const told = { host: name, authority: authority.name };
      for (const notice of authority.access.notes)
        host({ code: notice, ...told, untilMs: null, detail: authority.access.phase });
      const { phase, retryAtMs, firstFailureMs, failures } = authority.access;
      if (failures > 0) {
        const silentS = Math.round((nowMs() - (firstFailureMs ?? nowMs())) / 1000);
        const detail = `attempt ${failures} failed (${said}), ${silentS} s since the first`;
        if (phase === 'last-good' && before.phase !== 'last-good')
          host({ code: 'robots-last-good-used', ...told, untilMs: null, detail });
        host({ code: 'robots-unreachable', ...told, untilMs: retryAtMs, detail });
        return;
      }
      host({ code: 'robots-read', ...told, untilMs: authority.access.freshUntilMs, detail: phase });
      if (rules === null) return;
      const content = authority.hash ?? '';
      const { fileDelayMs, comments } = rules;
      if (fileDelayMs !== null && fileDelayMs > CRAWL_DELAY_LARGE_MS && toldNotices.add(`delay ${name} ${content}`)) {
        const detail = `${fileDelayMs / 1000} s`;
        host({ code: 'crawl-delay-large', ...told, untilMs: null, detail });
        const cut = `${detail}, cut to ${crawlDelayMaxMs / 1000} s`;
        if (crawlDelayMaxMs < fileDelayMs) host({ code: 'crawl-delay-clamped', ...told, untilMs: null, detail: cut });
      }
      if (comments.length === 0 || !toldNotices.add(`comment ${name} ${content}`)) return;
      for (const detail of comments.slice(0, COMMENT_MAX_LINES))
        host({ code: 'comment', ...told, untilMs: null, detail });
    },
  };
}
