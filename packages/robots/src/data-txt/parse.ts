/**
 * Bytes of a /data.txt → records: the 1996 grammar with the flat `- key: value` lists of deployed files.
 *
 * Clause: specification, data-txt §3, §4. Decoding, marks, NUL and size are those of robots.txt, always truncating.
 */
import { decodeLines } from '../decode.js';
import { type DiagnosticCode, diagnosticSeverity } from '../diagnostics/diagnostic.js';
import { MAX_DIAGNOSTICS, MAX_EXCERPT_CHARS } from '../limits.js';
import type { DataTxt, DataTxtDiagnostic } from './document.js';
import { createRecordBuilder, type DataField } from './record-builder.js';

/** How a file is read. */
export interface DataTxtOptions {
  /** The URL of the file before redirects; without it paths stay unresolved. @default none */
  readonly base?: string | undefined;
  /** Bytes that are read; 512 000 to 8 388 608. @default 512_000 */
  readonly maxBytes?: number | undefined;
}

/**
 * Reads a data.txt.
 *
 * @param input - The body's bytes, or text.
 * @throws Never.
 * @see specification, data-txt §3, §4, DECISIONS T4 to T6
 */
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

  const builder = createRecordBuilder(base, report);
  for (const [index, raw] of lines.entries()) {
    const text = withoutComment(raw);
    const field = readField(text);
    if (text === '') {
      // A comment line is not blank and bounds nothing.
      if (raw.trim() === '') builder.blank();
    } else if (text === '---' || text === '...') builder.end();
    else if (field === null) report('syntax', index + 1);
    else builder.add(field, index + 1);
  }
  return { records: builder.end(), diagnostics, truncated };
}

/** From the first `#` on, wherever it stands; the grammar keeps it out of values. */
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
