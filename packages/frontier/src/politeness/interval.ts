// When the next request to a host may start. Pure: it computes a time from the host's clock, its requirements and the
// operator's profile. The longest of all intervals wins: each is an upper bound on speed, and meeting one does not
// excuse missing another.

import { FrontierError } from '../errors.js';
import type { HostWait } from '../frontier-event.js';
import { MAX_INTERVAL_MS } from '../limits.js';
import { checkKeys, invalid, numberIn, oneOf } from '../option-value.js';
import type { HostRequirements } from '../work.js';
import type { HostClock } from './host-clock.js';
import { MAX_JITTER, MAX_REQUESTS_PER_SECOND, MIN_REQUESTS_PER_SECOND, PARKED_MS } from './limits.js';

/** What a host's robots.txt files require now, milliseconds: the strictest value of each kind. */
export type RequiredSpacing = Pick<HostRequirements, 'crawlDelayMs' | 'requestIntervalMs'>;

/** The minimum milliseconds to keep. Both apply; they count from different ends of the last exchange. */
export interface RequestInterval {
  /** From the end of one exchange to the start of the next. */
  readonly fromEndMs: number;
  /** From the start of one exchange to the start of the next (Request-rate); 0: none is in force. */
  readonly fromStartMs: number;
}

/** A time, and which requirement sets it. */
export interface EarliestStart {
  /** Epoch milliseconds, finite; 0: the host was never requested. */
  readonly atMs: number;
  readonly reason: HostWait['reason'];
}

/**
 * The interval of a host. Under the 1996 rule a Request-rate in force replaces the rule of thumb, and only Crawl-delay
 * and refusals lengthen it (DECISION A16). In every other profile the rule stays as the minimum interval.
 *
 * @see specification, access §9
 */
export function requestInterval(
  { lastRetrievalMs, adaptiveMs }: Pick<HostClock, 'lastRetrievalMs' | 'adaptiveMs'>,
  { crawlDelayMs, requestIntervalMs }: RequiredSpacing,
  politeness: Politeness,
): RequestInterval {
  const profileMs = profileIntervalMs(politeness, lastRetrievalMs, requestIntervalMs);
  return { fromEndMs: Math.max(profileMs, crawlDelayMs ?? 0, adaptiveMs), fromStartMs: requestIntervalMs ?? 0 };
}

/**
 * The time from which the next request to a host may start; it may lie in the past.
 *
 * Jitter is derived from the last exchange itself, so that repeated calls return the same time. It is only added. A
 * parked host gets a time so far ahead that nothing waits for it; an operator unparks it.
 *
 * @see specification, access §9 and §10
 */
export function earliestStart(
  { lastStartMs, lastEndMs, lastRetrievalMs, adaptiveMs, pausedUntilMs, parked }: HostClock,
  { crawlDelayMs, requestIntervalMs }: RequiredSpacing,
  politeness: Politeness,
): EarliestStart {
  let latest: EarliestStart = { atMs: 0, reason: 'interval' };
  const consider = (atMs: number, reason: EarliestStart['reason']) => {
    if (atMs > latest.atMs) latest = { atMs, reason };
  };
  if (lastEndMs !== null) {
    const jitterFactor = 1 + politeness.jitter * fractionOf(lastStartMs ?? 0, lastEndMs);
    const intervalMs = Math.max(profileIntervalMs(politeness, lastRetrievalMs, requestIntervalMs), adaptiveMs);
    consider(lastEndMs + Math.ceil(intervalMs * jitterFactor), 'interval');
    consider(lastEndMs + Math.ceil((crawlDelayMs ?? 0) * jitterFactor), 'crawl-delay');
  }
  if (lastStartMs !== null) consider(lastStartMs + (requestIntervalMs ?? 0), 'request-rate');
  if (pausedUntilMs !== null) consider(pausedUntilMs, 'host-paused');
  if (parked) consider((lastEndMs ?? 0) + PARKED_MS, 'host-parked');
  return latest;
}

/** The interval that the profile alone requires; 0: a Request-rate replaces it. */
function profileIntervalMs(
  { factor, minMs, maxMs, rateReplacesRule }: Politeness,
  lastRetrievalMs: number | null,
  requestIntervalMs: number | null,
): number {
  if (rateReplacesRule && requestIntervalMs !== null) return 0;
  const intervalMs = Math.max(minMs, factor * (lastRetrievalMs ?? 0));
  return maxMs === null ? intervalMs : Math.min(intervalMs, maxMs);
}

/** A number in [0, 1) that depends only on the exchange: an integer hash of its two times. */
function fractionOf(startMs: number, endMs: number): number {
  let hash = Math.imul((startMs % 0x7fffffff) ^ 0x9e3779b9, 0x85ebca6b) ^ (endMs % 0x7fffffff);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  return ((hash ^ (hash >>> 13)) >>> 0) / 0x1_0000_0000;
}

/** Names of the built-in profiles. */
export type PolitenessProfileName = 'polite' | 'gentle' | '1996-rule-of-thumb';

