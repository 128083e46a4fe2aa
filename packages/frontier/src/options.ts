// What a caller of `createFrontier` may say: one type, one set of defaults, one function that checks and fills in.

import type { CompileOptions } from '@mannerly/robots';
import { type AccessOptions, type ResolvedAccessOptions, resolveAccessOptions } from '@mannerly/robots/access';
import { type Clock, systemClock } from './clock.js';
import { FrontierError } from './errors.js';
import type { FrontierEvent } from './frontier-event.js';
import {
  CRAWL_DELAY_MOST_MS,
  HOSTS_HELD,
  HOSTS_HELD_MOST,
  LEASE_TTL_LEAST_MS,
  LEASE_TTL_MOST_MS,
  LEASE_TTL_MS,
  MINUTES_MOST,
  PAGES_MOST,
  QUEUED_MAX,
  UNSETTLED_PER_HOST,
  UNSETTLED_PER_HOST_MOST,
} from './limits.js';
import { type Politeness, type PolitenessOptions, resolvePoliteness } from './politeness/profile.js';
import type { Bounds } from './records/budget.js';
import type { RulesReader } from './robots/authority-rules.js';
import { createRulesReader } from './robots/authority-rules.js';
import type { FrontierStore } from './store.js';
import { CANONICAL_RULES, type CanonicalRule } from './url/canonicalize.js';
import type { HostKeyBy } from './url/host-key.js';
import type { NewUrl, UrlRecord } from './url-record.js';
import type { RobotsSignals } from './work.js';

/** Who asks, how robots.txt is read, and what happens when it does not come. Fields of `@mannerly/robots` keep their meaning. */
export interface RobotsOptions
  extends Omit<CompileOptions, 'crawlDelayMaxSeconds'>,
    Omit<AccessOptions, 'dialect' | 'policy'> {
  readonly crawlDelay?: {
    /** Honoured exactly up to here, seconds, 1 … 86,400. Less goes faster than sites ask. @default 86_400 */
    readonly maxSeconds?: number;
    /** Over it: `clamp` the delay, or `skip-host`, dropping its URLs. @default 'clamp' */
    readonly onOverMax?: 'clamp' | 'skip-host';
  };
  /** Outside Visit-time: `hold` the host, or only `warn`, or `ignore`. Both others visit when asked not to. @default 'hold' */
  readonly visitTime?: 'hold' | 'warn' | 'ignore';
  /** Clean-param of a file: its parameters leave the key under which URLs are known (`dedupe`), or it is only exposed. @default 'dedupe' */
  readonly cleanParam?: 'dedupe' | 'expose';
  /**
   * Host of a file, the site's preferred mirror: only exposed, or `canonicalise`: URLs count as known under that host's
   * name, where it is of the same registrable domain. @default 'expose'
   */
  readonly host?: 'expose' | 'canonicalise';
}

/** How much, over the whole crawl, restarts included. An absent bound is none. */
export interface FrontierBounds {
  /** Settled pages that count. 1 … 1e9 */
  readonly pages?: number;
  /** Pages of one host. 1 … 1e9 */
  readonly pagesPerHost?: number;
  /** Decoded octets of one host's bodies, its robots.txt among them; the answer that reaches it is kept whole. ≥ 1 */
  readonly bytesPerHost?: number;
  /** Running time of the crawl since the first request to a host. > 0 */
  readonly minutesPerHost?: number;
  /** Running time, from `open` to `close`. > 0 */
  readonly minutes?: number;
  /** Decoded octets of bodies. ≥ 1 */
  readonly bytes?: number;
}

/** The owner's last word about a URL that robots.txt allows: the site's wish as one word, or its own as a drop; `null`: none. */
export type WhyNot = (
  url: string,
  signals: RobotsSignals,
  record: UrlRecord,
) => string | { readonly word: 'dropped'; readonly reason: string; readonly detail: string } | null;

/**
 * URLs to queue beside an authority's robots.txt, before its pages: asked for at every answer that is no failure.
 *
 * @param isFirst - No such answer had come from this authority in this crawl.
 */
export type CompanionsFor = (authority: string, isFirst: boolean) => readonly NewUrl[] | Promise<readonly NewUrl[]>;

