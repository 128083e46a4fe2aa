// The options of `createFrontier`: one type, and one function that checks them and fills in the defaults. Likewise for
// how robots.txt is read. `@mannerly/robots` checks its own options.

import type { CompileOptions } from '@mannerly/robots';
import { type AccessOptions, type ResolvedAccessOptions, resolveAccessOptions } from '@mannerly/robots/access';
import { type Clock, systemClock } from '../clock.js';
import { FrontierError } from '../errors.js';
import type { FrontierEvent } from '../frontier-event.js';
import {
  DEFAULT_LEASE_TTL_MS,
  DEFAULT_LEASED_HOSTS,
  DEFAULT_MAX_QUEUED,
  DEFAULT_UNSETTLED_PER_HOST,
  MAX_CRAWL_DELAY_MS,
  MAX_LEASE_TTL_MS,
  MAX_LEASED_HOSTS,
  MAX_MINUTES,
  MAX_PAGES,
  MAX_UNSETTLED_PER_HOST,
  MIN_LEASE_TTL_MS,
} from '../limits.js';
import { callable, checkKeys, invalid, numberIn, oneOf, wholeIn } from '../option-value.js';
import { type Politeness, type PolitenessOptions, resolvePoliteness } from '../politeness/profile.js';
import type { Bounds } from '../records/budget.js';
import { createRulesReader, type RulesReader } from '../robots/authority-rules.js';
import type { FrontierStore } from '../store.js';
import { CANONICAL_RULES, type CanonicalRule, type HostKeyBy } from '../url/url.js';
import type { NewUrl, UrlRecord } from '../url-record.js';
import type { RobotsSignals } from '../work.js';
import { type HostEntry, type HostLimits, type HostSettings, resolveHosts } from './host-settings.js';
import { type LabelEntry, type LabelSettings, resolveLabels } from './labels.js';

/**
 * The owner's last check of a URL that robots.txt allows. It returns an exclusion with the site's preference as the
 * reason, a drop of its own, or `null`: no objection. `deferred`: the URL goes behind everything else of its host, with
 * the lowest priority.
 */
export type WhyNot = (
  url: string,
  signals: RobotsSignals,
  record: UrlRecord,
) =>
  | string
  | { readonly status: 'deferred' }
  | { readonly status: 'dropped'; readonly reason: string; readonly detail: string }
  | null;

/**
 * URLs to queue with an authority's robots.txt; at the first answer they go before its pages. Called at every answer
 * that is not a failure.
 *
 * @param isFirst - Whether this is the first such answer from this authority in this crawl.
 */
export type CompanionsFor = (authority: string, isFirst: boolean) => readonly NewUrl[] | Promise<readonly NewUrl[]>;

/** Bounds of the whole crawl, restarts included. An absent bound means none. */
export interface FrontierBounds {
  /** Settled pages that count. 1 … 1e9 */
  readonly pages?: number;
  /** Pages of one host. 1 … 1e9 */
  readonly pagesPerHost?: number;
  /**
   * Decoded bytes of one host's bodies, its robots.txt included. The answer that reaches the bound is kept whole. ≥ 1
   */
  readonly bytesPerHost?: number;
  /** Running time of the crawl since the first request to a host. > 0 */
  readonly minutesPerHost?: number;
  /** Running time, from `open` to `close`. > 0 */
  readonly minutes?: number;
  /** Decoded bytes of bodies. ≥ 1 */
  readonly bytes?: number;
}

