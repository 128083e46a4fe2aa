// How fast the crawl may be where a site requires nothing: the profiles of the specification, read from the options.
// A site's own requirements only ever lengthen what a profile says (politeness/interval.ts).

import { FrontierError } from '../errors.js';
import { POLITENESS_MS_MAX } from '../limits.js';
import { invalid, knownKeys, numberIn } from '../option-value.js';
import {
  JITTER_MAX,
  POLITENESS_WARNING_BELOW_MS,
  REQUESTS_PER_SECOND_LEAST,
  REQUESTS_PER_SECOND_MOST,
} from './limits.js';

/** Names of the built-in profiles. */
export type PolitenessProfileName = 'polite' | 'gentle' | '1996-rule-of-thumb';

/** An interval of the operator's own: clamp(`factor` × last retrieval time, `minMs`, `maxMs`). */
export interface CustomPoliteness {
  /** Times the last retrieval time. 0 … 1,000. */
  readonly factor: number;
  /** Milliseconds, 0 … one day. Below one second the site pays for the hurry, and `Politeness.warning` says so. */
  readonly minMs: number;
  /** Milliseconds, `minMs` … one day. */
  readonly maxMs: number;
}

/** What an operator may say about spacing. */
export interface PolitenessOptions {
  /** @default 'polite' */
  readonly profile?: PolitenessProfileName | CustomPoliteness;
  /** Share of the interval that may be added at random, upwards only. 0 … 0.1. @default 0 */
  readonly jitter?: number;
  /**
   * Which hosts that share an address are spaced as one: one request at a time for the address, and the longer interval
   * of two hosts between them. `domain`: those of one registrable domain; `true`: all; `false`: none. @default 'domain'
   */
  readonly perIp?: boolean | 'domain';
  /** Requests per second of the whole crawl, robots.txt included, evenly spaced; 1/3,600 … 10,000. @default no limit */
  readonly requestsPerSecond?: number;
}

/** A profile with every field filled in. */
export interface Politeness {
  readonly name: PolitenessProfileName | 'custom';
  /** Times the last retrieval time. */
  readonly factor: number;
  /** Milliseconds; also the interval before anything was retrieved. */
  readonly minMs: number;
  /** Milliseconds; `null`: no longest interval (1996). */
  readonly maxMs: number | null;
  /** Whether a Request-rate in force replaces the rule instead of adding to it (1996 only). */
  readonly rateReplacesRule: boolean;
  /** 0 … 0.1, upwards only. */
  readonly jitter: number;
  readonly perIp: boolean | 'domain';
  /** From one request of the crawl to the next, start to start, milliseconds; `null`: no limit. */
  readonly crawlIntervalMs: number | null;
  /** A sentence for the operator when the interval may fall below one second; `null` otherwise. */
  readonly warning: string | null;
}

type Rule = Pick<Politeness, 'factor' | 'minMs' | 'maxMs' | 'rateReplacesRule'>;

const PROFILES: Readonly<Record<PolitenessProfileName, Rule>> = {
  polite: { factor: 2, minMs: 1_000, maxMs: 60_000, rateReplacesRule: false },
  gentle: { factor: 5, minMs: 3_000, maxMs: 60_000, rateReplacesRule: false },
  '1996-rule-of-thumb': { factor: 2, minMs: 10_000, maxMs: null, rateReplacesRule: true },
};

/**
 * Checks the options of spacing and fills them in.
 *
 * @throws FrontierError `option-invalid` for an unknown profile or a number out of its range.
 * @see specification, access §9
 */
export function resolvePoliteness(options: PolitenessOptions = {}): Politeness {
  knownKeys('politeness.', options, ['profile', 'jitter', 'perIp', 'requestsPerSecond']);
  const { profile = 'polite', jitter = 0, perIp = 'domain', requestsPerSecond } = options;
  const shared = {
    jitter: numberIn('politeness.jitter', jitter, 0, JITTER_MAX),
    perIp: addressRule(perIp),
    crawlIntervalMs: requestsPerSecond === undefined ? null : crawlIntervalMs(requestsPerSecond),
  };
  if (typeof profile === 'string' && Object.hasOwn(PROFILES, profile))
    return Object.freeze({ name: profile, ...PROFILES[profile], ...shared, warning: null });
  if (typeof profile !== 'object' || profile === null) {
    throw invalid('politeness.profile', `one of ${Object.keys(PROFILES).join(', ')} or an object`, profile);
  }
  return Object.freeze({ name: 'custom', ...customRule(profile), ...shared, warning: warningFor(profile) });
}

function addressRule(perIp: boolean | 'domain'): boolean | 'domain' {
  if (typeof perIp === 'boolean' || perIp === 'domain') return perIp;
  throw invalid('politeness.perIp', "true, false or 'domain'", perIp);
}

function crawlIntervalMs(perSecond: number): number {
  const [least, most] = [REQUESTS_PER_SECOND_LEAST, REQUESTS_PER_SECOND_MOST];
  return 1_000 / numberIn('politeness.requestsPerSecond', perSecond, least, most);
}

function customRule(profile: CustomPoliteness): Rule {
  const path = 'politeness.profile';
  const keys = ['factor', 'minMs', 'maxMs'] as const;
  knownKeys(`${path}.`, profile, keys);
  const missing = keys.filter((key) => profile[key] === undefined);
  if (missing.length > 0) {
    const [needed, given] = [keys.join(', '), JSON.stringify(profile)];
    throw new FrontierError('option-invalid', `\`${path}\` needs ${needed}; ${missing.join(', ')} missing in ${given}`);
  }
  const factor = numberIn(`${path}.factor`, profile.factor, 0, 1_000);
  const minMs = numberIn(`${path}.minMs`, profile.minMs, 0, POLITENESS_MS_MAX);
  const maxMs = numberIn(`${path}.maxMs`, profile.maxMs, minMs, POLITENESS_MS_MAX);
  return { factor, minMs, maxMs, rateReplacesRule: false };
}

function warningFor({ minMs }: CustomPoliteness): string | null {
  if (minMs >= POLITENESS_WARNING_BELOW_MS) return null;
  return `politeness.profile.minMs is ${minMs} ms: hosts without requirements may be visited more than once a second`;
}