/** What a frontier is made of. */
export interface FrontierOptions {
  /** Opened and closed by the frontier; nobody else may use it meanwhile. */
  readonly store: FrontierStore;
  readonly robots: RobotsOptions;
  /** How hosts are spaced where they ask for nothing. @default the `polite` profile */
  readonly politeness?: PolitenessOptions;
  /** @default no bounds */
  readonly bounds?: FrontierBounds;
  /** Name of the crawl in the store. @default 'crawl' */
  readonly crawl?: string;
  /** Names this process among those that share the store. @default a random name */
  readonly owner?: string;
  /**
   * The part of the crawl's account that this process writes: a name that only one process uses at a time and that it takes up again
   * when it is restarted, such as that of its folder. `null`: none, the frontier is only looked into.
   * @default one that nobody uses any more, else a new one
   */
  readonly part?: string | null;
  /** Whether an absent crawl is made. @default true */
  readonly create?: boolean;
  /** What is spaced as one: a host name, or a registrable domain. @default 'host' */
  readonly hostKeyBy?: HostKeyBy;
  /** @default CANONICAL_RULES */
  readonly canonicalRules?: readonly CanonicalRule[];
  /** Queued URLs over all hosts past which `add` answers `full`. 1 … 1e9 @default 10_000_000 */
  readonly maxQueued?: number;
  /** Hosts held at a time, 1 … 65,536. @default 1_024 */
  readonly maxHosts?: number;
  /** URLs of one host handed out and not settled, 1 … 256. @default 4 */
  readonly unsettledPerHost?: number;
  /** How long a host stays ours without renewal, milliseconds, 3,000 … 600,000. @default 30_000 */
  readonly leaseTtlMs?: number;
  /** URLs queued when an authority's robots.txt is answered; those that are known are not queued again. @default none */
  readonly companions?: CompanionsFor;
  /**
   * Asked last about a URL that robots.txt allows, right before it is handed out: a reason to leave it alone, told as
   * `excluded`, or as `dropped` where that is said, or `null`. It may refuse, never permit. It must not throw.
   * @default never refuses
   */
  readonly whyNot?: WhyNot;
  /** Told of each URL that was queued and was not known before. It must not throw. */
  readonly onQueued?: (url: NewUrl) => void;
  /** Told of final words that fall here and of what an operator should know. It must not throw. */
  readonly onEvent?: (event: FrontierEvent) => void;
  /** @default the platform's */
  readonly clock?: Clock;
  /** Numbers in [0, 1) for the jitter of robots.txt retries. @default the platform's */
  readonly random?: () => number;
  /** Key of the fingerprints, at least 16 characters; for tests. @default drawn once and kept in the store */
  readonly secret?: string;
}

/** Every option filled in. */
export interface FrontierSettings {
  readonly store: FrontierStore;
  readonly access: ResolvedAccessOptions;
  readonly readRules: RulesReader;
  readonly crawlDelayMaxMs: number;
  readonly politeness: Politeness;
  readonly bounds: Bounds;
  readonly crawl: string;
  readonly owner: string;
  /** `undefined`: one that is free. */
  readonly part: string | null | undefined;
  readonly create: boolean;
  readonly hostKeyBy: HostKeyBy;
  readonly canonicalRules: readonly CanonicalRule[];
  readonly maxQueued: number;
  readonly maxHosts: number;
  readonly unsettledPerHost: number;
  readonly leaseTtlMs: number;
  readonly companions: CompanionsFor;
  readonly whyNot: WhyNot;
  readonly onQueued: (url: NewUrl) => void;
  readonly onEvent: (event: FrontierEvent) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly secret: string | null;
}

/** The defaults that are plain values. */
export const DEFAULTS = Object.freeze({
  crawl: 'crawl',
  create: true,
  hostKeyBy: 'host',
  maxQueued: QUEUED_MAX,
  maxHosts: HOSTS_HELD,
  unsettledPerHost: UNSETTLED_PER_HOST,
  leaseTtlMs: LEASE_TTL_MS,
  visitTime: 'hold',
  cleanParam: 'dedupe',
  host: 'expose',
  crawlDelay: Object.freeze({ maxSeconds: CRAWL_DELAY_MOST_MS / 1000, onOverMax: 'clamp' }),
} as const);