/** What a frontier is made of. */
export interface FrontierOptions {
  /** Opened and closed by the frontier; nothing else may use it meanwhile. */
  readonly store: FrontierStore;
  readonly robots: RobotsOptions;
  /** How hosts without requirements are spaced. @default the `polite` profile */
  readonly politeness?: PolitenessOptions;
  /** @default no bounds */
  readonly bounds?: FrontierBounds;
  /** Hosts with slower or narrower settings than the others; at most 1,000 entries. @default none */
  readonly hosts?: readonly HostEntry[];
  /** Settings for URLs with a label; at most 64 labels. @default none */
  readonly labels?: readonly LabelEntry[];
  /** Name of the crawl in the store. @default 'crawl' */
  readonly crawl?: string;
  /**
   * The part of the crawl's account that this process writes: a name that only one process uses at a time and reuses
   * after a restart, such as that of its folder. `null`: none, the frontier only reads.
   * @default one that no process uses any more, or a new one
   */
  readonly part?: string | null;
  /** Whether the crawl is created if it does not exist. @default true */
  readonly create?: boolean;
  /** What is spaced as one: a host name, or a registrable domain. @default 'host' */
  readonly hostKeyBy?: HostKeyBy;
  /** @default CANONICAL_RULES */
  readonly canonicalRules?: readonly CanonicalRule[];
  /** Queued URLs over all hosts, beyond which `add` answers `full`. 1 … 1e9 @default 10_000_000 */
  readonly maxQueued?: number;
  /**
   * What happens to links of pages beyond `maxQueued`: they are dropped as `frontier-full`, or kept in the store up to
   * its own limit. `add` answers `full` either way. @default 'drop'
   */
  readonly onFull?: 'spill' | 'drop';
  /** The most hosts leased at a time, 1 … 65,536. @default 1_024 */
  readonly maxHosts?: number;
  /** The most URLs of one host that are handed out and not settled, 1 … 256. @default 4 */
  readonly unsettledPerHost?: number;
  /** How long a lease lasts without renewal, milliseconds, 3,000 … 600,000. @default 30_000 */
  readonly leaseTtlMs?: number;
  /** URLs queued when an authority's robots.txt is answered, if they are not known. @default none */
  readonly companions?: CompanionsFor;
  /**
   * Called last for a URL that robots.txt allows, right before it is handed out. Returns a reason to skip it, reported
   * as `excluded`, or as `dropped` if it says so, or `null`. It can refuse, but never permit. If it throws, or returns
   * anything else, such as a promise, `take` rejects and the URL stays queued.
   * @default never refuses
   */
  readonly whyNot?: WhyNot;
  /**
   * How to merge the values that processes wrote with `writePart`, by key, once the processes are long gone. Values
   * without a function here are then lost. @default none
   */
  readonly mergeParts?: Readonly<Record<string, (values: readonly Uint8Array[]) => Uint8Array>>;
  /** Called for each queued URL that was not known before. It must not throw. */
  readonly onQueued?: (url: NewUrl) => void;
  /** Called with statuses of URLs that end here and with warnings about hosts. It must not throw. */
  readonly onEvent?: (event: FrontierEvent) => void;
  /** @default the platform's */
  readonly clock?: Clock;
  /** Numbers in [0, 1) for the jitter of robots.txt retries. @default the platform's */
  readonly random?: () => number;
}

/** Every option filled in. */
export type ResolvedFrontierOptions = Readonly<
  Required<Omit<FrontierOptions, 'robots' | 'politeness' | 'bounds' | 'hosts' | 'labels' | 'part'>>
> &
  ResolvedRobotsOptions & {
    readonly politeness: Politeness;
    readonly bounds: Bounds & HostLimits;
    /** The settings of a host, by its key. */
    readonly settingsOf: (host: string) => HostSettings;
    /** By name. */
    readonly labels: ReadonlyMap<string, LabelSettings>;
    /** Whether any host or label has its own weight. */
    readonly isWeighted: boolean;
    /** `undefined`: any free one. */
    readonly part: string | null | undefined;
  };

const KEYS =
  'store robots politeness bounds hosts labels crawl part create hostKeyBy canonicalRules maxQueued onFull maxHosts ' +
  'unsettledPerHost leaseTtlMs companions whyNot mergeParts onQueued onEvent clock random';

/**
 * Checks options and fills in defaults.
 *
 * @throws FrontierError `option-invalid`: names the option, its range and the value.
 */
