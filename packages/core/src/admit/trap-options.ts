// The option `traps`, and the text of a trap.

import { invalidOption, MannerlyError } from '../errors.js';
import { MAX_ALIKE_PAGES, MAX_PATH_SEGMENTS, MAX_QUERY_PARAMETERS } from './limits.js';

/** How endless spaces are recognised. A larger number costs a site more requests. */
export interface TrapOptions {
  /**
   * Pages with the content of others of their group, one after another, after which links that such pages add are
   * dropped. 16 to 1,000,000. @default 128
   */
  readonly maxSimilarPages?: number;
  /** Segments of a path; a link with more is dropped. 4 to 1,024. @default 32 */
  readonly maxPathSegments?: number;
  /** Parameters of a query; a link with more is dropped. 4 to 1,024. @default 32 */
  readonly maxQueryParameters?: number;
}

/** `TrapOptions` with every field filled in. */
export type ResolvedTrapOptions = Required<TrapOptions>;

/** By which sign a trap was known. */
export type TrapRule =
  | 'repeating-path'
  | 'long-path'
  | 'repeating-query'
  | 'long-query'
  /** Pages next to each other, such as the months of a calendar. */
  | 'alike-pages'
  /** Pages below each other. */
  | 'alike-growth'
  /** Pages of one host, whatever their URLs. */
  | 'alike-host'
  /** Pages on ever new host names of a domain. */
  | 'alike-hosts';

/** A trap: the sign it was known by, and the URLs it is about, with `*` and `…` for what varies. */
export interface TrapFinding {
  readonly rule: TrapRule;
  readonly pattern: string;
}

/** The defaults. */
export const TRAP_DEFAULTS: ResolvedTrapOptions = Object.freeze({
  maxSimilarPages: 128,
  maxPathSegments: 32,
  maxQueryParameters: 32,
});

const RANGES: Readonly<Record<keyof TrapOptions, readonly [number, number]>> = {
  maxSimilarPages: [16, MAX_ALIKE_PAGES],
  maxPathSegments: [4, MAX_PATH_SEGMENTS],
  maxQueryParameters: [4, MAX_QUERY_PARAMETERS],
};

/**
 * Checks the option `traps`.
 *
 * @returns `null`: no URL is taken for a trap.
 * @throws MannerlyError `option-invalid`, `option-unknown`.
 */
export function resolveTrapOptions(given: TrapOptions | false | undefined): ResolvedTrapOptions | null {
  if (given === false) return null;
  if (given === undefined) return TRAP_DEFAULTS;
  if (typeof given !== 'object' || given === null) {
    throw invalidOption('traps', 'false or an object', given);
  }
  for (const [name, value] of Object.entries(given)) {
    const range = Object.hasOwn(RANGES, name) ? RANGES[name as keyof TrapOptions] : null;
    if (range === null) {
      const known = Object.keys(RANGES).join(', ');
      throw new MannerlyError('option-unknown', `\`traps.${name}\` is no option of createCrawler; known are ${known}`);
    }
    const [least, greatest] = range;
    if (value !== undefined && !(Number.isInteger(value) && value >= least && value <= greatest)) {
      throw invalidOption(`traps.${name}`, `a whole number from ${least} to ${greatest}`, value);
    }
  }
  return Object.freeze({
    maxSimilarPages: given.maxSimilarPages ?? TRAP_DEFAULTS.maxSimilarPages,
    maxPathSegments: given.maxPathSegments ?? TRAP_DEFAULTS.maxPathSegments,
    maxQueryParameters: given.maxQueryParameters ?? TRAP_DEFAULTS.maxQueryParameters,
  });
}

/** A trap as the detail of a decision. @throws Never */
export function trapText({ rule, pattern }: TrapFinding): string {
  return `${rule}: ${pattern}`;
}
