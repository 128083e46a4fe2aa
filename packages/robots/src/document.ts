// The shapes of a parsed robots.txt file. A document is immutable and keeps every field, known or not, with its line
// number; groups, dialects and policies are readings of it. It does not keep comments, blank lines and white space.

import type { DiagnosticCode } from './diagnostics/diagnostic.js';

export interface ParseOptions {
  /**
   * The URL that was requested for the file, before redirects, absolute. Relative Sitemap and PleaseVisit values are
   * resolved against it. If it is missing, they are dropped.
   * @default none
   */
  readonly robotsUrl?: string;
  /**
   * The charset that the response declared, for files that are not UTF-8: a `Disallow` with such bytes also counts in
   * this encoding (robots §2.2, R4). An unknown name is ignored.
   * @default none
   */
  readonly charset?: string;
  /** Bytes to read; 512 000 to 8 388 608, other values are clamped. @default 512_000 */
  readonly maxBytes?: number;
  /** Whether misspellings, missing colons and the like are repaired (robots §3.4–3.7, §4.4). @default true */
  readonly repair?: boolean;
}

/** One field of the file, as written. */
export interface FieldRecord {
  /** The canonical name in lower case; for an unknown field, its own name in lower case. */
  readonly field: string;
  /** The name as written if it is unknown or misspelt; otherwise the canonical one. */
  readonly rawField: string;
  /** The value as written, without surrounding blanks and comment; decoded as UTF-8. */
  readonly value: string;
  /** Line number from 1. */
  readonly line: number;
}

/** An oddity of a file as a whole: about line 1, or line 0 for its size. */
export interface FileNote {
  readonly code: DiagnosticCode;
  readonly line: 0 | 1;
}

/** A parsed file. Every list is computed on first access, and stays the same list. */
export interface RobotsDocument {
  /** The file as packed records (packed-records.ts): an implementation detail shared with compiled rules. */
  readonly packed: string;
  /** The URL that was requested for the file, or `null`. */
  readonly robotsUrl: string | null;
  /** The charset that the response declared, or `null`. */
  readonly charset: string | null;
  readonly repair: boolean;
  /** Whether the file was longer than `maxBytes`. */
  readonly truncated: boolean;
  /** Every field of the file in file order. */
  readonly fields: readonly FieldRecord[];
  /** Absolute URLs, in file order, without duplicates. */
  readonly sitemaps: readonly string[];
  /**
   * The licences for all crawlers, in file order, without duplicates: absolute URLs, and other values as written.
   * A group may name others (licensing §2, C3); `licenses` of compiled rules lists the ones that apply to a crawler.
   */
  readonly licenses: readonly string[];
  /** What is odd about the file as a whole. `diagnose` of `@mannerly/robots/diagnostics` adds the lines. */
  readonly notes: readonly FileNote[];
}
