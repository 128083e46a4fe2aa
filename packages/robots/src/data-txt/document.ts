// The shapes of a parsed data.txt. Nothing of the file is dropped; descriptors are untrusted text, to be escaped
// wherever they are shown (data-txt §4, §7).

import type { DiagnosticCode, DiagnosticSeverity } from '../diagnostics/diagnostic.js';

/** The typed view of a record's recognised fields; absent where the field does not occur. */
export interface Dataset {
  /** As written. */
  readonly path?: string;
  /** The path resolved against the file; absent when that is no http(s) URL (`data-path-invalid`). */
  readonly url?: string;
  readonly name?: string;
  readonly description?: string;
  /** Text or URL, not interpreted. */
  readonly license?: string;
  /** Media type or word, not interpreted. */
  readonly type?: string;
}

/** One record. */
export interface DataRecord {
  /** User-agent values as written; empty: the record concerns every visitor. */
  readonly agents: readonly string[];
  readonly rules: readonly (readonly ['allow' | 'disallow', string])[];
  /** Null when no recognised field occurs. */
  readonly dataset: Dataset | null;
  /** Every other field and every repeated one, names as written, in order. */
  readonly extra: readonly (readonly [string, string])[];
  /** Number of the record's first line that is no User-agent line. */
  readonly line: number;
  /** Line numbers of `rules`, in the same order. */
  readonly ruleLines: readonly number[];
  /** Records with the same number stand under the same User-agent lines. */
  readonly block: number;
}

/** An oddity of the file. */
export interface DataTxtDiagnostic {
  readonly code: DiagnosticCode | 'data-path-invalid';
  readonly severity: DiagnosticSeverity;
  /** From 1; 0 for the file. */
  readonly line: number;
  /** The line as read, at most 200 characters. */
  readonly excerpt: string;
}

/** A parsed data.txt. */
export interface DataTxt {
  readonly records: readonly DataRecord[];
  /** At most 1 000. */
  readonly diagnostics: readonly DataTxtDiagnostic[];
  /** The file was longer than what is read. */
  readonly truncated: boolean;
}