const KEYS = [
  ...[
    'store',
    'robots',
    'politeness',
    'bounds',
    'crawl',
    'owner',
    'part',
    'create',
    'hostKeyBy',
    'canonicalRules',
    'maxQueued',
  ],
  ...[
    'maxHosts',
    'unsettledPerHost',
    'leaseTtlMs',
    'companions',
    'whyNot',
    'onQueued',
    'onEvent',
    'clock',
    'random',
    'secret',
  ],
];
const ACCESS_KEYS = ['accessProfile', 'onForbidden', 'afterUnreachable', 'unreachableDays', 'holdMaxMs'] as const;

/**
 * Checks options and fills in what is absent.
 *
 * @throws FrontierError `option-invalid`: names the option, its range and the value.
 */
export function resolveOptions(options: FrontierOptions): FrontierSettings {
  knownKeys('', options, KEYS);
  if (typeof options.store?.lease !== 'function') throw invalid('store', 'a FrontierStore', options.store);
  const { crawl = DEFAULTS.crawl, owner = randomName(), create = DEFAULTS.create, secret = null, part } = options;
  if (typeof crawl !== 'string' || crawl === '') throw invalid('crawl', 'a name', crawl);
  if (typeof owner !== 'string' || owner === '') throw invalid('owner', 'a name', owner);
  if (part !== undefined && part !== null && !/^[\w.:-]{1,128}$/.test(part))
    throw invalid('part', '1 to 128 letters, digits and any of _.:-', part);
  if (typeof create !== 'boolean') throw invalid('create', 'true or false', create);
  if (secret !== null && (typeof secret !== 'string' || secret.length < 16))
    throw invalid('secret', '16 characters', secret);
  return Object.freeze({
    store: options.store,
    ...robotsSettings(options.robots),
    politeness: resolvePoliteness(options.politeness),
    bounds: boundsOf(options.bounds ?? {}),
    crawl,
    owner,
    part,
    create,
    hostKeyBy: oneOf('hostKeyBy', options.hostKeyBy ?? DEFAULTS.hostKeyBy, ['host', 'domain']),
    canonicalRules: options.canonicalRules ?? CANONICAL_RULES,
    maxQueued: whole('maxQueued', options.maxQueued ?? DEFAULTS.maxQueued, 1, PAGES_MOST),
    maxHosts: whole('maxHosts', options.maxHosts ?? DEFAULTS.maxHosts, 1, HOSTS_HELD_MOST),
    unsettledPerHost: whole(
      'unsettledPerHost',
      options.unsettledPerHost ?? DEFAULTS.unsettledPerHost,
      1,
      UNSETTLED_PER_HOST_MOST,
    ),
    leaseTtlMs: whole('leaseTtlMs', options.leaseTtlMs ?? DEFAULTS.leaseTtlMs, LEASE_TTL_LEAST_MS, LEASE_TTL_MOST_MS),
    companions: callable('companions', options.companions ?? (() => [])),
    whyNot: callable('whyNot', options.whyNot ?? (() => null)),
    onQueued: callable('onQueued', options.onQueued ?? (() => undefined)),
    onEvent: callable('onEvent', options.onEvent ?? (() => undefined)),
    clock: options.clock ?? systemClock(),
    random: callable('random', options.random ?? platformRandom),
    secret,
  });
}

/**
 * Checks how robots.txt is to be read, without making anything.
 *
 * @throws FrontierError `option-invalid`.
 */
export function checkRobotsOptions(robots: RobotsOptions): void {
  robotsSettings(robots);
}

