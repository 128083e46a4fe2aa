/**
 * robots.txt: parse a file, compile its rules for a crawler, decide about URLs. Everything else is in subpaths
 * (docs/decisions/0010).
 */

export type { RobotsDocument } from './document.js';
export { RobotsError, type RobotsErrorCode } from './errors.js';
export type { CompileOptions } from './options.js';
export { parseRobots } from './parse.js';
export { compileRules, createRulesCompiler, type Decision, type RobotsRules } from './rules.js';
