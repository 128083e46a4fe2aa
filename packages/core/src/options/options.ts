// What a user of `createCrawler` may say: the types here, and the one place where every value is checked and filled in.
// Options of robots, spacing, exclusion, archive and identity are checked by the packages and stages that own them. It is still one
// file, so that types, keys, defaults and checks of an option are changed together.

import type { CanonicalRule, Clock, FrontierStore, PolitenessOptions, RobotsOptions } from '@mannerly/frontier';
import { type ResolvedScope, resolveScope, SCOPE_KEYS, type ScopeOptions } from '../admit/scope-options.js';
import { resolveTrapOptions, type TrapKnobs, type TrapOptions } from '../admit/trap-options.js';
import { resolveUrlOptions, type UrlOptions } from '../admit/url-options.js';
import { type ArchiveKnobs, type ArchiveOptions, resolveArchive } from '../archive/archive-options.js';
import { type HookKnobs, type HookOptions, resolveHooks } from '../crawl/hooks.js';
import { MannerlyError } from '../errors.js';
import type { CookieChoice, CookieJar } from '../fetch/cookies.js';
import type { Fetcher } from '../fetch/fetcher.js';
import { type Identity, type IdentityOptions, resolveIdentity } from '../fetch/identity.js';
import { MAX_CONCURRENCY, MAX_SEEDS, MAX_WAIT_MS } from '../limits.js';
import type { Sink } from '../output/sink.js';
import { type ExclusionKnobs, type ExclusionOptions, resolveExclusionOptions } from '../page/exclusion-options.js';
import { parseUrl } from '../parse-url.js';
import type { StoreNotice } from '../record/events.js';
import { type DecisionLogOptions, resolveDecisionLog } from '../report/log-share.js';
import { MAX_DEPTH, MAX_MINUTES, MAX_PAGES, MAX_SEED_CHARS } from './limits.js';
import { checkDeferred, resolveSpacing, SPACING_KEYS, type Spacing, type SpacingOptions } from './spacing-options.js';

/** How much. One of `pages` and `minutes` is required; all count over the whole crawl, restarts included. */
export type BoundsOptions = OptionalBounds & ({ readonly pages: number } | { readonly minutes: number });

interface OptionalBounds {
  /** Pages asked for and answered, whatever the status; redirects and retries do not count. 1 to 1e9. */
  readonly pages?: number;
  /** Running time in minutes, more than 0. */
  readonly minutes?: number;
  /** Links between a seed and a page. 0 to 1000. @default 16 */
  readonly depth?: number;
  /** Decoded octets of bodies, 1 or more; what is in flight when it is reached comes to its end. @default none */
  readonly bytes?: number;
  /** Pages of one host, 1 to 1e9. @default none beyond `pages` */
  readonly pagesPerHost?: number;
  /** Decoded octets of one host's bodies, 1 or more; the answer that reaches it is kept whole. @default none */
  readonly bytesPerHost?: number;
  /** Minutes of running time from the first request to a host, more than 0. @default none */
  readonly minutesPerHost?: number;
  /**
   * URLs queued at a time, 1 to 1e9. Links past it are dropped as `frontier-full`, and told; there may be room for them when
   * another page names them later. @default 10,000,000
   */
  readonly queued?: number;
}

/** The network side. A longer deadline or a larger cap costs us; `concurrency` costs no site, since a host is asked one thing at a time. */
export interface NetworkOptions {
  /** Address ranges (CIDR) reached although they are not public, such as `127.0.0.0/8`. @default [] */
  readonly allow?: readonly string[];
  /** Ports reached beside 80, 443 and those that seeds name; an address in `allow` is reached on every port. @default [] */
  readonly ports?: readonly number[] | 'any';
  /** Names to addresses. @default the system's resolver */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  /**
   * Takes a fetcher that looks names up by itself (`caps.pinsAddress: false`). A name can then lead to another address than the
   * one that was judged: only literal addresses are kept out for certain. @default false
   */
  readonly unpinned?: boolean;
  /**
   * `true` keeps cookies in a jar for each origin (tough-cookie, loaded with the run); a function makes the jar of one origin
   * instead. A site can then tell the requests of this crawl from others, and its pages may differ for it. @default false
   */
  readonly cookies?: boolean | (() => CookieJar);
  /** Deadline for a connection, 1 to 600,000 ms. @default 10_000 */
  readonly connectMs?: number;
  /** Deadline for the header section, from sending, 1 to 600,000 ms. @default 30_000 */
  readonly headersMs?: number;
  /** Deadline for the last octet, from sending, 1 to 3,600,000 ms. @default 60_000 */
  readonly exchangeMs?: number;
  /** Decoded octets of a page that are kept, 1 to 1 GiB. @default 10 MiB */
  readonly bodyBytes?: number;
  /** Requests in flight over all hosts, 1 to 1,024. @default 64 */
  readonly concurrency?: number;
}

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
  readonly patienceMs?: number;
  /**
   * Decides the order in which URLs are taken, so that a crawl of the same site takes the same again: a text of 1 to 128
   * characters, or a whole number. For one process, and slower where there are many hosts: docs/reproducible.md says what is
   * promised. @default as they come
   */
  readonly seeded?: string | number;
  /** Longest time one handler may take, 1 to 3,600,000 ms. @default 60_000 */
  readonly handlerMs?: number;
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

