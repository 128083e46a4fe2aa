// The shapes of a parsed data.txt. It keeps every part of the file; descriptors are untrusted text and must be escaped
// wherever they are shown (data-txt §4, §7).

import { decodeLines } from '../decode.js';
import { type DiagnosticCode, type DiagnosticSeverity, diagnosticSeverity } from '../diagnostics/diagnostic.js';
import { MAX_DIAGNOSTICS, MAX_EXCERPT_CHARS } from '../limits.js';
import { readWebUrl } from '../read-url.js';

/** The typed view of a record's recognised fields; absent if the field does not occur. */
export interface Dataset {
  /** As written. */
  readonly path?: string;
  /** The path resolved against the file; absent if that is not an http(s) URL (`data-path-invalid`). */
  readonly url?: string;
  readonly name?: string;
  readonly description?: string;
  /** Text or URL, not interpreted. */
  readonly license?: string;
  /** Media type or name, not interpreted. */
  readonly type?: string;
}

/** One record. */
export interface DataRecord {
  /** User-agent values as written; empty if the record concerns every visitor. */
  readonly agents: readonly string[];
  readonly rules: readonly (readonly ['allow' | 'disallow', string])[];
  /** Null if no recognised field occurs. */
  readonly dataset: Dataset | null;
  /** Every other field and every repeated one, names as written, in order. */
  readonly extra: readonly (readonly [string, string])[];
  /** Number of the record's first line that is not a User-agent line. */
  readonly line: number;
  /** Line numbers of `rules`, in the same order. */
  readonly ruleLines: readonly number[];
  /** Records with the same number share the same User-agent lines. */
  readonly block: number;
}

/** An oddity of the file. */
interface DataTxtDiagnostic {
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
  /** Whether the file was longer than the limit. */
  readonly truncated: boolean;
}

/** How to read a file. */
interface DataTxtOptions {
  /** The URL of the file before redirects; if it is missing, paths stay unresolved. @default none */
  readonly base?: string | undefined;
  /** Bytes to read; 512 000 to 8 388 608. @default 512_000 */
  readonly maxBytes?: number | undefined;
}

/** Reads a data.txt (data-txt §3, §4, DECISIONS T4 to T6). */
export function parseDataTxt(input: Uint8Array | string, options: DataTxtOptions = {}): DataTxt {
  const { maxBytes, base } = options;
  const { lines, truncated, diagnostics: notes } = decodeLines(input, maxBytes === undefined ? {} : { maxBytes });
  const diagnostics: DataTxtDiagnostic[] = [];
  const report = (code: DataTxtDiagnostic['code'], line: number) => {
    if (diagnostics.length === MAX_DIAGNOSTICS) return;
    const excerpt = (lines[line - 1] ?? '').slice(0, MAX_EXCERPT_CHARS);
    diagnostics.push({ code, severity: severityOf(code), line, excerpt });
  };
  for (const { code, line } of notes) report(code, line);

  const builder = new RecordBuilder(base, report);
  for (const [index, raw] of lines.entries()) {
    const text = withoutComment(raw);
    const field = readField(text);
    if (text === '') {
      // A comment line is not a blank line and ends nothing.
      if (raw.trim() === '') builder.blank();
    } else if (text === '---' || text === '...') builder.end();
    else if (field === null) report('syntax', index + 1);
    else builder.add(field, index + 1);
  }
  return { records: builder.end(), diagnostics, truncated };
}

/** Removes everything from the first `#` on; the grammar does not allow it in values. */
function withoutComment(line: string): string {
  const hash = line.indexOf('#');
  return (hash < 0 ? line : line.slice(0, hash)).trim();
}

/** `[ "-" 1*WS ] token *WS ":" *WS value`, or null. */
function readField(text: string): DataField | null {
  const match = /^(-[ \t]+)?([^\s:]+)[ \t]*:(.*)$/s.exec(text);
  if (match === null) return null;
  const [, marker, name = '', value = ''] = match;
  return { name, value: withoutQuotes(value.trim()), isListItem: marker !== undefined };
}

