// The facts of the crawl in the form of the decision log. Pure.

import type { HostWait, NewUrl, PageWork, UrlRecord, UrlVerdict } from '@mannerly/frontier';
import type { Refusal } from '../admit/admit.js';
import type { LeftAloneLink } from '../handle/staged.js';
import type { NotFetched } from '../page/own-fetch.js';
import type { UrlDecision } from '../report/decision.js';
import { REASONS } from '../report/reasons.js';

/** The decision about a page that was taken. */
export interface PageOutcome extends Pick<UrlDecision, 'status' | 'reason' | 'layer' | 'queued'> {
  readonly httpStatus?: number;
  readonly detail?: string;
}

/** A page that was taken. */
export function fromPage({ url, record, decision, robots }: PageWork, outcome: PageOutcome, atMs: number): UrlDecision {
  const { line, pattern, dialect } = decision;
  const { depth, from } = record;
  const { status, reason, layer, httpStatus = null, detail = null, queued } = outcome;
  const known = { url, status, reason, layer, httpStatus, line, pattern, dialect, robots, depth, from, atMs, detail };
  return decided(queued === undefined ? known : { ...known, queued }, record);
}

/** A URL that is dropped before anything is requested. */
export function fromDrop(
  { url, depth, from = null }: Pick<NewUrl, 'url' | 'depth'> & { readonly from?: string | null },
  reason: string,
  layer: UrlDecision['layer'],
  atMs: number,
): UrlDecision {
  return decided({ url, status: 'dropped', reason, layer, depth, from, atMs });
}

/** A candidate that was not admitted. */
export function fromRefusal({ candidate, reason, detail }: Refusal, atMs: number): UrlDecision {
  return { ...fromDrop(candidate, reason, DROPPING_LAYERS[reason] ?? 'scope', atMs), detail: detail ?? null };
}

/** Which layer drops for a reason; `undefined`: the one that reports it. */
const DROPPING_LAYERS: Readonly<Record<string, UrlDecision['layer'] | undefined>> = {
  trap: 'scope',
  'out-of-scope': 'scope',
  'scope-excluded': 'scope',
  'hook-refused': 'hook',
  'bound-depth': 'bounds',
  'redirect-limit': 'bounds',
};

/** A link that its page does not want followed. */
export function fromLeftAlone({ url: from, record }: PageWork, link: LeftAloneLink, atMs: number): UrlDecision {
  const { url, reason } = link;
  return decided({ url, status: 'excluded', reason, layer: 'page', depth: record.depth + 1, from, atMs });
}

/** What a page in a browser requested and did not get. */
export function fromSubresource({ url: from, record }: PageWork, left: NotFetched, atMs: number): UrlDecision {
  const { kind: status, url, reason } = left;
  const { layer } = REASONS[reason as keyof typeof REASONS] ?? { layer: 'frontier' };
  const { line, pattern, dialect } = left.kind === 'excluded' ? left : NO_RULE;
  const detail = 'asked for by a page in a browser';
  return decided({ url, status, reason, layer, line, pattern, dialect, depth: record.depth, from, atMs, detail });
}

/** A URL that is still queued at the end of a run. */
export function fromHeld(record: UrlRecord, { host, reason, untilMs }: HostWait, atMs: number): UrlDecision {
  return {
    ...fromDrop(record, reason, reason === 'robots-unreachable' ? 'robots' : 'frontier', atMs),
    status: 'held',
    detail: untilMs === null ? null : `until ${new Date(untilMs).toISOString()}`,
    clock: { host, startedAtMs: null, gapMs: null, crawlDelayMs: null, requestIntervalMs: null, untilMs },
  };
}

/** A decision of the frontier. */
export function fromVerdict(verdict: UrlVerdict): UrlDecision {
  const { url, status, reason, line, pattern, dialect, robots, record, atMs, detail } = verdict;
  const { depth = null, from = null } = record ?? {};
  const layer = status === 'excluded' ? 'robots' : (DROPPING_LAYERS[reason] ?? 'frontier');
  return decided({ url, status, reason, layer, line, pattern, dialect, robots, depth, from, atMs, detail }, record);
}

const NO_RULE = { line: null, pattern: null, dialect: null };

/** A decision with every field. @param record - What a failure keeps for a retry is taken from it. */
function decided(
  known: Pick<UrlDecision, 'url' | 'status' | 'reason' | 'layer' | 'depth' | 'from' | 'atMs'> & Partial<UrlDecision>,
  record: UrlRecord | null = null,
): UrlDecision {
  const { url, status, reason, layer, ...more } = known;
  const whole = { url, status, reason, layer, httpStatus: null, ...NO_RULE, robots: null, detail: null, ...more };
  if (status !== 'failed' || record === null) return whole;
  const { via, label, userData } = record;
  const carried = { via, ...(label === null ? {} : { label }), ...(userData === null ? {} : { userData }) };
  return { ...whole, carried };
}
