/**
 * The front door of `@mannerly/robots/diagnostics`: what is odd about a file, for a webmaster or an operator to read.
 */
export { diagnose } from './diagnose.js';
export {
  DIAGNOSTIC_CODES,
  type Diagnostic,
  type DiagnosticCode,
  diagnosticMeaning,
  diagnosticSeverity,
} from './diagnostic.js';
