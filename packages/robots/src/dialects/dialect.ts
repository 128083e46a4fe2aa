/**
 * What a dialect is: the four steps that depend on it (assembling groups, choosing the group, comparing, deciding).
 * Everything else about a file is the same for all of them (specification, robots §1).
 */
import type { Form } from '../normalize.js';
import type { PackedRecord } from '../packed-records.js';

/** The base dialects. `2.0.0` is no base dialect: groups declare it, and `policy` says whether that counts. */
export type BaseDialect = 'rfc9309' | 'google' | '1996' | '1994';

/** The name of the reading that decided. */
export type DialectName = BaseDialect | '2.0.0';

/** A group as a stretch of the packed file. */
export interface GroupSpan {
  /** Lower-case agents and `*`. */
  readonly agents: readonly string[];
  readonly agentLines: readonly number[];
  /** Where its first User-agent record (or its remark) begins. */
  readonly from: number;
  /** Where its last record ends. */
  readonly to: number;
}

/** Which groups speak to a crawler, and under which name. */
export interface Selection {
  readonly spans: readonly GroupSpan[];
  /** The crawler's token that was addressed, `*`, or `null` when no group speaks to the crawler. */
  readonly agent: string | null;
}

/** One way of reading a file. */
export interface Dialect {
  readonly name: DialectName;
  /** Whether blank lines end a record (1994, 1996) or only User-agent lines do; and the first that speaks to us counts, not all. */
  readonly hasRecords: boolean;
  /** Whether `Allow` is known. */
  readonly hasAllow: boolean;
  /** Whether the repairs of robots §3.6, §3.7 and §4.4 belong to it. */
  readonly repairs: boolean;
  readonly form: Form;
  /** `longest` pattern, `first` in the file, or `classes` of 2.0.0. */
  readonly precedence: 'longest' | 'first' | 'classes';
  /** What the dialect takes a line for: a kind of fields.ts. */
  kindOf(record: PackedRecord): number;
  /** The value the dialect sees in a line, in bytes. */
  valueOf(record: PackedRecord): string;
  /** The agents that a User-agent value names, lower case. */
  agentsOf(value: string, repair: boolean): string[];
  /** Whether the name of a group, not `*`, addresses a token. */
  speaksTo(agent: string, token: string): boolean;
}