function withoutQuotes(value: string): string {
  const quote = value[0];
  const isQuoted = value.length > 1 && (quote === '"' || quote === "'") && value.endsWith(quote);
  return isQuoted ? value.slice(1, -1) : value;
}

function severityOf(code: DiagnosticCode | 'data-path-invalid'): DataTxtDiagnostic['severity'] {
  return code === 'data-path-invalid' ? 'warning' : diagnosticSeverity(code);
}

/** One field line. */
interface DataField {
  /** As written. */
  readonly name: string;
  readonly value: string;
  /** The line starts with a list marker. */
  readonly isListItem: boolean;
}

/** Recognised names, in lower case (DECISION T6). */
const FIELD_BY_NAME: Readonly<Record<string, Exclude<keyof Dataset, 'url'>>> = {
  path: 'path',
  url: 'path',
  dataset: 'path',
  name: 'name',
  title: 'name',
  description: 'description',
  license: 'license',
  licence: 'license',
  type: 'type',
  format: 'type',
};

/** A record that may still grow; `line` is 0 while it has only agents. */
interface OpenRecord {
  readonly agents: string[];
  readonly rules: DataRecord['rules'][number][];
  readonly ruleLines: number[];
  readonly dataset: { -readonly [Name in keyof Dataset]: Dataset[Name] };
  readonly extra: DataRecord['extra'][number][];
  readonly block: number;
  line: number;
}

/** Collects records (data-txt §4, DECISIONS T4 to T6). */
class RecordBuilder {
  readonly #base: string | undefined;
  readonly #report: (code: 'data-path-invalid', line: number) => void;
  readonly #records: DataRecord[] = [];
  #open = emptyRecord([], 0);

  constructor(base: string | undefined, report: (code: 'data-path-invalid', line: number) => void) {
    this.#base = base;
    this.#report = report;
  }

  add({ name, value, isListItem }: DataField, line: number): void {
    const lower = name.toLowerCase();
    if (lower === 'user-agent') {
      this.blank();
      this.#open.agents.push(value);
      return;
    }
    const field = Object.hasOwn(FIELD_BY_NAME, lower) ? FIELD_BY_NAME[lower] : undefined;
    if (isListItem || (field === 'path' && this.#open.dataset.path !== undefined)) this.#split();
    const open = this.#open;
    if (open.line === 0) open.line = line;
    if (lower === 'allow' || lower === 'disallow') {
      open.rules.push([lower, value]);
      open.ruleLines.push(line);
    } else if (field === undefined || open.dataset[field] !== undefined) open.extra.push([name, value]);
    else {
      open.dataset[field] = value;
      const url = field === 'path' ? readWebUrl(value, this.#base) : undefined;
      if (url === null) this.#report('data-path-invalid', line);
      else if (url !== undefined) open.dataset.url = url.href;
    }
  }

  /** A blank line ends a record that has more than agents. */
  blank(): void {
    if (this.#open.line > 0) this.end();
  }

  /** Ends the record. @returns All records so far. */
  end(): readonly DataRecord[] {
    if (this.#open.line > 0) this.#records.push(finished(this.#open));
    this.#open = emptyRecord([], this.#open.block + 1);
    return this.#records;
  }

  /** Starts the next record of the same agents; both share one list. A record with only agents is not split. */
  #split(): void {
    if (this.#open.line === 0) return;
    this.#records.push(finished(this.#open));
    this.#open = emptyRecord(this.#open.agents, this.#open.block);
  }
}

function emptyRecord(agents: string[], block: number): OpenRecord {
  return { agents, rules: [], ruleLines: [], dataset: {}, extra: [], block, line: 0 };
}

function finished({ dataset, ...rest }: OpenRecord): DataRecord {
  return { ...rest, dataset: Object.keys(dataset).length === 0 ? null : dataset };
}
