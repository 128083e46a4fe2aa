// The profile of a crawl: its pace where a site asks for nothing. Options, and their check.

import { MAX_INTERVAL_MS } from '../limits.js';
import { checkKeys, invalid, numberIn, oneOf } from '../option-value.js';
import { MAX_JITTER, MAX_REQUESTS_PER_SECOND, MIN_REQUESTS_PER_SECOND } from './limits.js';

/** Names of the built-in profiles. */
export type PolitenessProfileName = 'polite' | 'gentle' | '1996-rule-of-thumb';

/** A custom interval: clamp(`factor` × last retrieval time, `minMs`, `maxMs`). */
export interface CustomPoliteness {
  /** Multiplies the last retrieval time. 0 … 1,000. @default 2 */
  readonly factor?: number;
  /** Milliseconds, 0 … one day. Less than one second is a burden on the site. @default 1,000 */
  readonly minMs?: number;
  /** Milliseconds, `minMs` … one day. @default 60,000, or `minMs` if that is longer */
  readonly maxMs?: number;
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
  checkKeys(`${path}.`, profile, ['factor', 'minMs', 'maxMs']);
  const { polite } = PROFILES;
  const factor = numberIn(`${path}.factor`, profile.factor ?? polite.factor, 0, 1_000);
  const minMs = numberIn(`${path}.minMs`, profile.minMs ?? polite.minMs, 0, MAX_INTERVAL_MS);
  const maxMs = numberIn(`${path}.maxMs`, profile.maxMs ?? Math.max(60_000, minMs), minMs, MAX_INTERVAL_MS);
  return { factor, minMs, maxMs, rateReplacesRule: false };
}
