// The checks of admission options that the option table cannot make: the scope, and which URLs count as the same.

import {
  CANONICAL_RULES,
  type CanonicalRule,
  canonicalize,
  canonicalRulesWith,
  type JsonValue,
  trackingParameters,
  type Via,
} from '@mannerly/frontier';
import { checkOptions } from '../call-options.js';
import { formatValue, invalidOption, MannerlyError, textOf } from '../errors.js';
import { MAX_SEEDS } from '../limits.js';
import { parseUrl } from '../parse-url.js';
import { readPatterns, readSurts, type UrlPattern } from './url-pattern.js';

/** A seed with what its handler gets. */
interface Seed {
  readonly url: string;
  readonly label?: string;
  readonly userData?: JsonValue;
}

/** Where a crawl may go. The option table says what each field means; scope.ts checks URLs. */
export interface ResolvedScope {
  /** As the URL parser serialises them. */
  readonly seeds: readonly string[];
  readonly within: 'host' | 'domain' | 'list' | 'surt' | 'any';
  readonly hosts?: readonly string[];
  readonly surts?: readonly string[];
  readonly prefixes?: readonly string[];
  readonly include?: readonly UrlPattern[];
  readonly exclude?: readonly UrlPattern[];
  readonly allows?: (url: string, via: Via) => boolean;
}

type GivenScope = Omit<Partial<ResolvedScope>, 'seeds'> & { readonly seeds?: readonly (string | Seed)[] };

/** @param read - What `readSeeds` made of its seeds. @throws MannerlyError `seed-invalid`, `option-invalid` */
export function resolveScope(scope: GivenScope | undefined, read = readSeeds(scope?.seeds)): ResolvedScope {
  const seeds = read.map(({ url }) => url);
  const { within = 'host', hosts = [], surts, include, exclude } = scope ?? {};
  if (within === 'list' && hosts.length === 0) {
    throw new MannerlyError('option-invalid', 'expected `scope.hosts` to name at least one host, got none', {
      hint: 'Name one (--host): `scope.within` is list.',
    });
  }
  hosts.forEach(checkHost);
  if (within === 'surt') readSurts('scope.surts', surts);
  if (within !== 'surt' && surts !== undefined) {
    throw new MannerlyError('option-invalid', '`scope.surts` needs `scope.within` to be surt', {
      hint: "Set within: 'surt', or omit scope.surts.",
    });
  }
  readPatterns('scope.include', include);
  readPatterns('scope.exclude', exclude);
  return { ...scope, seeds, within };
}

/** A text that is no host name would match no URL. */
function checkHost(host: string, at: number): void {
  const url = parseUrl(`http://${host}/`);
  if (url !== null && url.href === `${url.origin}/` && !host.includes('*')) return;
  const named = parseUrl(host)?.host;
  const hint = named
    ? `Did you mean ${named}?`
    : "For all hosts of a domain, set `scope.within` to 'domain', or to 'surt' with a prefix such as (org,example,.";
  throw invalidOption(`scope.hosts[${at}]`, 'a host such as www.example.org or example.org:8080', host, hint);
}

/** @returns Each as an object. @throws MannerlyError `seed-invalid`, `option-invalid`, `option-unknown` */
export function readSeeds(seeds: readonly (string | Seed)[] | undefined): readonly Seed[] {
  if (!Array.isArray(seeds) || seeds.length === 0 || seeds.length > MAX_SEEDS) {
    const hint = "Give the URLs where the crawl starts, for instance seeds: ['https://example.org/'].";
    throw invalidOption('scope.seeds', `1 to ${MAX_SEEDS} URLs`, seeds, hint, 'seed-invalid');
  }
  return seeds.map((seed: string | Seed, at) => {
    if (typeof seed !== 'object' || seed === null || seed instanceof URL) return { url: readSeed(seed) };
    checkOptions<Seed>(`scope.seeds[${at}]`, seed, { url: 'string!', label: 'string', userData: 'any' });
    return { ...seed, url: readSeed(seed.url) };
  });
}

/** A seed as the URL parser serialises it. @throws MannerlyError `seed-invalid`, with a suggestion */
export function readSeed(seed: unknown): string {
  const url = typeof seed === 'string' ? parseUrl(seed) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) {
    if (url.username === '' && url.password === '') return url.href;
    throw new MannerlyError('seed-invalid', `expected a seed without name and password, got ${formatValue(seed)}`, {
      hint: `A crawl does not log in and keeps no passwords: omit what comes before @${url.host}.`,
    });
  }
  const message = `expected every seed to be an absolute http or https URL, got ${formatValue(seed)}`;
  throw new MannerlyError('seed-invalid', message, { hint: seedHint(seed) });
}

/** A suggestion for what was probably meant. */
function seedHint(seed: unknown): string {
  if (seed instanceof URL) return 'Pass its `href`.';
  const text = typeof seed === 'string' ? seed.trim() : '';
  const scheme = /^([a-z]+):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && !/^https?$/.test(scheme)) {
    // Common typing errors: htps, hhtp, ttp.
    const meant = /^h*t+p*s?$/.test(scheme) ? parseUrl(`https${text.slice(scheme.length)}`) : null;
    return meant === null ? 'Only http and https are crawled.' : `Did you mean ${meant.href}?`;
  }
  const isHost = /^(localhost|[\w-]+(\.[\w-]+)+)(:\d+)?(\/|$)/i.test(text);
  // A port of one's own machine rarely uses TLS.
  const meant = isHost ? parseUrl(`${/^[^/]+:\d/.test(text) ? 'http' : 'https'}://${text}`) : null;
  return meant === null
    ? 'Write it whole, such as https://example.org/ or https://example.org/docs/.'
    : `Write it whole: did you mean ${meant.href}?`;
}

/** @throws MannerlyError `option-invalid`: tracking parameters next to own rules, or a rule that fails */
export function resolveUrlOptions(
  options: {
    readonly trackingParameters?: 'keep' | 'drop' | readonly string[];
    readonly rules?: readonly CanonicalRule[];
  } = {},
): readonly CanonicalRule[] {
  const { rules, trackingParameters: tracking } = options;
  if (rules !== undefined && tracking !== undefined) {
    throw invalidOption('urls.trackingParameters', 'absent next to `urls.rules`', tracking);
  }
  if (rules !== undefined) {
    rules.forEach(checkRule);
    return [...rules];
  }
  if (tracking === undefined || tracking === 'keep') return CANONICAL_RULES;
  if (tracking === 'drop') return canonicalRulesWith(trackingParameters());
  return canonicalRulesWith(trackingParameters(tracking.map((name) => name.toLowerCase())));
}

/** A URL with all of its parts. */
const SAMPLE = 'https://me@example.org:8080/a/%7eb?b=2&a=1#part';

/** A rule that breaks its contract is refused here. In the crawl it would end the run, or lose pages. */
function checkRule(rule: CanonicalRule): void {
  const failed = (what: string, cause?: unknown): MannerlyError =>
    new MannerlyError('option-invalid', `the rule ${formatValue(rule.name)} of \`urls.rules\` ${what}`, {
      hint: 'It gets the parts of a URL and returns them, or new ones. Applying it twice must give the same result as once.',
      cause,
    });
  let once: string | null;
  try {
    once = canonicalize(SAMPLE, [rule]);
  } catch (cause) {
    throw failed(`fails on ${SAMPLE}: ${textOf(cause)}`, cause);
  }
  const twice = canonicalize(once ?? '', [rule]);
  if (once !== twice) throw failed(`makes ${once} of ${SAMPLE}, and ${twice} of that`);
}
