// How fast the crawl may be where a site asks for nothing: the profiles of the specification, read from the options.
// A site's own words only ever lengthen what a profile says (politeness/interval.ts).

import { FrontierError } from '../errors.js';
import { POLITENESS_MS_MAX } from '../limits.js';
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
   * Whether hosts that share an address are spaced as one: one request at a time for the address, and the longer interval
   * of two hosts between them. Slower where many hosts live on one machine; that machine notices. @default false
   */
  readonly perIp?: boolean;
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
  /** Milliseconds; `null`: the profile knows no longest interval (1996). */
  readonly maxMs: number | null;
  /** Whether a Request-rate in force replaces the profile's rule instead of standing beside it (1996 only). */
  readonly rateReplacesRule: boolean;
  /** 0 … 0.1, upwards only. */
  readonly jitter: number;
  readonly perIp: boolean;
  /** From one request of the crawl to the next, start to start, milliseconds; `null`: no limit. */
  readonly crawlIntervalMs: number | null;
  /** A sentence for the operator when the interval may fall below one second; `null` otherwise. */
  readonly warning: string | null;
}

const KEYS: readonly string[] = ['profile', 'jitter', 'perIp', 'requestsPerSecond'];

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
  const profile = options.profile ?? 'polite';
  for (const key of Object.keys(options)) {
    if (!KEYS.includes(key)) {
      throw new FrontierError('option-invalid', `unknown option \`politeness.${key}\`; known: ${KEYS.join(', ')}`);
    }
  }
  const jitter = numberWithin('politeness.jitter', options.jitter ?? 0, 0, JITTER_MAX);
  const perIp = options.perIp ?? false;
  if (typeof perIp !== 'boolean') {
    throw new FrontierError(
      'option-invalid',
      `expected \`politeness.perIp\` to be true or false, got ${String(perIp)}`,
    );
  }
  const { requestsPerSecond } = options;
  const crawlIntervalMs =
    requestsPerSecond === undefined
      ? null
      : 1_000 /
        numberWithin(
          'politeness.requestsPerSecond',
          requestsPerSecond,
          REQUESTS_PER_SECOND_LEAST,
          REQUESTS_PER_SECOND_MOST,
        );
  const shared = { jitter, perIp, crawlIntervalMs };
  if (typeof profile === 'string') {
    if (!Object.hasOwn(PROFILES, profile)) {
      throw new FrontierError(
        'option-invalid',
        `expected \`politeness.profile\` to be one of ${Object.keys(PROFILES).join(', ')} or an object, got ${JSON.stringify(profile)}`,
      );
    }
    return Object.freeze({ name: profile, ...PROFILES[profile], ...shared, warning: null });
  }
  return Object.freeze({ name: 'custom', ...customRule(profile), ...shared, warning: warningFor(profile) });
}

function customRule(custom: CustomPoliteness): Rule {
  const factor = numberWithin('politeness.profile.factor', custom.factor, 0, 1_000);
  const minMs = numberWithin('politeness.profile.minMs', custom.minMs, 0, POLITENESS_MS_MAX);
  const maxMs = numberWithin('politeness.profile.maxMs', custom.maxMs, minMs, POLITENESS_MS_MAX);
  return { factor, minMs, maxMs, rateReplacesRule: false };
}

function warningFor(custom: CustomPoliteness): string | null {
  if (custom.minMs >= POLITENESS_WARNING_BELOW_MS) return null;
  return `politeness.profile.minMs is ${custom.minMs} ms: hosts that ask for nothing may be visited more than once a second`;
}

function numberWithin(name: string, value: unknown, least: number, greatest: number): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= least && value <= greatest) return value;
  throw new FrontierError(
    'option-invalid',
    `expected \`${name}\` to be a finite number from ${least} to ${greatest}, got ${String(value)}`,
  );
}
