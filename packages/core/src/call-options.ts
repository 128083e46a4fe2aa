// Options of calls, which no table describes. TypeScript refuses a wrong name or type; elsewhere it would be ignored.

import { invalidOption, MannerlyError } from './errors.js';
import { isObject } from './parse-json.js';

/** What an option is, in words. `any`: it is checked where it is used. */
const KINDS = {
  any: 'anything',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  function: 'a function',
  object: 'an object',
  list: 'a list',
  signal: 'an AbortSignal',
} as const;

/** The options of one call. */
export interface CallOptions<Options> {
  /** The call, as messages name it. */
  readonly call: string;
  readonly kinds: { readonly [Name in keyof Options]-?: keyof typeof KINDS };
  readonly required?: readonly (keyof Options & string)[];
  /** What is probably meant by an option that does not exist. */
  readonly hint?: string;
}

/** @throws MannerlyError `option-invalid`, `option-unknown` */
export function checkOptions<Options extends object>(
  { call, kinds, required = [], hint }: CallOptions<Options>,
  options: Options,
): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalidOption(call, `an object of ${Object.keys(kinds).join(', ')}`, options, hint);
  }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(kinds, name)) {
      const message = `unknown option \`${call}.${name}\`; known: ${Object.keys(kinds).join(', ')}`;
      throw new MannerlyError('option-unknown', message, hint === undefined ? {} : { hint });
    }
    const kind = kinds[name as keyof Options];
    if (value !== undefined && !isOf(kind, value)) throw invalidOption(`${call}.${name}`, KINDS[kind], value);
  }
  for (const name of required) {
    if (options[name] === undefined) throw invalidOption(`${call}.${name}`, KINDS[kinds[name]], undefined);
  }
}

/** @param names - Of the paths that the call reads. @throws MannerlyError `option-invalid` */
export function checkPaths(call: string, paths: unknown, ...names: readonly string[]): void {
  const isWhole = isObject(paths) && names.every((name) => typeof paths[name] === 'string');
  if (!isWhole) throw invalidOption(call, 'a crawl directory, as `await readCrawlDirectory(path)` gives it', paths);
}

function isOf(kind: keyof typeof KINDS, value: unknown): boolean {
  if (kind === 'any') return true;
  if (kind === 'list') return Array.isArray(value);
  if (kind === 'signal') return typeof value === 'object' && value !== null && 'aborted' in value;
  return typeof value === kind && value !== null && !Number.isNaN(value);
}
