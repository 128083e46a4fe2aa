/**
 * What rules are compiled for: one type, one set of defaults, one function that checks. No other file supplies a default.
 */
import { isProductToken } from './agents.js';
import type { BaseDialect } from './dialects/dialect.js';
import { RobotsError } from './errors.js';
import { MAX_CRAWL_DELAY_SECONDS, MAX_TOKENS } from './limits.js';

/** What counts beside the base dialect (robots §8). */
export type Policy = 'base' | 'declared' | 'declared-only' | 'strictest';

/** Who asks, and which reading counts. */
export interface CompileOptions {
  /**
   * The crawler's product tokens, in order of preference: `['examplebot-images', 'examplebot']`. Letters, digits,
   * hyphens and underscores; they must appear in the User-Agent header the crawler sends. 1 to 32.
   */
  readonly tokens: string | readonly string[];
  /**
   * The base dialect.
   * @default 'rfc9309'
   */
  readonly dialect?: BaseDialect;
  /**
   * `base`: the base dialect alone. `declared`: and the 2.0.0 reading of groups that declare it; both must allow.
   * `declared-only`: declared groups in 2.0.0 alone, which may fetch what RFC 9309 forbids. `strictest`: every dialect of
   * `strictDialects` and the declared reading must allow.
   * @default 'declared'
   */
  readonly policy?: Policy;
  /**
   * The dialects that must agree under `strictest`.
   * @default ['rfc9309', 'google', '1996']
   */
  readonly strictDialects?: readonly BaseDialect[];
  /**
   * What a file past the size limit means: its first part, or `Disallow: /` for everybody.
   * @default 'truncate' for rfc9309 and google; 'disallow-all' for 1996, 1994 and policy strictest
   */
  readonly onOversize?: 'truncate' | 'disallow-all';
  /**
   * The open question of the 2.0.0 proposal (robots §7.5, R32): what a group with explicit Allow and Disallow lines
   * says about everything else.
   * @default 'everything-else'; 'nothing-else' under policy strictest
   */
  readonly ambiguousRules?: 'everything-else' | 'nothing-else';
  /**
   * A selected group with more rule lines than this is read as `Disallow: /`. 1 or more.
   * @default none; the size limit suffices
   */
  readonly maxRulesPerGroup?: number;
  /**
   * Whether a named group also obeys the politeness lines of the `*` groups, the stricter counting (R37).
   * @default false
   */
  readonly inheritPoliteness?: boolean;
  /**
   * Whether a Request-rate spaces every request or allows bursts (R41). Only handed on, as `rules.requestRateMode`.
   * Bursts cost the site its peace for as long as they last.
   * @default 'spaced'
   */
  readonly requestRateMode?: 'spaced' | 'bucket';
  /**
   * Whether a Cache-delay counts as a Crawl-delay, as in a crawl for an archive; the larger of both wins (robots §9.11).
   * @default 'ignore'
   */
  readonly cacheDelay?: 'ignore' | 'as-crawl-delay';
  /**
   * Crawl-delay and Cache-delay in seconds that are honoured exactly; 1 to 86 400. A smaller value goes faster than asked.
   * @default 86_400
   */
  readonly crawlDelayMaxSeconds?: number;
}

/** Options with every field filled in. */
export interface CompileSettings {
  /** Lower case. */
  readonly tokens: readonly string[];
  readonly dialect: BaseDialect;
  readonly policy: Policy;
  readonly strictDialects: readonly BaseDialect[];
  readonly onOversize: 'truncate' | 'disallow-all';
  readonly ambiguousRules: 'everything-else' | 'nothing-else';
  /** 0: none. */
  readonly maxRulesPerGroup: number;
  readonly inheritPoliteness: boolean;
  readonly requestRateMode: 'spaced' | 'bucket';
  readonly cacheDelay: 'ignore' | 'as-crawl-delay';
  readonly crawlDelayMaxSeconds: number;
}

const DIALECTS = ['rfc9309', 'google', '1996', '1994'] as const;

/**
 * Checks options and fills in what is absent.
 *
 * @throws RobotsError `invalid-tokens`, `option-invalid`, `option-unknown`.
 */
export function resolveCompileOptions(options: CompileOptions): CompileSettings {
  const { tokens, strictDialects = DIALECTS.slice(0, 3), ...given } = options;
  const isStrictest = options.policy === 'strictest';
  const isOld = isStrictest || options.dialect === '1996' || options.dialect === '1994';
  if (!Array.isArray(strictDialects) || strictDialects.length === 0 || !strictDialects.every(isDialect)) {
    throw invalid('strictDialects', `a list of ${DIALECTS.join(', ')}`, strictDialects);
  }
  // What each option may be, the default first; of a number the default, the least and the greatest.
  const known: Readonly<Record<string, readonly unknown[]>> = {
    dialect: DIALECTS,
    policy: ['declared', 'base', 'declared-only', 'strictest'],
    onOversize: isOld ? ['disallow-all', 'truncate'] : ['truncate', 'disallow-all'],
    ambiguousRules: isStrictest ? ['nothing-else', 'everything-else'] : ['everything-else', 'nothing-else'],
    inheritPoliteness: [false, true],
    requestRateMode: ['spaced', 'bucket'],
    cacheDelay: ['ignore', 'as-crawl-delay'],
    maxRulesPerGroup: [0, 1, Number.MAX_SAFE_INTEGER],
    crawlDelayMaxSeconds: [MAX_CRAWL_DELAY_SECONDS, 1, MAX_CRAWL_DELAY_SECONDS],
  };
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(known, key)) {
      throw new RobotsError('option-unknown', `unknown option \`${key}\``, `known: ${Object.keys(known).join(', ')}`);
    }
  }
  const settings = Object.entries(known).map(([option, values]) => {
    const value = (given as Readonly<Record<string, unknown>>)[option];
    const [byDefault, least, greatest] = values;
    const isWithin =
      typeof least === 'number'
        ? Number.isFinite(value) && (value as number) >= least && (value as number) <= (greatest as number)
        : values.includes(value);
    if (value === undefined || isWithin) return [option, value ?? byDefault];
    throw invalid(
      option,
      typeof least === 'number' ? `from ${least} to ${greatest}` : `one of ${values.join(', ')}`,
      value,
    );
  });
  return { tokens: resolveTokens(tokens), strictDialects, ...Object.fromEntries(settings) } as CompileSettings;
}

function isDialect(name: unknown): boolean {
  return (DIALECTS as readonly unknown[]).includes(name);
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
    'use the bare name: "examplebot", not "examplebot/1.0"',
  );
}

function invalid(option: string, expected: string, value: unknown): RobotsError {
  return new RobotsError('option-invalid', `expected \`${option}\` to be ${expected}, got ${JSON.stringify(value)}`);
}
