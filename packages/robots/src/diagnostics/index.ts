/** What is odd about a file, for a webmaster or an operator to read. */
export { diagnose } from './diagnose.js';
export { diagnosticMeaning } from './diagnostic.js';