function robotsSettings(robots: RobotsOptions): Pick<FrontierSettings, 'access' | 'readRules' | 'crawlDelayMaxMs'> {
  if (typeof robots !== 'object' || robots === null) throw invalid('robots', 'an object with `tokens`', robots);
  if ('crawlDelayMaxSeconds' in robots) {
    throw new FrontierError('option-invalid', 'unknown option `robots.crawlDelayMaxSeconds`', {
      hint: 'say `robots.crawlDelay.maxSeconds`',
    });
  }
  const { crawlDelay = {}, visitTime = DEFAULTS.visitTime, ...others } = robots;
  const { cleanParam = DEFAULTS.cleanParam, host = DEFAULTS.host, ...rest } = others;
  knownKeys('robots.crawlDelay.', crawlDelay, ['maxSeconds', 'onOverMax']);
  const maxSeconds = crawlDelay.maxSeconds ?? DEFAULTS.crawlDelay.maxSeconds;
  const crawlDelayMaxMs = 1000 * number('robots.crawlDelay.maxSeconds', maxSeconds, 1, CRAWL_DELAY_MOST_MS / 1000);
  const onOverMax = oneOf('robots.crawlDelay.onOverMax', crawlDelay.onOverMax ?? DEFAULTS.crawlDelay.onOverMax, [
    'clamp',
    'skip-host',
  ]);
  oneOf('robots.visitTime', visitTime, ['hold', 'warn', 'ignore']);
  oneOf('robots.cleanParam', cleanParam, ['dedupe', 'expose']);
  oneOf('robots.host', host, ['expose', 'canonicalise']);
  const access: Record<string, unknown> = {};
  const compile: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(rest)) {
    if (value !== undefined) ((ACCESS_KEYS as readonly string[]).includes(key) ? access : compile)[key] = value;
  }
  const { dialect, policy } = rest;
  try {
    return {
      access: resolveAccessOptions({ ...access, ...(dialect ? { dialect } : {}), ...(policy ? { policy } : {}) }),
      // What is no option of reading is refused there, by name.
      readRules: createRulesReader(compile as unknown as CompileOptions, {
        visitTime,
        crawlDelayMaxMs,
        onOverMax,
        cleanParam,
        host,
      }),
      crawlDelayMaxMs,
    };
  } catch (cause) {
    throw new FrontierError('option-invalid', `\`robots\`: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

function boundsOf(bounds: FrontierBounds): Bounds {
  knownKeys('bounds.', bounds, ['pages', 'pagesPerHost', 'bytesPerHost', 'minutesPerHost', 'minutes', 'bytes']);
  const { pages, pagesPerHost, bytesPerHost, minutesPerHost, minutes, bytes } = bounds;
  const runningMs = (name: string, value: number | undefined) =>
    value === undefined ? null : 60_000 * number(name, value, Number.MIN_VALUE, MINUTES_MOST);
  const octets = (name: string, value: number | undefined) =>
    value === undefined ? null : whole(name, value, 1, Number.MAX_SAFE_INTEGER);
  return Object.freeze({
    pages: pages === undefined ? null : whole('bounds.pages', pages, 1, PAGES_MOST),
    pagesPerHost: pagesPerHost === undefined ? null : whole('bounds.pagesPerHost', pagesPerHost, 1, PAGES_MOST),
    bytesPerHost: octets('bounds.bytesPerHost', bytesPerHost),
    runningPerHostMs: runningMs('bounds.minutesPerHost', minutesPerHost),
    runningMs: runningMs('bounds.minutes', minutes),
    bytes: octets('bounds.bytes', bytes),
  });
}

function knownKeys(path: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null)
    throw invalid(path.replace(/\.$/, '') || 'options', 'an object', given);
  for (const key of Object.keys(given)) {
    if (!known.includes(key))
      throw new FrontierError('option-invalid', `unknown option \`${path}${key}\`; known: ${known.join(', ')}`);
  }
}

function number(name: string, value: number, least: number, greatest: number): number {
  if (typeof value === 'number' && value >= least && value <= greatest) return value;
  throw invalid(name, `a number from ${least} to ${greatest}`, value);
}

function whole(name: string, value: number, least: number, greatest: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= greatest) return value;
  throw invalid(name, `a whole number from ${least} to ${greatest}`, value);
}

function oneOf<const T extends string>(name: string, value: T, known: readonly T[]): T {
  if (known.includes(value)) return value;
  throw invalid(name, `one of ${known.join(', ')}`, value);
}

function callable<T>(name: string, value: T): T {
  if (typeof value === 'function') return value;
  throw invalid(name, 'a function', value);
}

function invalid(name: string, expected: string, got: unknown): FrontierError {
  const told =
    typeof got === 'string' ? JSON.stringify(got) : typeof got === 'object' && got !== null ? 'an object' : String(got);
  return new FrontierError('option-invalid', `expected \`${name}\` to be ${expected}, got ${told}`);
}

function randomName(): string {
  return crypto.randomUUID();
}

function platformRandom(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32;
}
