// Where a crawl may go: one decision for seeds, links, redirects, sitemaps and handlers' URLs.
//
// A scope by host moves with its seeds: if a seed redirects to another host of its registrable domain (www, a country's
// host), that host is in scope. Nothing else moves a scope: no redirect of a later page, none to another domain, and no
// scope with listed hosts. Entries of `hosts` options are read here too.

import type { Via } from '@mannerly/frontier';
import { createHostMatch, hostKeyOf, parseUrlParts, requestedUrl, type UrlParts } from '@mannerly/frontier/internal';
import { formatValue, textOf } from '../errors.js';
import { parseUrl } from '../parse-url.js';
import type { ResolvedScope } from './admit-options.js';
import { MAX_SCOPE_MOVES } from './limits.js';
import {
  readPatternFinder,
  readPatterns,
  readPrefixes,
  readSurts,
  type UrlPattern,
  type UrlTest,
} from './url-pattern.js';

/** Why a URL is outside. `hook-refused`: `scope.allows` refused, or threw. */
export interface Outside {
  readonly reason: 'out-of-scope' | 'scope-excluded' | 'hook-refused';
  readonly detail?: string;
}

/** A seed redirected to another host of its domain, and its scope moved there. */
export interface ScopeMove {
  /** The seed, or where it led so far. */
  readonly from: string;
  readonly to: string;
}

const OUT: Outside = { reason: 'out-of-scope' };
const NOT_PREFIXED: Outside = { reason: 'out-of-scope', detail: 'its path begins with none of `scope.prefixes`' };
const NOT_INCLUDED: Outside = { reason: 'out-of-scope', detail: 'no pattern of `scope.include` matches it' };
const EXCLUDED: Outside = { reason: 'scope-excluded' };

type ScopeInput = Partial<ResolvedScope> & Pick<ResolvedScope, 'seeds'>;

/**
 * The scope that the options describe. `host` compares host names, with any scheme and port; `domain` compares
 * registrable domains by the public suffix list; `list` host names, or host and port; `surt` the beginnings of SURTs;
 * `any` allows all.
 */
export class Scope {
  readonly #options: ScopeInput;
  readonly #rulesOf: HostRulesOf | null;
  readonly #hosts: Set<string>;
  /** Seeds and their redirect targets: only these move a scope. */
  readonly #seeds: Set<string>;
  readonly #prefixes: UrlTest | null;
  readonly #includes: UrlTest | null;
  readonly #excludes: ReturnType<typeof readPatternFinder>;
  /** Patterns that were excluded while the crawl ran. */
  readonly #denied: UrlTest[] = [];
  /** Whether the URL's host, or SURT, belongs to the scope, regardless of paths. */
  readonly isInside: UrlTest;
  /** Called when `scope.allows` throws, or returns neither `true` nor `false`. */
  onError: ((url: string, error: unknown) => void) | null = null;