/** Bounds with every field filled in; `null`: none. */
export interface Bounds {
  readonly pages: number | null;
  readonly minutes: number | null;
  readonly depth: number;
  readonly pagesPerHost: number | null;
  readonly bytes: number | null;
  readonly bytesPerHost: number | null;
  readonly minutesPerHost: number | null;
  readonly queued: number | null;
}

/** The network side with every field filled in. */
export interface Network {
  readonly allow: readonly string[];
  readonly ports: readonly number[] | 'any';
  readonly resolve: ((hostname: string) => Promise<readonly string[]>) | null;
  /** `'usual'`: jars of tough-cookie. */
  readonly cookies: CookieChoice;
  readonly unpinned: boolean;
  readonly connectMs: number;
  readonly headersMs: number;
  readonly exchangeMs: number;
  readonly bodyBytes: number;
  readonly concurrency: number;
}

/** Options as the crawl reads them: checked, complete, read-only. */
export interface ResolvedOptions {
  readonly identity: Identity;
  readonly scope: ResolvedScope;
  readonly bounds: Bounds;
  readonly canonicalRules: readonly CanonicalRule[];
  /** `null`: nothing is taken for a trap. */
  readonly traps: TrapKnobs | null;
  readonly profile: PolitenessOptions['profile'];
  readonly spacing: Spacing;
  readonly robots: Omit<RobotsOptions, 'tokens'>;
  readonly network: Network;
  readonly exclusion: ExclusionKnobs;
  readonly dataTxt: boolean;
  readonly sitemaps: boolean;
  readonly sitemapUrls: readonly string[];
  readonly enqueueDatasets: boolean;
  readonly patienceMs: number;
  /** `null`: URLs are taken as they come. */
  readonly seeded: string | null;
  readonly handlerMs: number;
  /** `null`: none. */
  readonly hooks: HookKnobs | null;
  readonly decisionLog: Required<DecisionLogOptions>;
  /** `null`: exchanges are not archived. */
  readonly archive: ArchiveKnobs | null;
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
  'patienceMs',
  'seeded',
  'handlerMs',
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
  bounds: ['pages', 'minutes', 'bytes', 'depth', 'pagesPerHost', 'bytesPerHost', 'minutesPerHost', 'queued'],
  politeness: SPACING_KEYS,
  network: [
    'allow',
    'ports',
    'resolve',
    'unpinned',
    'cookies',
    'connectMs',
    'headersMs',
    'exchangeMs',
    'bodyBytes',
    'concurrency',
  ],
  discover: ['dataTxt', 'sitemaps', 'sitemapUrls'],
  datasets: ['enqueue'],
  decisionLog: ['sample', 'maxLines'],
};

const MIB = 1024 * 1024;

/** What is used where nothing is said. */
export const DEFAULTS = Object.freeze({
  profile: 'polite' as const,
  depth: 16,
  connectMs: 10_000,
  headersMs: 30_000,
  exchangeMs: 60_000,
  bodyBytes: 10 * MIB,
  concurrency: 64,
  patienceMs: 600_000,
  handlerMs: 60_000,
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
      `expected the options of createCrawler to be an object, got ${show(options)}`,
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
    patienceMs: numberIn('patienceMs', options.patienceMs ?? DEFAULTS.patienceMs, 0, MAX_WAIT_MS),
    seeded: resolveSeed(options.seeded),
    handlerMs: numberIn('handlerMs', options.handlerMs ?? DEFAULTS.handlerMs, 1, 3_600_000),
    hooks: resolveHooks(options.hooks),
    decisionLog: resolveDecisionLog(options.decisionLog),
    archive: resolveArchive(options.archive),
  };
}

function resolveSitemapUrls(urls: readonly string[]): readonly string[] {
  if (!Array.isArray(urls) || urls.length > MAX_SEEDS) {
    throw new MannerlyError(
      'option-invalid',
      `expected \`discover.sitemapUrls\` to be at most ${MAX_SEEDS} URLs, got ${show(urls)}`,
    );
  }
  const odd = urls.find((url) => !/^https?:$/.test(parseUrl(url)?.protocol ?? ''));
  if (odd === undefined) return urls;
  throw new MannerlyError(
    'option-invalid',
    `expected \`discover.sitemapUrls\` to be absolute http or https URLs, got ${show(odd)}`,
  );
}