export function resolveOptions(options: FrontierOptions): ResolvedFrontierOptions {
  checkKeys('', options, KEYS.split(' '));
  const { store, crawl = 'crawl', part } = options;
  const {
    maxQueued = DEFAULT_MAX_QUEUED,
    maxHosts = DEFAULT_LEASED_HOSTS,
    unsettledPerHost = DEFAULT_UNSETTLED_PER_HOST,
  } = options;
  const { leaseTtlMs = DEFAULT_LEASE_TTL_MS } = options;
  checkStore(store);
  if (typeof crawl !== 'string' || crawl === '') throw invalid('crawl', 'a name', crawl);
  if (part !== undefined && part !== null && (typeof part !== 'string' || !/^[\w.:-]{1,128}$/.test(part)))
    throw invalid('part', '1 to 128 letters, digits and any of _.:-', part);
  return Object.freeze({
    store,
    ...resolveSettings(options),
    crawl,
    part,
    create: oneOf('create', options.create ?? true, [true, false]),
    canonicalRules: checkRules(options.canonicalRules ?? CANONICAL_RULES),
    maxQueued: wholeIn('maxQueued', maxQueued, 1, MAX_PAGES),
    onFull: oneOf('onFull', options.onFull ?? 'drop', ['spill', 'drop']),
    maxHosts: wholeIn('maxHosts', maxHosts, 1, MAX_LEASED_HOSTS),
    unsettledPerHost: wholeIn('unsettledPerHost', unsettledPerHost, 1, MAX_UNSETTLED_PER_HOST),
    leaseTtlMs: wholeIn('leaseTtlMs', leaseTtlMs, MIN_LEASE_TTL_MS, MAX_LEASE_TTL_MS),
    companions: callable('companions', options.companions ?? (() => [])),
    whyNot: checkedWhyNot(callable('whyNot', options.whyNot ?? (() => null))),
    mergeParts: options.mergeParts ?? {},
    onQueued: callable('onQueued', options.onQueued ?? (() => undefined)),
    onEvent: callable('onEvent', options.onEvent ?? (() => undefined)),
    clock: checkClock(options.clock ?? systemClock()),
    random: callable('random', options.random ?? platformRandom),
  });
}

/**
 * Checks the options that say how sites are treated.
 *
 * @throws FrontierError `option-invalid`: names the option, its range and the value.
 */
export function resolveSettings(
  options: Pick<FrontierOptions, 'robots' | 'politeness' | 'bounds' | 'hosts' | 'labels' | 'hostKeyBy'>,
): Pick<ResolvedFrontierOptions, 'politeness' | 'bounds' | 'settingsOf' | 'hostKeyBy' | 'labels' | 'isWeighted'> &
  ResolvedRobotsOptions {
  const politeness = resolvePoliteness(options.politeness);
  const bounds = resolveBounds(options.bounds ?? {});
  const hostKeyBy = oneOf('hostKeyBy', options.hostKeyBy ?? 'host', ['host', 'domain']);
  const settingsOf = resolveHosts(options.hosts ?? [], politeness, bounds, hostKeyBy);
  const labels = resolveLabels(options.labels ?? []);
  const weights = [...labels.values(), ...(options.hosts ?? [])].map(({ weight }) => weight ?? 1);
  const isWeighted = weights.some((weight) => weight !== 1);
  return { ...resolveRobotsOptions(options.robots), politeness, bounds, settingsOf, hostKeyBy, labels, isWeighted };
}

function checkRules(rules: readonly CanonicalRule[]): readonly CanonicalRule[] {
  if (Array.isArray(rules) && rules.every((rule) => typeof rule?.apply === 'function')) return rules;
  throw invalid('canonicalRules', 'a list of rules with a function `apply`', rules);
}

function checkClock(clock: Clock): Clock {
  callable('clock.nowMs', clock.nowMs);
  callable('clock.after', clock.after);
  return clock;
}

/** Refuses other answers, such as the promise of an async function: they would end URLs without a reason. */
function checkedWhyNot(whyNot: WhyNot): WhyNot {
  return (url, signals, record) => {
    const answer = whyNot(url, signals, record);
    if (answer === null || typeof answer === 'string') return answer;
    if (answer?.status === 'deferred' || (answer?.status === 'dropped' && typeof answer.reason === 'string'))
      return answer;
    throw invalid('whyNot', 'a function that returns `null`, a reason, or an object with a `status`', answer);
  };
}

/** An absent bound is `null`. */
function resolveBounds(bounds: FrontierBounds): Bounds & HostLimits {
  checkKeys('bounds.', bounds, ['pages', 'pagesPerHost', 'bytesPerHost', 'minutesPerHost', 'minutes', 'bytes']);
  const integer = (key: keyof FrontierBounds, max: number) => {
    const value = bounds[key];
    return value === undefined ? null : wholeIn(`bounds.${key}`, value, 1, max);
  };
  const runningMs = (key: keyof FrontierBounds) => {
    const value = bounds[key];
    return value === undefined ? null : 60_000 * numberIn(`bounds.${key}`, value, Number.MIN_VALUE, MAX_MINUTES);
  };
  return Object.freeze({
    pages: integer('pages', MAX_PAGES),
    pagesPerHost: integer('pagesPerHost', MAX_PAGES),
    bytesPerHost: integer('bytesPerHost', Number.MAX_SAFE_INTEGER),
    runningPerHostMs: runningMs('minutesPerHost'),
    runningMs: runningMs('minutes'),
    bytes: integer('bytes', Number.MAX_SAFE_INTEGER),
  });
}

