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

interface DataTxtDiagnostic {
  readonly code: DiagnosticCode | 'data-path-invalid';
  readonly severity: DiagnosticSeverity;
  /** From 1; 0 for the file. */
  readonly line: number;
  /** The line as read, at most 200 characters. */
  readonly excerpt: string;
}

export interface DataTxt {
  readonly records: readonly DataRecord[];
  /** At most 1 000. */
  readonly diagnostics: readonly DataTxtDiagnostic[];
  /** Whether the file was longer than the limit. */
  readonly truncated: boolean;
}

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
    const severity = code === 'data-path-invalid' ? 'warning' : diagnosticSeverity(code);
    diagnostics.push({ code, severity, line, excerpt: (lines[line - 1] ?? '').slice(0, MAX_EXCERPT_CHARS) });
  };
  for (const { code, line } of notes) report(code, line);

  const records: OpenRecord[] = [];
  let open = emptyRecord([], 0);
  /** A record with only agents is not finished. */
  const begin = (agents: string[], block: number) => {
    if (open.line > 0) records.push(open);
    open = emptyRecord(agents, block);
  };
  const endBlock = () => begin([], open.block + 1);
  for (const [index, raw] of lines.entries()) {
    const line = index + 1;
    // The grammar allows no number sign in values.
    const text = raw.replace(/#.*/s, '').trim();
    const [, marker, name = '', value = ''] = FIELD.exec(text) ?? [];
    if (text === '---' || text === '...') endBlock();
    // A comment line is not a blank line and ends nothing. A blank line ends a record that has more than agents.
    else if (text === '' && raw.trim() === '' && open.line > 0) endBlock();
    else if (text !== '' && name === '') report('syntax', line);
    if (name === '') continue;
    if (name.toLowerCase() === 'user-agent') {
      if (open.line > 0) endBlock();
      open.agents.push(withoutQuotes(value));
      continue;
    }
    // The next record of the same agents; both share one list.
    const isNextPath = datasetField(name) === 'path' && open.dataset?.path !== undefined;
    if (open.line > 0 && (marker !== undefined || isNextPath)) begin(open.agents, open.block);
    if (!addField(open, name, withoutQuotes(value), line, base)) report('data-path-invalid', line);
  }
  endBlock();
  return { records, diagnostics, truncated };
}

/** `[ "-" 1*WS ] token *WS ":" *WS value` */
const FIELD = /^(-[ \t]+)?([^\s:]+)[ \t]*:(.*)$/s;

function withoutQuotes(text: string): string {
  const value = text.trim();
  return /^(["']).*\1$/s.test(value) ? value.slice(1, -1) : value;
}

type DatasetField = Exclude<keyof Dataset, 'url'>;

/** Recognised names, in lower case (DECISION T6). */
const FIELD_BY_NAME: Readonly<Record<string, DatasetField>> = {
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
interface OpenRecord extends DataRecord {
  readonly agents: string[];
  readonly rules: DataRecord['rules'][number][];
  readonly ruleLines: number[];
  readonly extra: DataRecord['extra'][number][];
  dataset: { -readonly [Name in keyof Dataset]: Dataset[Name] } | null;
  line: number;
}

function emptyRecord(agents: string[], block: number): OpenRecord {
  return { agents, rules: [], dataset: null, extra: [], line: 0, ruleLines: [], block };
}

function datasetField(name: string): DatasetField | undefined {
  const lower = name.toLowerCase();
  return Object.hasOwn(FIELD_BY_NAME, lower) ? FIELD_BY_NAME[lower] : undefined;
}

/** Adds a line to a record. @returns `false`: it is a path that leads nowhere. */
function addField(open: OpenRecord, name: string, value: string, line: number, base: string | undefined): boolean {
  if (open.line === 0) open.line = line;
  const kind = name.toLowerCase();
  if (kind === 'allow' || kind === 'disallow') {
    open.rules.push([kind, value]);
    open.ruleLines.push(line);
    return true;
  }
  const field = datasetField(name);
  if (field === undefined || open.dataset?.[field] !== undefined) {
    open.extra.push([name, value]);
    return true;
  }
  open.dataset = { ...open.dataset, [field]: value };
  const url = field === 'path' ? readWebUrl(value, base) : undefined;
  if (url !== undefined && url !== null) open.dataset.url = url.href;
  return url !== null;
}