/** A custom interval: clamp(`factor` × last retrieval time, `minMs`, `maxMs`). */
export interface CustomPoliteness {
  /** Multiplies the last retrieval time. 0 … 1,000. */
  readonly factor: number;
  /** Milliseconds, 0 … one day. Less than one second is a burden on the site. */
  readonly minMs: number;
  /** Milliseconds, `minMs` … one day. */
  readonly maxMs: number;
}

/** Options for spacing. */
export interface PolitenessOptions {
  /** @default 'polite' */
  readonly profile?: PolitenessProfileName | CustomPoliteness;
  /** Share of the interval that may be added at random; it never shortens the interval. 0 … 0.1. @default 0 */
  readonly jitter?: number;
  /**
   * Which hosts that share an address are spaced as one: one request at a time for the address, and the longer interval
   * of two hosts between them. `domain`: hosts of one registrable domain; `true`: all; `false`: none.
   * @default 'domain'
   */
  readonly perIp?: boolean | 'domain';
  /**
   * `prefer`: among due hosts, those go first where it is night, between one and six in the country of their top-level
   * domain. No host gets requests earlier or more often.
   * @default 'off'
   */
  readonly quietHours?: 'off' | 'prefer';
  /** Requests per second of the whole crawl, robots.txt included, evenly spaced; 1/3,600 … 10,000. @default no limit */
  readonly requestsPerSecond?: number;
}

/** A profile with every field filled in. */
export interface Politeness {
  readonly name: PolitenessProfileName | 'custom';
  /** Multiplies the last retrieval time. */
  readonly factor: number;
  /** Milliseconds; also the interval before anything was retrieved. */
  readonly minMs: number;
  /** Milliseconds; `null`: no upper bound (1996). */
  readonly maxMs: number | null;
  /** Whether a Request-rate in force replaces the rule instead of adding to it (1996 only). */
  readonly rateReplacesRule: boolean;
  /** 0 … 0.1; only lengthens the interval. */
  readonly jitter: number;
  readonly perIp: boolean | 'domain';
  readonly quietHours: 'off' | 'prefer';
  /** From one request of the crawl to the next, start to start, milliseconds; `null`: no limit. */
  readonly crawlIntervalMs: number | null;
}

type Rule = Pick<Politeness, 'factor' | 'minMs' | 'maxMs' | 'rateReplacesRule'>;

const PROFILES: Readonly<Record<PolitenessProfileName, Rule>> = {
  polite: { factor: 2, minMs: 1_000, maxMs: 60_000, rateReplacesRule: false },
  gentle: { factor: 5, minMs: 3_000, maxMs: 60_000, rateReplacesRule: false },
  '1996-rule-of-thumb': { factor: 2, minMs: 10_000, maxMs: null, rateReplacesRule: true },
};

/**
 * Checks the options for spacing and fills in defaults.
 *
 * @throws FrontierError `option-invalid` for an unknown profile or a number out of its range.
 * @see specification, access §9
 */
export function resolvePoliteness(options: PolitenessOptions = {}): Politeness {
  checkKeys('politeness.', options, ['profile', 'jitter', 'perIp', 'quietHours', 'requestsPerSecond']);
  const { profile = 'polite', jitter = 0, perIp = 'domain', quietHours = 'off', requestsPerSecond } = options;
  const shared = {
    jitter: numberIn('politeness.jitter', jitter, 0, MAX_JITTER),
    perIp: oneOf('politeness.perIp', perIp, [true, false, 'domain']),
    quietHours: oneOf('politeness.quietHours', quietHours, ['off', 'prefer']),
    crawlIntervalMs: requestsPerSecond === undefined ? null : crawlIntervalMs(requestsPerSecond),
  };
  if (typeof profile === 'string' && Object.hasOwn(PROFILES, profile))
    return Object.freeze({ name: profile, ...PROFILES[profile], ...shared });
  if (typeof profile !== 'object' || profile === null) {
    throw invalid('politeness.profile', `one of ${Object.keys(PROFILES).join(', ')} or an object`, profile);
  }
  return Object.freeze({ name: 'custom', ...customRule(profile), ...shared });
}

function crawlIntervalMs(perSecond: number): number {
  const [min, max] = [MIN_REQUESTS_PER_SECOND, MAX_REQUESTS_PER_SECOND];
  return 1_000 / numberIn('politeness.requestsPerSecond', perSecond, min, max);
}

function customRule(profile: CustomPoliteness): Rule {
  const path = 'politeness.profile';
  const keys = ['factor', 'minMs', 'maxMs'] as const;
  checkKeys(`${path}.`, profile, keys);
  const missing = keys.filter((key) => profile[key] === undefined);
  if (missing.length > 0) {
    const [required, given] = [keys.join(', '), JSON.stringify(profile)];
    throw new FrontierError(
      'option-invalid',
      `\`${path}\` needs ${required}; ${missing.join(', ')} missing in ${given}`,
    );
  }
  const factor = numberIn(`${path}.factor`, profile.factor, 0, 1_000);
  const minMs = numberIn(`${path}.minMs`, profile.minMs, 0, MAX_INTERVAL_MS);
  const maxMs = numberIn(`${path}.maxMs`, profile.maxMs, minMs, MAX_INTERVAL_MS);
  return { factor, minMs, maxMs, rateReplacesRule: false };
}
