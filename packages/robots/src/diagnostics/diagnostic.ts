// The oddities a file can hold (robots §11). A diagnostic never raises an error; it tells a webmaster or an operator
// how a line was read. The codes are stable: programs may match on them. What each means, in words, is in meanings.ts,
// which a crawler that shows them to nobody need not load.

/** How much a diagnostic matters: `info` changes nothing a webmaster would miss, `warning` does. */
export type DiagnosticSeverity = 'info' | 'warning';

/** The stable name of an oddity. */
export type DiagnosticCode =
  | 'bom'
  | 'bom-incomplete'
  | 'encoding-utf16'
  | 'invalid-utf8'
  | 'nul-octet'
  | 'odd-whitespace'
  | 'quoted-value'
  | 'file-truncated'
  | 'file-oversize'
  | 'line-too-long'
  | 'syntax'
  | 'unknown-field'
  | 'field-typo'
  | 'missing-colon'
  | 'multiple-agents'
  | 'multiple-paths'
  | 'space-in-path'
  | 'path-no-slash'
  | 'absolute-url'
  | 'empty-allow'
  | 'agent-empty'
  | 'agent-invalid'
  | 'agent-trailing'
  | 'rule-outside-group'
  | 'field-outside-group'
  | 'rule-names-robots'
  | 'robot-version-invalid'
  | 'robot-version-repeated'
  | 'robot-version-misplaced'
  | 'robot-version-short'
  | 'robot-version-experimental'
  | 'robot-version-unsupported'
  | 'crawl-delay-invalid'
  | 'crawl-delay-unit'
  | 'crawl-delay-large'
  | 'crawl-delay-clamped'
  | 'request-rate-invalid'
  | 'request-rate-zero'
  | 'visit-time-invalid'
  | 'visit-time-repeated'
  | 'sitemap-relative'
  | 'sitemap-invalid'
  | 'host-invalid'
  | 'host-repeated'
  | 'clean-param-invalid'
  | 'pleasevisit-foreign'
  | 'content-signal-invalid'
  | 'content-usage-invalid';

/** One oddity of a file, for people to read. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: DiagnosticSeverity;
  /** Line number from 1; 0 for the file as a whole. */
  readonly line: number;
  /** The line as read, at most 200 characters. */
  readonly excerpt: string;
}

const INFO: readonly DiagnosticCode[] = [
  'bom',
  'bom-incomplete',
  'encoding-utf16',
  'unknown-field',
  'field-typo',
  'missing-colon',
  'rule-names-robots',
];

/**
 * How much a diagnostic matters (robots §11).
 * @param code - A code of the table.
 * @returns `info` or `warning`.
 */
export function diagnosticSeverity(code: DiagnosticCode): DiagnosticSeverity {
  return INFO.includes(code) ? 'info' : 'warning';
}
