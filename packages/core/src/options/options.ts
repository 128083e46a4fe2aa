// What a user of `createCrawler` may say, and the one place where every value is checked and filled in. A group of options that has
// an owner (bounds and the network beside this file, robots, spacing, exclusion, archive, identity elsewhere) is checked by it.

import type { CanonicalRule, Clock, FrontierStore, PolitenessOptions, RobotsOptions } from '@mannerly/frontier';
import { type ResolvedScope, resolveScope, SCOPE_KEYS, type ScopeOptions } from '../admit/scope-options.js';
import { type ResolvedTrapOptions, resolveTrapOptions, type TrapOptions } from '../admit/trap-options.js';
import { resolveUrlOptions, type UrlOptions } from '../admit/url-options.js';
import { type ArchiveOptions, type ResolvedArchiveOptions, resolveArchive } from '../archive/archive-options.js';
import { type HookOptions, type ResolvedHookOptions, resolveHooks } from '../crawl/hooks.js';
import { MannerlyError } from '../errors.js';
import type { Fetcher } from '../fetch/fetcher.js';
import { type Identity, type IdentityOptions, resolveIdentity } from '../fetch/identity.js';
import { MAX_SEEDS, MAX_WAIT_MS } from '../limits.js';
import type { Sink } from '../output/sink.js';
import {
  type ExclusionOptions,
  type ResolvedExclusionOptions,
  resolveExclusionOptions,
} from '../page/exclusion-options.js';
import { parseUrl } from '../parse-url.js';
import type { StoreNotice } from '../record/events.js';
import { type DecisionLogOptions, resolveDecisionLog } from '../report/log-share.js';
import { BOUNDS_KEYS, type Bounds, type BoundsOptions, resolveBounds } from './bounds-options.js';
import { MAX_SEED_CHARS } from './limits.js';
import { NETWORK_KEYS, type Network, type NetworkOptions, resolveNetwork } from './network-options.js';
import { knownKeys, numberIn, shown } from './option-value.js';
import { checkDeferred, resolveSpacing, SPACING_KEYS, type Spacing, type SpacingOptions } from './spacing-options.js';

/** Everything a crawl can be told. Only `identity`, `scope` and `bounds` are required. */
export interface CrawlerOptions extends ExclusionOptions {
  readonly identity: IdentityOptions;
  readonly scope: ScopeOptions;
  readonly bounds: BoundsOptions;
  /** Which URLs count as one. */
  readonly urls?: UrlOptions;
  /** How endless spaces are told from real ones; `false`: not at all. */
  readonly traps?: TrapOptions | false;
  /** How requests to a host are spaced where it asks for nothing. @default 'polite' */
  readonly profile?: PolitenessOptions['profile'];
  /** Spacing beyond single hosts: per registrable domain, per address, for the crawl as a whole. The strictest wins. */
  readonly politeness?: SpacingOptions;
  /** How robots.txt is read, and what happens when it cannot be. The product tokens come from `identity`. */
  readonly robots?: Omit<RobotsOptions, 'tokens'>;
  readonly network?: NetworkOptions;
  /** Files asked for beside robots.txt. */
  readonly discover?: {
    /** Read the sitemaps that each robots.txt names. @default false: a site is asked for nothing that nobody wants */
    readonly sitemaps?: boolean;
    /** Sitemaps, sitemap indexes and feeds to read, absolute http(s) URLs within the scope. @default [] */
    readonly sitemapUrls?: readonly string[];
    /** Ask for /data.txt once per authority. @default false */
    readonly dataTxt?: boolean;
  };
  readonly datasets?: {
    /** Queue the datasets that data.txt names, labelled `dataset`. @default false */
    readonly enqueue?: boolean;
  };
  /** A run ends in state `waiting` when only hosts are left that wait longer than this, 0 to 30 days, in ms; less than 100 counts as 100. @default 600_000 */
  readonly maxIdleMs?: number;
  /**
   * Decides the order in which URLs are taken, so that a crawl of the same site takes the same again: a text of 1 to 128
   * characters, or a whole number. For one process, and slower where there are many hosts: docs/reproducible.md says what is
   * promised. @default as they come
   */
  readonly orderSeed?: string | number;
  /** Longest time one handler may take, 1 to 3,600,000 ms. @default 60_000 */
  readonly handlerTimeoutMs?: number;
  /** Functions asked before a fetch and after, and told of exclusions. They may refuse, never permit. @default none */
  readonly hooks?: HookOptions;
  /**
   * Where the frontier is kept; a function makes a new one for each run, and hands on what it has to tell (`onNotice`): that its
   * server cannot be reached. @default in the crawl directory, in memory without one; the crawler opens and closes it
   */
  readonly store?: FrontierStore | ((tell: (notice: StoreNotice) => void) => FrontierStore);
  /** What talks to the network. @default undici; the crawler closes it */
  readonly fetcher?: Fetcher;
  /** Where items go beside the crawl directory's `items.jsonl`. @default [] */
  readonly sinks?: readonly Sink[];
  /** Every exchange as WARC 1.1, in the crawl directory's `archive/`; `true`: with the defaults. @default false */
  readonly archive?: boolean | ArchiveOptions;
  /** Which URLs of a large crawl get a line in the decision log; the others are counted. @default all */
  readonly decisionLog?: DecisionLogOptions;
  /** The source of time; tests hand in their own. @default the system's clock */
  readonly clock?: Clock;
}

