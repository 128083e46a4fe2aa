// Checks the options of calls, which no table describes. TypeScript refuses a wrong name or type; in JavaScript it
// would be silently ignored.

import { invalidOption, MannerlyError } from './errors.js';
import { LOWEST_PRIORITY } from './limits.js';
import { isObject } from './parse-json.js';

/** The kinds of options, in words. `any`: the option, and its absence, is checked where it is used. */
const KIND_NAMES = {
  any: 'anything',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  function: 'a function',
  object: 'an object',
  list: 'a list',
  signal: 'an AbortSignal',
} as const;

type Kind = keyof typeof KIND_NAMES;

/** Every option of a call and its kind; with `!` if the call requires it. */
export type CallOptions<Options> = {
  readonly [Name in keyof Options]-?: Partial<Options> extends Pick<Options, Name> ? Kind : `${Kind}!` | 'any';
};

/** @param hint - For an unknown option. @throws MannerlyError `option-invalid`, `option-unknown` */
export function checkOptions<Options extends object>(
  call: string,
  options: Options,
  known: CallOptions<NoInfer<Options>>,
  hint?: string,
): void {
  if (!isObject(options)) throw invalidOption(call, `an object of ${namesIn(known)}`, options, hint);
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue;
    const message = `unknown option \`${call}.${name}\`; known: ${namesIn(known)}`;
    throw new MannerlyError('option-unknown', message, hint === undefined ? {} : { hint });
  }
  for (const [name, kindOf] of Object.entries<Kind | `${Kind}!`>(known)) {
    const kind = kindOf.replace('!', '') as Kind;
    const value = options[name as keyof Options];
    const fits = value === undefined ? kind === kindOf : isOfKind(kind, value);
    if (!fits) throw invalidOption(`${call}.${name}`, KIND_NAMES[kind], value);
  }
}

/** Checks that an object of the caller has the members that are used. @throws MannerlyError `option-invalid` */
export function checkMembers(option: string, expected: string, value: unknown, ...names: readonly string[]): void {
  const hasAll = isObject(value) && names.every((name) => value[name] !== undefined);
  if (!hasAll) throw invalidOption(option, `${expected}, an object with ${names.join(', ')}`, value);
}

/** Checks for a whole number from 1. @throws MannerlyError `option-invalid` */
export function checkCount(option: string, value: number, max: number): void {
  if (!(Number.isInteger(value) && value >= 1 && value <= max)) {
    throw invalidOption(option, `a whole number from 1 to ${max}`, value);
  }
}

/** Checks a priority within a host, if one is given. @throws MannerlyError `option-invalid` */
export function checkPriority(option: string, value: number | undefined): void {
  if (value === undefined || (Number.isInteger(value) && value >= 0 && value <= LOWEST_PRIORITY)) return;
  throw invalidOption(option, `a whole number from 0 (first) to ${LOWEST_PRIORITY} (last)`, value);
}

/** @param names - The paths that the call reads. @throws MannerlyError `option-invalid` */
export function checkPaths(call: string, paths: unknown, ...names: readonly string[]): void {
  const hasAllPaths = isObject(paths) && names.every((name) => typeof paths[name] === 'string');
  if (!hasAllPaths) throw invalidOption(call, 'a crawl directory, as `await readCrawlDirectory(path)` gives it', paths);
}

function namesIn(known: object): string {
  return Object.keys(known).join(', ');
}

function isOfKind(kind: Kind, value: unknown): boolean {
  if (kind === 'any') return true;
  if (kind === 'list') return Array.isArray(value);
  if (kind === 'signal') return typeof value === 'object' && value !== null && 'aborted' in value;
  return typeof value === kind && value !== null && !Number.isNaN(value);
}
