// The one door into the frontier: seeds, links, redirect targets, what sitemaps list and what handlers add all pass here.
// It decides nothing about exclusion; that is the frontier's gate, asked next.

import type { NewUrl } from '@mannerly/frontier';
import { formatUrlParts, parseUrlParts, type UrlParts } from '@mannerly/frontier/internal';
import { parseUrl } from '../parse-url.js';
import { withinBounds } from './bounds.js';
import type { Scope } from './scope.js';
import { type ResolvedTrapOptions, trapText } from './trap-options.js';
import type { Traps } from './traps.js';
import { urlLoop } from './url-loops.js';

/** What was refused at the door, and why. */
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
    /** Said of what a sitemap lists, before it comes to the door. */
    | 'sitemap-foreign'
    | 'sitemap-limit';
  /** For people: by which rule, what was thrown. */
  readonly detail?: string;
}

/** What may go on to the frontier, and what may not. */
export interface Admission {
  readonly admitted: readonly NewUrl[];
  readonly refused: readonly Refusal[];
  /** Links that the frontier has already, as they are spelt: there is nothing to ask about them. */
  readonly known: readonly NewUrl[];
}

/** The door. */
export type Admit = (candidates: readonly NewUrl[]) => Admission;

/** The watch over traps, and what the operator says of them. */
export interface TrapWatch {
  readonly options: ResolvedTrapOptions;
  readonly traps: Pick<Traps, 'judge'>;
}

type WhyNot = Omit<Refusal, 'candidate'>;

/**
 * Makes the door from a scope, the bound on depth and the watch over traps.
 *
 * An admitted URL is in the form that is decided, requested and logged: the URL parser's serialisation without
 * fragment and without userinfo (credentials in URLs are never sent). Only links and redirects can be traps: what the
 * operator, a sitemap or a handler names was meant.
 *
 * @param watch - `null`: nothing is taken for a trap.
 * @param isRecent - Whether the frontier is known to have this very URL. Most links of a page stand on the page before it too.
 * @throws Never
 */
export function createAdmit(
  scope: Scope,
  bounds: { readonly depth: number },
  watch: TrapWatch | null = null,
  isRecent: (url: string) => boolean = () => false,
): Admit {
  const whyNot = (candidate: NewUrl, url: UrlParts): WhyNot | null => {
    const scoped = scope.judge(url, candidate.via);
    if (scoped.kind === 'out') return scoped;
    const bounded = withinBounds({ depth: candidate.depth, hops: candidate.hops ?? 0 }, bounds);
    if (bounded.kind === 'out') return bounded;
    if (watch === null || (candidate.via !== 'link' && candidate.via !== 'redirect')) return null;
    const trap = urlLoop(url, watch.options) ?? watch.traps.judge(candidate.url, candidate.from ?? null);
    return trap === null ? null : { reason: 'trap', detail: trapText(trap) };
  };
  return (candidates) => {
    const admitted: NewUrl[] = [];
    const refused: Refusal[] = [];
    const known: NewUrl[] = [];
    for (const candidate of candidates) {
      if (isPlainLink(candidate) && isRecent(candidate.url)) {
        known.push(candidate);
        continue;
      }
      const parts = parseUrlParts(candidate.url);
      const no = parts === null ? whyNoUrl(candidate.url) : whyNot(candidate, parts);
      if (parts === null || no !== null) refused.push(refusal(candidate, no));
      else admitted.push(asRequested(candidate, parts));
    }
    return { admitted, refused, known };
  };
}

/** Not a seed, whose answer is told; not another visit, which is queued although the URL is known. */
function isPlainLink({ via, visit, dedupe }: NewUrl): boolean {
  return via === 'link' && (visit ?? 0) === 0 && dedupe !== false;
}

function whyNoUrl(text: string): WhyNot {
  return { reason: parseUrl(text) === null ? 'url-invalid' : 'url-scheme' };
}

function refusal(candidate: NewUrl, no: WhyNot | null): Refusal {
  const { reason, detail } = no ?? { reason: 'url-invalid' };
  return { candidate, reason, ...(detail === undefined ? {} : { detail }) };
}

/**
 * Without fragment and userinfo. Always an object of its own: most candidates are known and end here, and an engine that saw
 * them live on would take all of them for long-lived.
 */
function asRequested(candidate: NewUrl, parts: UrlParts): NewUrl {
  const url = formatUrlParts(
    parts.fragment === null && parts.userinfo === '' ? parts : { ...parts, fragment: null, userinfo: '' },
  );
  return { ...candidate, url };
}
