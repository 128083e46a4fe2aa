// What rules are compiled for: one type, one set of defaults, one function that checks. No other file supplies a
// default.

import { type BaseDialect, isProductToken } from './dialects.js';
import { RobotsError } from './errors.js';
import { MAX_CRAWL_DELAY_MS, MAX_TOKENS } from './limits.js';

/** Which rules count besides the base dialect (robots §8). */
export type Policy = 'base' | 'declared' | 'declared-only' | 'strictest';

/** Who is crawling, and which reading counts. */
export interface CompileOptions {
  /**
   * The crawler's product tokens, in order of preference: `['examplebot-images', 'examplebot']`. Letters, digits,
   * hyphens and underscores; they must appear in the User-Agent header the crawler sends. 1 to 32.
   */
  readonly tokens: string | readonly string[];
  /** The base dialect. @default 'rfc9309' */
  readonly dialect?: BaseDialect;
  /**
   * `base`: only the base dialect. `declared`: also the 2.0.0 reading of groups that declare it; both must allow.
   * `declared-only`: declared groups only in 2.0.0, which may fetch what RFC 9309 forbids. `strictest`: every dialect
   * of `strictDialects` and the declared reading must allow.
   * @default 'declared'
   */
  readonly policy?: Policy;
  /** The dialects that must agree under `strictest`. @default ['rfc9309', 'google', '1996'] */
  readonly strictDialects?: readonly BaseDialect[];
  /**
   * How to treat a file beyond the size limit: use its first part, or `Disallow: /` for all crawlers.
   * @default 'truncate' for rfc9309 and google; 'disallow-all' for 1996, 1994 and policy strictest
   */
  readonly onOversize?: 'truncate' | 'disallow-all';
  /**
   * The open question of the 2.0.0 proposal (robots §7.5, R32): what a group with explicit Allow and Disallow lines
   * says about everything else.
   * @default 'everything-else'; 'nothing-else' under policy strictest
   */
  readonly ambiguousRules?: 'everything-else' | 'nothing-else';
  /** A selected group with more rule lines means `Disallow: /`. 1 or more. @default none; the size limit suffices */
  readonly maxRulesPerGroup?: number;
  /**
   * Whether the politeness lines of the `*` groups also apply to a named group; the stricter one wins (R37).
   * @default false
   */
  readonly inheritPoliteness?: boolean;
  /**
   * Whether a Request-rate spaces every request or allows bursts (R41). Only passed on, as `rules.requestRateMode`.
   * Bursts put more load on the site while they last.
   * @default 'spaced'
   */
  readonly requestRateMode?: 'spaced' | 'bucket';
  /**
   * Whether a Cache-delay counts as a Crawl-delay, for archiving crawls; the larger one wins (robots §9.11).
   * @default 'ignore'
   */
  readonly cacheDelay?: 'ignore' | 'as-crawl-delay';
  /**
   * The longest Crawl-delay and Cache-delay that are honoured exactly, milliseconds; 1,000 to 86,400,000. A smaller
   * value goes faster than the site requires.
   * @default 86_400_000
   */
  readonly maxCrawlDelayMs?: number;
}

/** Options with every field filled in: tokens in lower case, `maxRulesPerGroup` 0 for none. */
export type ResolvedCompileOptions = Required<CompileOptions> & { readonly tokens: readonly string[] };

const DIALECTS = ['rfc9309', 'google', '1996', '1994'] as const;

/** Checks options and fills in defaults. @throws RobotsError `invalid-tokens`, `option-invalid`, `option-unknown`. */
export function resolveCompileOptions(options: CompileOptions): ResolvedCompileOptions {
  // Without options, the error is that of missing tokens.
  const { tokens, strictDialects = DIALECTS.slice(0, 3), ...given } = options ?? ({} as CompileOptions);
  const isStrictest = given.policy === 'strictest';
  const isOld = isStrictest || given.dialect === '1996' || given.dialect === '1994';
  if (
    !Array.isArray(strictDialects) ||
    strictDialects.length === 0 ||
    !strictDialects.every((name) => DIALECTS.includes(name))
  ) {
    throw invalidOption('strictDialects', `a list of ${DIALECTS.join(', ')}`, strictDialects);
  }
  const table = {
    dialect: DIALECTS,
    policy: ['declared', 'base', 'declared-only', 'strictest'],
    onOversize: firstIf(isOld, 'disallow-all', 'truncate'),
    ambiguousRules: firstIf(isStrictest, 'nothing-else', 'everything-else'),
    inheritPoliteness: [false, true],
    requestRateMode: ['spaced', 'bucket'],
    cacheDelay: ['ignore', 'as-crawl-delay'],
    maxRulesPerGroup: [0, 1, Number.MAX_SAFE_INTEGER],
    maxCrawlDelayMs: [MAX_CRAWL_DELAY_MS, 1_000, MAX_CRAWL_DELAY_MS],
  };
  const read = { tokens: resolveTokens(tokens), strictDialects, ...readOptions(table, given) };
  return read as unknown as ResolvedCompileOptions;
}

/** The values with the default first: `first` if the condition holds, else `second`. */
function firstIf(isFirst: boolean, first: string, second: string): readonly string[] {
  return isFirst ? [first, second] : [second, first];
}

function resolveTokens(given: unknown): readonly string[] {
  const tokens: readonly unknown[] = Array.isArray(given) ? given : [given];
  const isToken = (token: unknown) => typeof token === 'string' && isProductToken(token);
  if (tokens.length > 0 && tokens.length <= MAX_TOKENS && tokens.every(isToken)) {
    return tokens.map((token) => (token as string).toLowerCase());
  }
  throw new RobotsError(
    'invalid-tokens',
    `expected \`tokens\` to be 1 to ${MAX_TOKENS} names of letters, digits, "-" and "_", got ${JSON.stringify(given)}`,
    'use "examplebot", not "examplebot/1.0"',
  );
}

/** By option: the possible values, the default first; or for a number the default, the minimum and the maximum. */
export type OptionTable = Readonly<Record<string, readonly unknown[]>>;

/** Every option of the table, with its default if absent. @throws RobotsError `option-invalid`, `option-unknown`. */
export function readOptions(table: OptionTable, options: object): Record<string, unknown> {
  checkNames(Object.keys(table), options);
  const read = Object.entries(table).map(([option, values]) => {
    const value = (options as Readonly<Record<string, unknown>>)[option];
    const [defaultValue, min, max] = values;
    const isNumber = typeof min === 'number';
    const isWithin = isNumber
      ? Number.isFinite(value) && (value as number) >= min && (value as number) <= (max as number)
      : values.includes(value);
    if (value === undefined || isWithin) return [option, value === undefined ? defaultValue : value];
    throw invalidOption(option, isNumber ? `from ${min} to ${max}` : `one of ${values.join(', ')}`, value);
  });
  return Object.fromEntries(read);
}

/** @throws RobotsError `option-unknown` */
export function checkNames(known: readonly string[], options: object): void {
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new RobotsError('option-unknown', `unknown option \`${unknown}\``, `known: ${known.join(', ')}`);
}

/** An `option-invalid` error with the range and the value. */
export function invalidOption(option: string, expected: string, value: unknown): RobotsError {
  return new RobotsError('option-invalid', `expected \`${option}\` to be ${expected}, got ${JSON.stringify(value)}`);
}
