// The facts of the crawl in the form of the decision log. Pure.

import type { HostWait, NewUrl, PageWork, UrlRecord, UrlVerdict } from '@mannerly/frontier';
import type { Refusal } from '../admit/admit.js';
import type { LeftAloneLink } from '../handle/staged.js';
import type { NotFetched } from '../page/own-fetch.js';
import type { UrlDecision, UrlStatus } from '../report/decision.js';
import { REASONS } from '../report/reasons.js';

/** What a decision says of a page that was taken. */
export interface PageOutcome {
  readonly status: UrlStatus;
  readonly reason: string;
  readonly layer: UrlDecision['layer'];
  readonly httpStatus?: number;
  readonly detail?: string;
  /** URLs queued by now. */
  readonly queued?: number;
}

/** A page that was taken. */
export function fromPage(work: PageWork, outcome: PageOutcome, atMs: number): UrlDecision {
  return {
    url: work.url,
    status: outcome.status,
    reason: outcome.reason,
    layer: outcome.layer,
    httpStatus: outcome.httpStatus ?? null,
    line: work.decision.line,
    pattern: work.decision.pattern,
    dialect: work.decision.dialect,
    robots: work.robots,
    depth: work.record.depth,
    from: work.record.from,
    atMs,
    detail: outcome.detail ?? null,
    ...(outcome.queued === undefined ? {} : { queued: outcome.queued }),
    ...carriedBy(outcome.status, work.record),
  };
}

/** What a failure keeps for a retry. */
function carriedBy(word: UrlStatus, record: UrlRecord | null): Pick<UrlDecision, 'carried'> {
  if (word !== 'failed' || record === null) return {};
  const { via, label, userData } = record;
  return {
    carried: { via, ...(label === null ? {} : { label }), ...(userData === null ? {} : { userData }) },
  };
}

/** A URL that is dropped before anything is requested. */
export function fromDrop(
  { url, depth, from = null }: Pick<NewUrl, 'url' | 'depth'> & { readonly from?: string | null },
  reason: string,
  layer: UrlDecision['layer'],
  atMs: number,
): UrlDecision {
  return {
    url,
    status: 'dropped',
    reason,
    layer,
    httpStatus: null,
    line: null,
    pattern: null,
    dialect: null,
    robots: null,
    depth,
    from,
    atMs,
    detail: null,
  };
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

/** A link that its page wants left alone. */
export function fromLeftAlone(work: PageWork, { url, reason }: LeftAloneLink, atMs: number): UrlDecision {
  const link = { url, depth: work.record.depth + 1, from: work.url };
  return { ...fromDrop(link, reason, 'page', atMs), status: 'excluded' };
}

/** What a page in a browser asked for and did not get. */
export function fromSubresource(work: PageWork, left: NotFetched, atMs: number): UrlDecision {
  const { kind: status, url, reason } = left;
  const { line, pattern, dialect } = left.kind === 'excluded' ? left : NO_RULE;
  const { layer } = REASONS[reason as keyof typeof REASONS] ?? { layer: 'frontier' };
  const dropped = fromDrop({ url, depth: work.record.depth, from: work.url }, reason, layer, atMs);
  return { ...dropped, status, line, pattern, dialect, detail: 'asked for by a page in a browser' };
}

const NO_RULE = { line: null, pattern: null, dialect: null };

/** A URL that is still queued at the end of a run. */
export function fromHeld(record: UrlRecord, { host, reason, untilMs }: HostWait, atMs: number): UrlDecision {
  return {
    ...fromDrop(record, reason, reason === 'robots-unreachable' ? 'robots' : 'frontier', atMs),
    status: 'held',
    detail: untilMs === null ? null : `until ${new Date(untilMs).toISOString()}`,
    clock: { host, startedAtMs: null, gapMs: null, crawlDelayMs: null, requestIntervalMs: null, untilMs },
  };
}

/** What the frontier says of a URL. */
export function fromVerdict(verdict: UrlVerdict): UrlDecision {
  return {
    url: verdict.url,
    status: verdict.status,
    reason: verdict.reason,
    layer: verdict.status === 'excluded' ? 'robots' : (DROPPING_LAYERS[verdict.reason] ?? 'frontier'),
    httpStatus: null,
    line: verdict.line,
    pattern: verdict.pattern,
    dialect: verdict.dialect,
    robots: verdict.robots,
    depth: verdict.record?.depth ?? null,
    from: verdict.record?.from ?? null,
    atMs: verdict.atMs,
    detail: verdict.detail,
    ...carriedBy(verdict.status, verdict.record),
  };
}
