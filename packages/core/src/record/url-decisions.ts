// What is said of a URL, as a decision: the facts of the crawl in the form of the decision log. Pure.

import type { HostWait, NewUrl, PageWork, UrlRecord, UrlVerdict } from '@mannerly/frontier';
import type { Refusal } from '../admit/admit.js';
import type { LeftAloneLink } from '../handle/staged.js';
import type { NotFetched } from '../page/own-fetch.js';
import type { UrlDecision, UrlStatus } from '../report/decision.js';
import { REASONS } from '../report/reasons.js';

/** What only the caller knows of a page's final word. */
export interface PageOutcome {
  readonly status: UrlStatus;
  readonly reason: string;
  readonly layer: UrlDecision['layer'];
  readonly httpStatus?: number;
  readonly detail?: string;
  /** URLs queued by now. */
  readonly queued?: number;
}

/** The final word about a page that was taken. */
export function fromPage(work: PageWork, word: PageOutcome, atMs: number): UrlDecision {
  return {
    url: work.url,
    status: word.status,
    reason: word.reason,
    layer: word.layer,
    httpStatus: word.httpStatus ?? null,
    line: work.decision.line,
    pattern: work.decision.pattern,
    dialect: work.decision.dialect,
    robots: work.robots,
    depth: work.record.depth,
    from: work.record.from,
    atMs,
    detail: word.detail ?? null,
    ...(word.queued === undefined ? {} : { queued: word.queued }),
    ...carriedBy(word.status, work.record),
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

/** A candidate that the door turned away. */
export function fromRefusal({ candidate, reason, detail }: Refusal, atMs: number): UrlDecision {
  return { ...fromDrop(candidate, reason, layerOf(reason), atMs), detail: detail ?? null };
}

function layerOf(reason: Refusal['reason']): UrlDecision['layer'] {
  if (reason === 'hook-refused') return 'hook';
  return reason === 'bound-depth' || reason === 'redirect-limit' ? 'bounds' : 'scope';
}

/** A URL that is dropped before anything is asked. */
export function fromDrop(candidate: NewUrl, reason: string, layer: UrlDecision['layer'], atMs: number): UrlDecision {
  return {
    url: candidate.url,
    status: 'dropped',
    reason,
    layer,
    httpStatus: null,
    line: null,
    pattern: null,
    dialect: null,
    robots: null,
    depth: candidate.depth,
    from: candidate.from ?? null,
    atMs,
    detail: null,
  };
}

/** A link that its page asks to leave alone. */
export function fromLeftAlone(work: PageWork, link: LeftAloneLink, atMs: number): UrlDecision {
  return {
    url: link.url,
    status: 'excluded',
    reason: link.reason,
    layer: 'page',
    httpStatus: null,
    line: null,
    pattern: null,
    dialect: null,
    robots: null,
    depth: work.record.depth + 1,
    from: work.url,
    atMs,
    detail: null,
  };
}

/** What a page in a browser asked for and was not given. */
export function fromSubresource(work: PageWork, left: NotFetched, atMs: number): UrlDecision {
  const { kind: word, url, reason } = left;
  const found = { url, depth: work.record.depth, via: 'subresource', from: work.url } as const;
  const { line, pattern, dialect } = left.kind === 'excluded' ? left : NO_LINE;
  const { layer } = REASONS[reason as keyof typeof REASONS] ?? { layer: 'frontier' };
  return {
    ...fromDrop(found, reason, layer, atMs),
    status: word,
    line,
    pattern,
    dialect,
    detail: 'asked for by a page in a browser',
  };
}

const NO_LINE = { line: null, pattern: null, dialect: null };

/** A URL that is still queued at the end of a run. */
export function fromHeld(record: UrlRecord, wait: HostWait, atMs: number): UrlDecision {
  return {
    url: record.url,
    status: 'held',
    reason: wait.reason,
    layer: wait.reason === 'robots-unreachable' ? 'robots' : 'frontier',
    httpStatus: null,
    line: null,
    pattern: null,
    dialect: null,
    robots: null,
    depth: record.depth,
    from: record.from,
    atMs,
    detail: wait.untilMs === null ? null : `until ${new Date(wait.untilMs).toISOString()}`,
    clock: { host: wait.host, ...NEVER_ASKED, untilMs: wait.untilMs },
  };
}

/** Whose word it is that the frontier passes on, where it is not the frontier's own. */
const DROPPING_LAYERS: Readonly<Record<string, UrlDecision['layer']>> = {
  trap: 'scope',
  'out-of-scope': 'scope',
  'scope-excluded': 'scope',
  'hook-refused': 'hook',
  'bound-depth': 'bounds',
  'redirect-limit': 'bounds',
};

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

const NEVER_ASKED = { startedAtMs: null, gapMs: null, crawlDelayMs: null, requestIntervalMs: null };