  /** @throws Never: the options are already checked. @param rulesOf - `null`: all hosts have the same rules. */
  constructor(options: ScopeInput, rulesOf: HostRulesOf | null = null) {
    this.#options = options;
    this.#rulesOf = rulesOf;
    this.#hosts = new Set(options.seeds.map((seed) => new URL(seed).hostname));
    this.#seeds = new Set(options.seeds.map(toRequestedUrl));
    this.#prefixes = readPrefixes(options.prefixes);
    this.#includes = readPatterns('scope.include', options.include);
    this.#excludes = readPatternFinder('scope.exclude', options.exclude);
    this.isInside = insideTest(options, this.#hosts);
  }

  /** Like `isInside`; `false` for a text that is not a URL. */
  contains(url: string): boolean {
    const parts = parseUrlParts(url);
    return parts !== null && this.isInside(parts);
  }

  /** Subresources may be anywhere that `exclude` and `allows` permit; see `isInside`. `null`: the URL is in scope. */
  outsideReason(url: UrlParts, via: Via): Outside | null {
    const { allows } = this.#options;
    // A page needs its scripts from anywhere: the fetcher decides whether other hosts are requested.
    if (via !== 'subresource' && !this.isInside(url)) return OUT;
    const excludedBy = this.#excludes?.(url) ?? null;
    if (excludedBy !== null) return { ...EXCLUDED, detail: `by ${excludedBy}` };
    const isExcluded = (test: UrlTest): boolean => test(url);
    if (this.#denied.some(isExcluded) || this.#rulesOf?.(url.host).excludes.some(isExcluded) === true) return EXCLUDED;
    // A sitemap may be outside the wanted part of the site.
    if (via !== 'companion' && via !== 'subresource') {
      if (this.#prefixes?.(url) === false) return NOT_PREFIXED;
      if (this.#includes?.(url) === false) return NOT_INCLUDED;
    }
    return allows === undefined ? null : this.#refusalOf(allows, requestedUrl(url), via);
  }

  /** The most links from a seed for the URL's host; `null`: as for all hosts. */
  maxDepth(url: UrlParts): number | null {
    return this.#rulesOf?.(url.host).depth ?? null;
  }

  /** Excludes more URLs from now on. @throws MannerlyError `option-invalid` */
  exclude(patterns: readonly UrlPattern[]): void {
    const test = readPatterns('patterns', patterns);
    if (test !== null) this.#denied.push(test);
  }

  /** Whether a URL that was in scope has been excluded since. */
  denies(text: string): boolean {
    const url = this.#denied.length === 0 ? null : parseUrlParts(text);
    return url !== null && this.#denied.some((test) => test(url));
  }

  /** A URL redirected. @returns The move, if the URL was a seed and the scope moves; `null` otherwise. */
  redirected(from: string, to: string): ScopeMove | null {
    const target = parseUrlParts(to);
    if ((this.#options.within ?? 'host') !== 'host' || target === null || !this.#seeds.has(toRequestedUrl(from)))
      return null;
    if (this.#seeds.size >= this.#options.seeds.length + MAX_SCOPE_MOVES) return null;
    if (hostKeyOf(from, 'domain') !== hostKeyOf(to, 'domain')) return null;
    this.#seeds.add(toRequestedUrl(to));
    if (this.#hosts.has(target.host)) return null;
    this.#hosts.add(target.host);
    return { from, to };
  }

  /** Restores moves of an earlier run, in their order. */
  restore(moves: readonly ScopeMove[]): void {
    for (const { from, to } of moves) this.redirected(from, to);
  }

  /** Calls the operator's own function: anything but the answer `true` is a refusal. */
  #refusalOf(allows: NonNullable<ResolvedScope['allows']>, url: string, via: Via): Outside | null {
    try {
      const answer: unknown = allows(url, via);
      if (answer === true) return null;
      if (answer === false) return { reason: 'hook-refused' };
      const isPromise = answer instanceof Promise;
      // A promise that rejects and that nothing awaits would end the process.
      if (isPromise) answer.catch(() => undefined);
      const got = isPromise ? 'a promise' : formatValue(answer);
      throw new TypeError(`answered ${got}, which is neither true nor false`);
    } catch (error) {
      this.onError?.(url, error);
      return { reason: 'hook-refused', detail: `scope.allows threw: ${textOf(error)}` };
    }
  }
}

function insideTest({ within, surts, hosts, seeds }: ScopeInput, seedHosts: ReadonlySet<string>): UrlTest {
  if (within === 'any') return () => true;
  if (within === 'surt') return readSurts('scope.surts', surts);
  if (within === 'list') {
    const listed = new Set((hosts ?? []).map(toUrlHost));
    return (url) => listed.has(url.host) || listed.has(hostAndPort(url));
  }
  if (within === 'domain') {
    const domains = new Set(seeds.map((seed) => hostKeyOf(seed, 'domain')));
    return (url) => domains.has(hostKeyOf(`${url.scheme}://${url.host}/`, 'domain'));
  }
  return (url) => seedHosts.has(url.host);
}

/** A listed host as in URLs: lower case, A-labels. A port stays as written, even the scheme's default. */
function toUrlHost(text: string): string {
  const [, name = text, port = ''] = /^(.*?)(:\d+)?$/.exec(text) ?? [];
  const url = parseUrl(`http://${name}/`);
  return url === null ? text : url.hostname + port;
}

function hostAndPort({ host, port, scheme }: UrlParts): string {
  return `${host}:${port || (scheme === 'https' ? '443' : '80')}`;
}

/** The URL as it is requested. */
function toRequestedUrl(url: string): string {
  const parts = parseUrlParts(url);
  return parts === null ? url : requestedUrl(parts);
}

interface HostRule {
  readonly match: readonly string[];
  readonly bounds: { readonly depth: number | null } | null;
  readonly exclude: readonly UrlPattern[];
}

/** The combined rules of all entries that match a host. */
export interface HostRules {
  readonly excludes: readonly UrlTest[];
  /** Links from a seed; `null`: as for the crawl. */
  readonly depth: number | null;
}

export type HostRulesOf = (host: string) => HostRules;

/** The least depth and all patterns of matching entries count. `null`: there are none. @throws Never: checked before */
export function createHostRules(entries: readonly HostRule[]): HostRulesOf | null {
  if (entries.length === 0) return null;
  const matching = createHostMatch(entries.map(({ match }) => match));
  const tests = entries.map(({ exclude }) => readPatterns('exclude', exclude));
  const combineRules = (host: string): HostRules => {
    const matches = matching(host.replace(/\.$/, ''));
    const depths = matches.flatMap((at) => entries[at]?.bounds?.depth ?? []);
    const excludes = matches.flatMap((at) => tests[at] ?? []);
    return { excludes, depth: depths.length === 0 ? null : Math.min(...depths) };
  };
  // The links of a page are mostly on one host.
  let last = { host: '', rules: combineRules('') };
  return (host) => {
    if (last.host !== host) last = { host, rules: combineRules(host) };
    return last.rules;
  };
}