function platformRandom(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32;
}

/** How robots.txt is read, and what happens if it is unavailable. Fields of `@mannerly/robots` keep their meaning. */
export interface RobotsOptions extends CompileOptions, Omit<AccessOptions, 'dialect' | 'policy'> {
  /** Over `maxCrawlDelayMs`: `clamp` the delay, or `skip-host`, dropping its URLs. @default 'clamp' */
  readonly onLongCrawlDelay?: 'clamp' | 'skip-host';
  /** Outside Visit-time: `hold` the host, `warn` and visit it, or `ignore` the line. @default 'hold' */
  readonly visitTime?: 'hold' | 'warn' | 'ignore';
  /** Clean-param: its parameters are not part of a URL's key (`dedupe`), or it is only exposed. @default 'expose' */
  readonly cleanParam?: 'dedupe' | 'expose';
  /**
   * Host, the site's preferred mirror: only exposed, or with `canonicalize` URLs count under that host's name if it is
   * in the same registrable domain. @default 'expose'
   */
  readonly host?: 'expose' | 'canonicalize';
}

interface ResolvedRobotsOptions {
  readonly access: ResolvedAccessOptions;
  readonly readRules: RulesReader;
  readonly maxCrawlDelayMs: number;
}

const ACCESS_KEYS = new Set(['accessProfile', 'onForbidden', 'afterUnreachable', 'unreachableDays', 'maxHoldMs']);

/** Checks how robots.txt should be read, and creates the reader. @throws FrontierError `option-invalid`. */
function resolveRobotsOptions(robots: RobotsOptions): ResolvedRobotsOptions {
  if (typeof robots !== 'object' || robots === null) throw invalid('robots', 'an object with `tokens`', robots);
  const {
    maxCrawlDelayMs = MAX_CRAWL_DELAY_MS,
    onLongCrawlDelay = 'clamp',
    visitTime = 'hold',
    cleanParam = 'expose',
    host = 'expose',
    ...rest
  } = robots;
  numberIn('robots.maxCrawlDelayMs', maxCrawlDelayMs, 1_000, MAX_CRAWL_DELAY_MS);
  oneOf('robots.onLongCrawlDelay', onLongCrawlDelay, ['clamp', 'skip-host']);
  oneOf('robots.visitTime', visitTime, ['hold', 'warn', 'ignore']);
  oneOf('robots.cleanParam', cleanParam, ['dedupe', 'expose']);
  oneOf('robots.host', host, ['expose', 'canonicalize']);
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  const access = Object.fromEntries(given.filter(([key]) => ACCESS_KEYS.has(key)));
  // Creating the reader refuses unknown options by name.
  const compile = Object.fromEntries(given.filter(([key]) => !ACCESS_KEYS.has(key))) as unknown as CompileOptions;
  const { dialect, policy } = rest;
  try {
    return {
      access: resolveAccessOptions({ ...access, ...(dialect ? { dialect } : {}), ...(policy ? { policy } : {}) }),
      readRules: createRulesReader(compile, { visitTime, maxCrawlDelayMs, onLongCrawlDelay, cleanParam, host }),
      maxCrawlDelayMs,
    };
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new FrontierError('option-invalid', `\`robots\`: ${text}`, { cause });
  }
}

/** The verbs that every store has. */
const STORE_VERBS = [
  ...(['open', 'add', 'lease', 'wake', 'commit', 'nextDueInMs', 'readRecord', 'writeRecord'] as const),
  ...(['stats', 'scan', 'close'] as const),
];

/** A batch or a body without a limit would be queued in part, or not at all. */
function checkStore(store: FrontierStore | undefined): void {
  const missing = STORE_VERBS.filter((verb) => typeof store?.[verb] !== 'function');
  if (store === undefined || missing.length > 0)
    throw invalid('store', `a FrontierStore with ${missing.join(', ')}`, store);
  const { shared, durable, maxBody, maxBatch } = store.capabilities ?? {};
  oneOf('store.capabilities.shared', shared, [true, false]);
  oneOf('store.capabilities.durable', durable, ['none', 'process', 'power']);
  wholeIn('store.capabilities.maxBody', maxBody, 1, Number.MAX_SAFE_INTEGER);
  wholeIn('store.capabilities.maxBatch', maxBatch, 1, Number.MAX_SAFE_INTEGER);
}
