/**
 * The front door of `@mannerly/robots/diagnostics`: what is odd about a file, for a webmaster or an operator to read.
 */
export { diagnose } from './diagnose.js';
export { type Diagnostic, type DiagnosticCode, type DiagnosticSeverity, diagnosticSeverity } from './diagnostic.js';
export { DIAGNOSTIC_CODES, diagnosticMeaning } from './meanings.js';
