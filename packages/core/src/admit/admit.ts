// Admission: seeds, links, redirect targets, and URLs from sitemaps and handlers all pass here on their way to the
// frontier. It decides on scope, bounds and traps. The frontier's gate decides on exclusion next.

import type { Frontier, NewUrl } from '@mannerly/frontier';
import { parseUrlParts, requestedUrl, type UrlParts } from '@mannerly/frontier/internal';
import { parseUrl } from '../parse-url.js';
import type { readSeeds } from './admit-options.js';
import { MAX_REDIRECT_HOPS } from './limits.js';
import type { Outside, Scope } from './scope.js';
import { trapText } from './trap-rules.js';
import type { Traps } from './traps.js';

export interface Refusal {
  readonly candidate: NewUrl;
  readonly reason:
    | 'out-of-scope'
    | 'scope-excluded'
    | 'hook-refused'
    | 'trap'
    | 'bound-depth'
    | 'redirect-limit'
    | 'url-invalid'
    | 'url-scheme'
    /** Refusals of what a sitemap lists, before admission. */
    | 'sitemap-foreign'
    | 'sitemap-limit';
  /** For people: by which rule, or what was thrown. */
  readonly detail?: string;
}

export interface AdmitResult {
  readonly admitted: readonly NewUrl[];
  readonly refused: readonly Refusal[];
  /** Links whose exact URL the frontier already has, so there is nothing to decide. */
  readonly known: readonly NewUrl[];
}

export type Admit = (candidates: readonly NewUrl[]) => AdmitResult;

/** The priority of seeds: before links (4), after companion files (0). */
const SEED_PRIORITY = 2;
/** Possible traps are requested when their host has nothing else. */
const LAST_PRIORITY = 7;

export function seedUrls(seeds: ReturnType<typeof readSeeds>): NewUrl[] {
  return seeds.map((seed) => ({ ...seed, depth: 0, via: 'seed', priority: SEED_PRIORITY }));
}

/** `depth`: the most links from a seed; `null`: as many as the other bounds allow. */
type DepthBound = { readonly depth: number | null };

/**
 * Creates the admission of a run. An admitted URL is the parser's serialisation without fragment and userinfo. Only
 * links and redirects can be traps: what the operator, a sitemap or a handler names is intended. Never throws.
 * @param traps - `null`: traps are not detected.
 * @param frontier - Knows of most links of a page that it has this exact URL. `null`: none is known.
 */
export function createAdmit(
  scope: Scope,
  bounds: DepthBound,
  traps: Pick<Traps, 'checkCandidate' | 'drops'> | null = null,
  frontier: Pick<Frontier, 'isRecent'> | null = null,
): Admit {
  /** The admitted URL, or why it is not admitted. */
  const consider = (candidate: NewUrl): NewUrl | Refusal => {
    const parts = parseUrlParts(candidate.url);
    if (parts === null) return { candidate, reason: parseUrl(candidate.url) === null ? 'url-invalid' : 'url-scheme' };
    const outside = isSiteFile(candidate) ? null : outsideReason(scope, bounds, candidate, parts);
    if (outside !== null) return { candidate, ...outside };
    const isFound = candidate.via === 'link' || candidate.via === 'redirect';
    const trap = isFound ? (traps?.checkCandidate(parts, candidate) ?? null) : null;
    // A new object: most candidates end here, and if some live on, an engine takes all of them for long-lived.
    if (trap === null) return { ...candidate, url: requestedUrl(parts) };
    if (traps?.drops === true) return { candidate, reason: 'trap', detail: trapText(trap) };
    return { ...candidate, url: requestedUrl(parts), priority: LAST_PRIORITY };
  };
  return (candidates) => {
    const admitted: NewUrl[] = [];
    const refused: Refusal[] = [];
    const known: NewUrl[] = [];
    for (const candidate of candidates) {
      const isKnown = isPlainLink(candidate) && frontier?.isRecent(candidate.url) === true;
      const result = isKnown ? null : consider(candidate);
      if (result === null) known.push(candidate);
      else if ('candidate' in result) refused.push(result);
      else admitted.push(result);
    }
    return { admitted, refused, known };
  };
}

/** Why a URL is outside scope or bounds; `null`: it is not. The frontier checks bounds on pages. Never throws. */
export function outsideReason(
  scope: Pick<Scope, 'outsideReason' | 'maxDepth'>,
  bounds: DepthBound,
  { via, depth, hops = 0 }: Pick<NewUrl, 'via' | 'depth' | 'hops'>,
  url: UrlParts,
): Outside | { readonly reason: 'bound-depth' | 'redirect-limit' } | null {
  const outside = scope.outsideReason(url, via);
  if (outside !== null) return outside;
  const maxDepth = scope.maxDepth(url) ?? bounds.depth;
  if (maxDepth !== null && depth > maxDepth) return { reason: 'bound-depth' };
  return hops > MAX_REDIRECT_HOPS ? { reason: 'redirect-limit' } : null;
}

/** A file next to robots.txt, which says what a site wants, wherever it redirects to. Sitemaps have user data. */
function isSiteFile({ via, userData }: NewUrl): boolean {
  return via === 'companion' && userData == null;
}

/** Excludes seeds, whose answer is reported, and further visits, which are queued even if the URL is known. */
function isPlainLink({ via, visit, dedupe }: NewUrl): boolean {
  return via === 'link' && (visit ?? 0) === 0 && dedupe !== false;
}
