/**
 * The front door of `@mannerly/robots`: named re-exports, one by one. What a crawler that parses and decides does not
 * need has doors of its own (docs/decisions/0010).
 */

export type { Decision, DecisionReason } from './decide.js';
export type { BaseDialect, DialectName } from './dialects.js';
export type { CleanParam, FieldRecord, FileNote, Group, ParseOptions, RobotsDocument, Rule } from './document.js';
export { RobotsError, type RobotsErrorCode } from './errors.js';
export type { Schedule } from './group-fields.js';
export type { CompileOptions, Policy } from './options.js';
export { parseRobots } from './parse.js';
export { matchesPattern } from './pattern.js';
export type { RequestRate, TimeWindow } from './politeness-fields.js';
export { compileRules, createRulesCompiler, type RobotsRules } from './rules.js';
