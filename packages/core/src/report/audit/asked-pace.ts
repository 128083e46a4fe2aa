// What the files of a host's authorities asked for at a time in the way of spacing, and whether they had it closed: the
// longest of each counts (access 9).

import type { RobotsRules } from '@mannerly/robots';
import { rateInForce } from '@mannerly/robots/politeness';
import type { RunPromise } from '../run-line.js';
import type { PaceAsked } from './host-pace.js';
import { AUDIT_CLOSED_SLACK_MS } from './limits.js';

/** What was asked, and why no page was to be asked for; `null`: the host was open. */
export interface Asked extends PaceAsked {
  readonly closed: string | null;
}

/** What one file, or several, asked for. Never throws. */
export function askedBy(files: readonly RobotsRules[], atMs: number, run: RunPromise): Asked {
  let crawlDelayMs: number | null = null;
  let rateMs: number | null = null;
  let bucket: PaceAsked['bucket'] = null;
  let closed: string | null = null;
  const mostMs = (run.robots.crawlDelay?.maxSeconds ?? DAY_SECONDS) * 1_000;
  for (const rules of files) {
    const delayMs = rules.crawlDelayMs;
    if (delayMs !== null) crawlDelayMs = Math.max(crawlDelayMs ?? 0, Math.min(delayMs, mostMs));
    if (rules.requestRates.length === 0 && rules.visitWindows.length === 0) continue;
    const rate = rateInForce(rules.requestRates, atMs);
    const schedule = rules.schedule(atMs);
    const isBucket = rules.requestRateMode === 'bucket';
    if (isBucket && rate.kind === 'rate') {
      const one = { documents: rate.rate.documents, periodMs: rate.rate.periodSeconds * 1_000 };
      if (bucket === null || one.documents * bucket.periodMs < bucket.documents * one.periodMs) bucket = one;
    } else {
      const ofRate = rate.kind === 'rate' ? rate.intervalMs : null;
      const intervalMs = schedule.kind === 'open' ? schedule.intervalMs : ofRate;
      if (intervalMs !== null) rateMs = Math.max(rateMs ?? 0, intervalMs);
    }
    closed = closed ?? closedBy(rules, atMs, run);
  }
  return { crawlDelayMs, rateMs, bucket, closed };
}

const DAY_SECONDS = 86_400;

/** Closed for a while already: the last word was given a moment before the request left. */
function closedBy(rules: RobotsRules, atMs: number, run: RunPromise): string | null {
  const schedule = rules.schedule(atMs);
  const before = rules.schedule(atMs - AUDIT_CLOSED_SLACK_MS);
  if (schedule.kind === 'open' || before.kind === 'open') return null;
  if (schedule.reason === 'visit-time' && (run.robots.visitTime ?? 'hold') !== 'hold') return null;
  const word = schedule.reason === 'visit-time' ? 'Visit-time' : 'Request-rate';
  return `${word} had the host closed until ${new Date(schedule.untilMs).toISOString()}`;
}
