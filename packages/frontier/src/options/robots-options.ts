// How robots.txt is read and what happens when it does not come: what a caller may say of it, checked and filled in. What is an
// option of `@mannerly/robots` is checked there.

import type { CompileOptions } from '@mannerly/robots';
import { type AccessOptions, type ResolvedAccessOptions, resolveAccessOptions } from '@mannerly/robots/access';
import { FrontierError } from '../errors.js';
import { CRAWL_DELAY_MOST_MS } from '../limits.js';
import { createRulesReader, type RulesReader } from '../robots/authority-rules.js';
import { invalid, knownKeys, numberIn, oneOf } from './option-value.js';

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
   * Host of a file, the site's preferred mirror: only exposed, or `canonicalize`: URLs count as known under that host's
   * name, where it is of the same registrable domain. @default 'expose'
   */
  readonly host?: 'expose' | 'canonicalize';
}

/** The same as the frontier reads it. */
export interface RobotsSettings {
  readonly access: ResolvedAccessOptions;
  readonly readRules: RulesReader;
  readonly crawlDelayMaxMs: number;
}

/** What is used where nothing is said. */
const ROBOTS_DEFAULTS = Object.freeze({
  visitTime: 'hold',
  cleanParam: 'dedupe',
  host: 'expose',
  crawlDelay: Object.freeze({ maxSeconds: CRAWL_DELAY_MOST_MS / 1000, onOverMax: 'clamp' }),
} as const);

const ACCESS_KEYS = ['accessProfile', 'onForbidden', 'afterUnreachable', 'unreachableDays', 'holdMaxMs'] as const;

/**
 * Checks how robots.txt is to be read, without making anything.
 *
 * @throws FrontierError `option-invalid`.
 */
export function checkRobotsOptions(robots: RobotsOptions): void {
  robotsSettings(robots);
}

/**
 * Checks how robots.txt is to be read, and makes its reader.
 *
 * @throws FrontierError `option-invalid`.
 */
export function robotsSettings(robots: RobotsOptions): RobotsSettings {
  if (typeof robots !== 'object' || robots === null) throw invalid('robots', 'an object with `tokens`', robots);
  if ('crawlDelayMaxSeconds' in robots) {
    throw new FrontierError('option-invalid', 'unknown option `robots.crawlDelayMaxSeconds`', {
      hint: 'say `robots.crawlDelay.maxSeconds`',
    });
  }
  const { crawlDelay = {}, visitTime = ROBOTS_DEFAULTS.visitTime, ...others } = robots;
  const { cleanParam = ROBOTS_DEFAULTS.cleanParam, host = ROBOTS_DEFAULTS.host, ...rest } = others;
  knownKeys('robots.crawlDelay.', crawlDelay, ['maxSeconds', 'onOverMax']);
  const maxSeconds = crawlDelay.maxSeconds ?? ROBOTS_DEFAULTS.crawlDelay.maxSeconds;
  const crawlDelayMaxMs = 1000 * numberIn('robots.crawlDelay.maxSeconds', maxSeconds, 1, CRAWL_DELAY_MOST_MS / 1000);
  const onOverMax = oneOf('robots.crawlDelay.onOverMax', crawlDelay.onOverMax ?? ROBOTS_DEFAULTS.crawlDelay.onOverMax, [
    'clamp',
    'skip-host',
  ]);
  oneOf('robots.visitTime', visitTime, ['hold', 'warn', 'ignore']);
  oneOf('robots.cleanParam', cleanParam, ['dedupe', 'expose']);
  oneOf('robots.host', host, ['expose', 'canonicalize']);
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