/** Options as the crawl reads them: checked, complete, read-only. */
export interface ResolvedOptions {
  readonly identity: Identity;
  readonly scope: ResolvedScope;
  readonly bounds: Bounds;
  readonly canonicalRules: readonly CanonicalRule[];
  /** `null`: nothing is taken for a trap. */
  readonly traps: ResolvedTrapOptions | null;
  readonly profile: PolitenessOptions['profile'];
  readonly spacing: Spacing;
  readonly robots: Omit<RobotsOptions, 'tokens'>;
  readonly network: Network;
  readonly exclusion: ResolvedExclusionOptions;
  readonly dataTxt: boolean;
  readonly sitemaps: boolean;
  readonly sitemapUrls: readonly string[];
  readonly enqueueDatasets: boolean;
  readonly maxIdleMs: number;
  /** `null`: URLs are taken as they come. */
  readonly orderSeed: string | null;
  readonly handlerTimeoutMs: number;
  /** `null`: none. */
  readonly hooks: ResolvedHookOptions | null;
  readonly decisionLog: Required<DecisionLogOptions>;
  /** `null`: exchanges are not archived. */
  readonly archive: ResolvedArchiveOptions | null;
}

const KNOWN_KEYS: readonly (keyof CrawlerOptions)[] = [
  'identity',
  'scope',
  'bounds',
  'urls',
  'traps',
  'profile',
  'politeness',
  'robots',
  'network',
  'discover',
  'datasets',
  'maxIdleMs',
  'orderSeed',
  'handlerTimeoutMs',
  'hooks',
  'decisionLog',
  'store',
  'fetcher',
  'sinks',
  'archive',
  'clock',
  'purposes',
  'pageLevel',
  'links',
  'tdm',
  'preferences',
  'canonical',
  'indexInstead',
];

/** What the objects among the options may say; the others are checked where they belong. */
const NESTED_KEYS: Readonly<Record<string, readonly string[]>> = {
  identity: ['name', 'contact', 'version', 'tokens'],
  scope: SCOPE_KEYS,
  bounds: BOUNDS_KEYS,
  politeness: SPACING_KEYS,
  network: NETWORK_KEYS,
  discover: ['dataTxt', 'sitemaps', 'sitemapUrls'],
  datasets: ['enqueue'],
  decisionLog: ['sample', 'maxLines'],
};

/** What is used where nothing is said. */
const DEFAULTS = Object.freeze({
  profile: 'polite' as const,
  maxIdleMs: 600_000,
  handlerTimeoutMs: 60_000,
});

/**
 * Checks what a user said and fills in the rest.
 *
 * @throws MannerlyError `option-unknown`, `option-invalid`, `identity-name`, `identity-contact`, `seed-invalid` or
 *   `bounds-missing`, naming the option, its range and the value.
 */
export function resolveOptions(options: CrawlerOptions): ResolvedOptions {
  if (typeof options !== 'object' || options === null) {
    throw new MannerlyError(
      'option-invalid',
      `expected the options of createCrawler to be an object, got ${shown(options)}`,
    );
  }
  knownKeys('', options, KNOWN_KEYS);
  for (const [name, keys] of Object.entries(NESTED_KEYS)) {
    const nested: unknown = options[name as keyof CrawlerOptions];
    if (typeof nested === 'object' && nested !== null) knownKeys(`${name}.`, nested, keys);
  }
  const identity = resolveIdentity(options.identity);
  const scope = resolveScope(options.scope);
  const network = resolveNetwork(options.network ?? {}, scope.seeds, options.fetcher);
  checkDeferred({ ...options.robots, tokens: identity.tokens }, network);
  return {
    identity,
    scope,
    bounds: resolveBounds(options.bounds),
    canonicalRules: resolveUrlOptions(options.urls),
    traps: resolveTrapOptions(options.traps),
    profile: options.profile ?? DEFAULTS.profile,
    spacing: resolveSpacing(options.profile ?? DEFAULTS.profile, options.politeness),
    robots: options.robots ?? {},
    network,
    exclusion: resolveExclusionOptions(options),
    dataTxt: options.discover?.dataTxt ?? false,
    sitemaps: options.discover?.sitemaps ?? false,
    sitemapUrls: resolveSitemapUrls(options.discover?.sitemapUrls ?? []),
    enqueueDatasets: options.datasets?.enqueue ?? false,
    maxIdleMs: numberIn('maxIdleMs', options.maxIdleMs ?? DEFAULTS.maxIdleMs, 0, MAX_WAIT_MS),
    orderSeed: resolveSeed(options.orderSeed),
    handlerTimeoutMs: numberIn('handlerTimeoutMs', options.handlerTimeoutMs ?? DEFAULTS.handlerTimeoutMs, 1, 3_600_000),
    hooks: resolveHooks(options.hooks),
    decisionLog: resolveDecisionLog(options.decisionLog),
    archive: resolveArchive(options.archive),
  };
}

function resolveSitemapUrls(urls: readonly string[]): readonly string[] {
  if (!Array.isArray(urls) || urls.length > MAX_SEEDS) {
    throw new MannerlyError(
      'option-invalid',
      `expected \`discover.sitemapUrls\` to be at most ${MAX_SEEDS} URLs, got ${shown(urls)}`,
    );
  }
  const odd = urls.find((url) => !/^https?:$/.test(parseUrl(url)?.protocol ?? ''));
  if (odd === undefined) return urls;
  throw new MannerlyError(
    'option-invalid',
    `expected \`discover.sitemapUrls\` to be absolute http or https URLs, got ${shown(odd)}`,
  );
}

function resolveSeed(seed: unknown): string | null {
  if (seed === undefined) return null;
  if (Number.isSafeInteger(seed)) return String(seed);
  if (typeof seed === 'string' && seed.length >= 1 && seed.length <= MAX_SEED_CHARS) return seed;
  throw new MannerlyError(
    'option-invalid',
    `expected \`seeded\` to be a text of 1 to ${MAX_SEED_CHARS} characters or a whole number, got ${shown(seed)}`,
  );
}