function resolveSeed(seed: unknown): string | null {
  if (seed === undefined) return null;
  if (Number.isSafeInteger(seed)) return String(seed);
  if (typeof seed === 'string' && seed.length >= 1 && seed.length <= MAX_SEED_CHARS) return seed;
  throw new MannerlyError(
    'option-invalid',
    `expected \`seeded\` to be a text of 1 to ${MAX_SEED_CHARS} characters or a whole number, got ${show(seed)}`,
  );
}

function resolveBounds(bounds: BoundsOptions | undefined): Bounds {
  if (bounds === undefined || (bounds.pages === undefined && bounds.minutes === undefined)) {
    throw new MannerlyError('bounds-missing', 'a crawl needs `bounds.pages` or `bounds.minutes`', {
      hint: 'Say how much is enough, for instance bounds: { pages: 200 }.',
    });
  }
  const whole = (name: keyof OptionalBounds, greatest: number): number | null =>
    bounds[name] === undefined ? null : integerIn(`bounds.${name}`, bounds[name], 1, greatest);
  const minutes = (name: 'minutes' | 'minutesPerHost'): number | null =>
    bounds[name] === undefined ? null : numberIn(`bounds.${name}`, bounds[name], Number.MIN_VALUE, MAX_MINUTES);
  return {
    pages: whole('pages', MAX_PAGES),
    minutes: minutes('minutes'),
    depth: integerIn('bounds.depth', bounds.depth ?? DEFAULTS.depth, 0, MAX_DEPTH),
    pagesPerHost: whole('pagesPerHost', MAX_PAGES),
    bytes: whole('bytes', Number.MAX_SAFE_INTEGER),
    bytesPerHost: whole('bytesPerHost', Number.MAX_SAFE_INTEGER),
    minutesPerHost: minutes('minutesPerHost'),
    queued: whole('queued', MAX_PAGES),
  };
}

function resolveNetwork(network: NetworkOptions, seeds: readonly string[], fetcher: Fetcher | undefined): Network {
  if (fetcher?.caps.pinsAddress === false && network.unpinned !== true) {
    throw new MannerlyError(
      'option-invalid',
      'expected `fetcher` to connect to the address that was judged (`caps.pinsAddress`), since the address guard cannot be promised without that',
      { hint: '`network: { unpinned: true }` takes it all the same, where no name can lead to a network of yours.' },
    );
  }
  const seedPorts = seeds.map((seed) => Number(new URL(seed).port)).filter((port) => port > 0);
  const ports = network.ports ?? [];
  if (ports !== 'any') for (const port of ports) integerIn('network.ports', port, 1, 65_535);
  return {
    allow: network.allow ?? [],
    ports: ports === 'any' ? 'any' : [...new Set([...ports, ...seedPorts])],
    resolve: network.resolve ?? null,
    cookies: resolveCookies(network.cookies),
    unpinned: network.unpinned ?? false,
    connectMs: integerIn('network.connectMs', network.connectMs ?? DEFAULTS.connectMs, 1, 600_000),
    headersMs: integerIn('network.headersMs', network.headersMs ?? DEFAULTS.headersMs, 1, 600_000),
    exchangeMs: integerIn('network.exchangeMs', network.exchangeMs ?? DEFAULTS.exchangeMs, 1, 3_600_000),
    bodyBytes: integerIn('network.bodyBytes', network.bodyBytes ?? DEFAULTS.bodyBytes, 1, 1024 * MIB),
    concurrency: integerIn('network.concurrency', network.concurrency ?? DEFAULTS.concurrency, 1, MAX_CONCURRENCY),
  };
}

function resolveCookies(cookies: unknown): CookieChoice {
  if (cookies === undefined || cookies === false) return null;
  if (cookies === true) return 'usual';
  if (typeof cookies === 'function') return cookies as () => CookieJar;
  throw new MannerlyError(
    'option-invalid',
    `expected \`network.cookies\` to be true, false or a function that makes a jar, got ${show(cookies)}`,
    { hint: '`true` makes a jar for each origin.' },
  );
}

function knownKeys(path: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new MannerlyError(
    'option-unknown',
    `\`${path}${unknown}\` is no option of createCrawler; known are ${known.join(', ')}`,
  );
}

function numberIn(option: string, value: unknown, least: number, greatest: number): number {
  if (typeof value === 'number' && value >= least && value <= greatest) return value;
  throw new MannerlyError(
    'option-invalid',
    `expected \`${option}\` to be a number from ${least} to ${greatest}, got ${show(value)}`,
  );
}

function integerIn(option: string, value: unknown, least: number, greatest: number): number {
  if (Number.isInteger(value)) return numberIn(option, value, least, greatest);
  throw new MannerlyError(
    'option-invalid',
    `expected \`${option}\` to be a whole number from ${least} to ${greatest}, got ${show(value)}`,
  );
}

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
