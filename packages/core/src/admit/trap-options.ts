// The limits by which traps are recognized, and the words in which a trap is reported.

/** When URLs count as a trap. The option table has the ranges and the defaults. */
export interface ResolvedTrapOptions {
  readonly maxSimilarPages: number;
  readonly maxPathSegments: number;
  readonly maxQueryParameters: number;
}

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

/** A trap as the detail of a decision. @throws Never */
export function trapText({ rule, pattern }: TrapFinding): string {
  return `${rule}: ${pattern}`;
}
