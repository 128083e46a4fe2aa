// The option `scope`, checked once. What it means is in `scope.ts`.

import type { Via } from '@mannerly/frontier';
import { invalidOption, MannerlyError } from '../errors.js';
import { MAX_SEEDS } from '../limits.js';
import { parseUrl } from '../parse-url.js';
import { MAX_URL_PATTERNS } from './limits.js';
import { readSurts } from './surt.js';
import { readPatterns, type UrlPattern } from './url-pattern.js';

/**
 * Where the crawl may go. A URL is in scope when it is inside (`within`), its path begins as `prefixes` say, a pattern
 * of `include` matches, none of `exclude` does, and `allows` does not refuse it. What is absent does not narrow.
 */
export interface ScopeOptions {
  /** Absolute http(s) URLs, 1 to 100,000. A port that a seed names is opened. */
  readonly seeds: readonly string[];
  /**
   * `host`: the host names of the seeds; `domain`: their registrable domains; `list`: those in `hosts`; `surt`: what
   * begins with one of `surts`. @default 'host'
   */
  readonly within?: 'host' | 'domain' | 'list' | 'surt';
  /** With `list`: host names, or `host:port` for one port only. */
  readonly hosts?: readonly string[];
  /** With `surt`: SURT prefixes, such as `(org,example,` or `https://(org,example,www,)/docs/`. */
  readonly surts?: readonly string[];
  /** Only paths that begin with one of these, each beginning with `/`. @default [], every path */
  readonly prefixes?: readonly string[];
  /** Only URLs that one of these matches. Seeds too must match. @default [], every URL */
  readonly include?: readonly UrlPattern[];
  /** URLs that one of these matches are dropped in any case. @default [] */
  readonly exclude?: readonly UrlPattern[];
  /**
   * Asked last, of what all the rest lets in; `false` refuses. It never lets in what the rest refuses. It gets the URL
   * as it would be requested and how it was found, and should answer the same each time; when it throws, it refuses.
   */
  readonly allows?: (url: string, via: Via) => boolean;
}

/** `ScopeOptions` as the crawl reads them: checked, seeds as the URL parser serialises them. */
export interface ResolvedScope extends ScopeOptions {
  readonly within: NonNullable<ScopeOptions['within']>;
}

/** The names of `ScopeOptions`. */
export const SCOPE_KEYS: readonly (keyof ScopeOptions)[] = [
  'seeds',
  'within',
  'hosts',
  'surts',
  'prefixes',
  'include',
  'exclude',
  'allows',
];

const WITHIN: readonly unknown[] = ['host', 'domain', 'list', 'surt'];

/**
 * Checks the option `scope`.
 *
 * @throws MannerlyError `seed-invalid`, `option-invalid`, naming the option, its range and the value.
 */
export function resolveScope(scope: ScopeOptions | undefined): ResolvedScope {
  const seeds = readSeeds(scope?.seeds);
  const { within = 'host', hosts, surts, prefixes, include, exclude, allows } = scope ?? { seeds };
  if (!WITHIN.includes(within)) throw invalidOption('scope.within', 'host, domain, list or surt', within);
  if (within === 'list' && !(isTexts(hosts) && hosts.length > 0)) {
    throw invalidOption('scope.hosts', 'at least one host name (--host), since `scope.within` is list', hosts);
  }
  if (within === 'surt') readSurts('scope.surts', surts);
  if (within !== 'surt' && surts !== undefined) throw needless('scope.surts', 'surt');
  if (prefixes !== undefined && !(isTexts(prefixes) && prefixes.every((prefix) => prefix.startsWith('/')))) {
    throw invalidOption('scope.prefixes', `at most ${MAX_URL_PATTERNS} paths that begin with /`, prefixes);
  }
  readPatterns('scope.include', include);
  readPatterns('scope.exclude', exclude);
  if (allows !== undefined && typeof allows !== 'function') {
    throw invalidOption('scope.allows', 'a function of a URL and the road it came by', allows);
  }
  return { ...scope, seeds, within };
}

function readSeeds(seeds: readonly string[] | undefined): readonly string[] {
  if (!Array.isArray(seeds) || seeds.length === 0 || seeds.length > MAX_SEEDS) {
    const told = typeof seeds === 'string' ? JSON.stringify(seeds) : String(seeds);
    throw new MannerlyError('seed-invalid', `expected \`scope.seeds\` to be 1 to ${MAX_SEEDS} URLs, got ${told}`, {
      hint: "Say where the crawl begins, for instance seeds: ['https://example.org/'].",
    });
  }
  return seeds.map((seed: string) => {
    const url = parseUrl(seed);
    if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
    throw new MannerlyError(
      'seed-invalid',
      `expected every seed to be an absolute http or https URL, got ${JSON.stringify(seed)}`,
      { hint: seedHint(seed) },
    );
  });
}

/** What was probably meant. */
function seedHint(seed: unknown): string {
  const text = typeof seed === 'string' ? seed.trim() : '';
  const scheme = /^([a-z]+):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && !/^https?$/.test(scheme)) {
    // Typed in haste: htps, hhtp, ttp.
    const meant = /^h*t+p*s?$/.test(scheme) ? parseUrl(`https${text.slice(scheme.length)}`) : null;
    return meant === null ? 'Only http and https are crawled.' : `Did you mean ${meant.href}?`;
  }
  const isHost = /^(localhost|[\w-]+(\.[\w-]+)+)(:\d+)?(\/|$)/i.test(text);
  // A port of one's own machine rarely speaks TLS.
  const meant = isHost ? parseUrl(`${/^[^/]+:\d/.test(text) ? 'http' : 'https'}://${text}`) : null;
  return meant === null
    ? 'Write it whole, such as https://example.org/ or https://example.org/docs/.'
    : `Write it whole: did you mean ${meant.href}?`;
}

function isTexts(list: unknown): list is readonly string[] {
  return Array.isArray(list) && list.length <= MAX_URL_PATTERNS && list.every((each) => typeof each === 'string');
}

function needless(option: string, within: string): MannerlyError {
  return new MannerlyError('option-invalid', `\`${option}\` has a meaning only with \`scope.within\`: ${within}`, {
    hint: `Say within: '${within}', or leave ${option} out.`,
  });
}
