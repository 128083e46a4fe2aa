// How robots.txt is read and what happens when it does not come, checked and filled in. What is an option of
// `@mannerly/robots` is checked there.

import type { CompileOptions } from '@mannerly/robots';
import { type AccessOptions, type ResolvedAccessOptions, resolveAccessOptions } from '@mannerly/robots/access';
import { FrontierError } from '../errors.js';
import { CRAWL_DELAY_MOST_MS } from '../limits.js';
import { invalid, numberIn, oneOf } from '../option-value.js';
import { createRulesReader, type RulesReader } from '../robots/authority-rules.js';

/** How robots.txt is read, and what happens when it does not come. Fields of `@mannerly/robots` keep their meaning. */
export interface RobotsOptions extends CompileOptions, Omit<AccessOptions, 'dialect' | 'policy'> {
  /** Over `maxCrawlDelayMs`: `clamp` the delay, or `skip-host`, dropping its URLs. @default 'clamp' */
  readonly onLongCrawlDelay?: 'clamp' | 'skip-host';
  /** Outside Visit-time: `hold` the host, or visit it and `warn`, or `ignore` the line. @default 'hold' */
  readonly visitTime?: 'hold' | 'warn' | 'ignore';
  /** Clean-param: its parameters are not part of a URL's key (`dedupe`), or it is only exposed. @default 'expose' */
  readonly cleanParam?: 'dedupe' | 'expose';
  /**
   * Host, the site's preferred mirror: only exposed, or `canonicalize`: URLs are known under that host's name, where it
   * is of the same registrable domain. @default 'expose'
   */
  readonly host?: 'expose' | 'canonicalize';
}

/** The same as the frontier reads it. */
export interface ResolvedRobotsOptions {
  readonly access: ResolvedAccessOptions;
  readonly readRules: RulesReader;
  readonly maxCrawlDelayMs: number;
}

const ACCESS_KEYS = new Set(['accessProfile', 'onForbidden', 'afterUnreachable', 'unreachableDays', 'holdMaxMs']);

/** Checks how robots.txt is to be read, and makes its reader. @throws FrontierError `option-invalid`. */
export function resolveRobotsOptions(robots: RobotsOptions): ResolvedRobotsOptions {
  if (typeof robots !== 'object' || robots === null) throw invalid('robots', 'an object with `tokens`', robots);
  const {
    maxCrawlDelayMs = CRAWL_DELAY_MOST_MS,
    onLongCrawlDelay = 'clamp',
    visitTime = 'hold',
    cleanParam = 'expose',
    host = 'expose',
    ...rest
  } = robots;
  numberIn('robots.maxCrawlDelayMs', maxCrawlDelayMs, 1_000, CRAWL_DELAY_MOST_MS);
  oneOf('robots.onLongCrawlDelay', onLongCrawlDelay, ['clamp', 'skip-host']);
  oneOf('robots.visitTime', visitTime, ['hold', 'warn', 'ignore']);
  oneOf('robots.cleanParam', cleanParam, ['dedupe', 'expose']);
  oneOf('robots.host', host, ['expose', 'canonicalize']);
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  const access = Object.fromEntries(given.filter(([key]) => ACCESS_KEYS.has(key)));
  // An unknown option is refused by name when the reader is made.
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
