// A row of the option table: the shape of the value, one sentence, the default, the flag of the command, and the
// relaxed values. The resolver, the types, the schema, the flags and the reference are made from rows.

import type { JsonValue } from '@mannerly/frontier';
import { MAX_URL_PATTERN_CHARS, MAX_URL_PATTERNS } from '../admit/limits.js';
import { isObject } from '../parse-json.js';

/** A value as a row describes it. `V` is its type, which exists only at compile time. */
export type Shape<V = unknown> = AnyShape & {
  readonly expected: string;
  /** Whether it accepts a value, apart from the entries of a list and the options of a group. */
  readonly accepts: (value: unknown) => boolean;
  readonly value?: V;
};

type AnyShape =
  | { readonly kind: 'boolean' }
  | { readonly kind: 'number'; readonly range: NumberRange }
  | { readonly kind: 'choice'; readonly values: readonly (string | boolean | null)[] }
  | ({ readonly kind: 'text'; readonly what: string } & TextDetails)
  | { readonly kind: 'list'; readonly of: Shape; readonly min: number; readonly max?: number }
  | { readonly kind: 'group'; readonly rows: Rows; readonly type: string; readonly needsOneOf?: readonly string[] }
  | { readonly kind: 'json' }
  | { readonly kind: 'code'; readonly type: string }
  | { readonly kind: 'either'; readonly shapes: readonly Shape[] };

interface TextDetails {
  readonly pattern?: string;
  readonly max?: number;
  /** Whether it is or may be a path, also after `name=`; in a configuration file, relative to the file. */
  readonly path?: 'always' | 'with a slash' | 'after file:';
}

interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly isInteger: boolean;
  /** Whether the value must be more than `least`. */
  readonly isExclusiveMin: boolean;
  readonly unit: string;
}

interface FlagDetails {
  /** The default of the command, if it is not that of the option. */
  readonly default?: number;
  /** The flag takes seconds, the option milliseconds. */
  readonly isSeconds?: boolean;
  /** The option is in days; the flag also takes `7d`, `12h` and `2w`. */
  readonly isDays?: boolean;
  /** What a flag without a value sets. Absent: `true`. */
  readonly sets?: unknown;
  /** Another option that the flag turns on. */
  readonly alsoSets?: string;
}

/** A flag of `mannerly crawl` that sets an option, with its name in commander's form: `--pages <n>`. */
export interface Flag extends FlagDetails {
  readonly name: string;
  readonly help: string;
}

/**
 * Values that are less polite than a site may expect: these values, numbers below or above this one, lists longer than
 * this, or all except this one.
 */
export type RelaxedValues =
  | readonly unknown[]
  | { readonly below: number }
  | { readonly above: number }
  | { readonly longerThan: number }
  | { readonly not: unknown };

/** Which values are relaxed, one sentence about them, and whether other options of the group make them polite again. */
type Relaxed = readonly [
  values: RelaxedValues,
  says: string,
  unless?: (group: Readonly<Record<string, unknown>>) => boolean,
];

interface RowDetails {
  /** The default in words, if the value does not show it. */
  readonly defaultText?: string;
  readonly isRequired?: boolean;
  /** Whether the module that owns the option checks its value, with its own error code. */
  readonly isCheckedByOwner?: boolean;
  readonly relaxed?: Relaxed;
}

interface RowInput extends RowDetails {
  readonly flag?: readonly [name: string, help: string, more?: FlagDetails];
}

/** One option. `D` is `null` if it may be absent without a default. */
export interface Row<V = unknown, D = unknown> extends RowDetails {
  readonly shape: Shape<V>;
  /** One or two sentences in Markdown. */
  readonly does: string;
  readonly default: D;
  readonly flag?: Flag;
}

export type Rows = Readonly<Record<string, Row>>;

export type Filled<R extends Rows> = {
  readonly [K in keyof R]: R[K] extends Row<infer V, infer D> ? V | D : never;
};

export function row<V>(
  shape: Shape<V>,
  does: string,
  details: RowInput & ({ readonly default: NoInfer<V> } | { readonly isRequired: true }),
): Row<V, never>;
export function row<V>(shape: Shape<V>, does: string, details?: RowInput): Row<V, null>;
export function row(shape: Shape, does: string, details: RowInput & { readonly default?: unknown } = {}): Row {
  const { flag: [name, help, more] = [], default: value = null, ...rest } = details;
  const flag = name === undefined || help === undefined ? {} : { flag: { name, help, ...more } };
  return { shape, does, ...rest, ...flag, default: value };
}

/** Makes the row of a group. If the group is absent, each of its options has its default. */
export function groupRow<R extends Rows>(
  does: string,
  type: string,
  rows: R,
  needsOneOf: readonly string[] = [],
): Row<Filled<R>, never> {
  return { shape: { ...group(type, rows), needsOneOf }, does, default: defaultsOfRows };
}

/** The default of a group: that of each of its options. */
export const defaultsOfRows = {} as never;

/** An object of options. @param type - Its TypeScript type. */
export function group<R extends Rows>(type: string, rows: R): Shape<Filled<R>> & { readonly kind: 'group' } {
  return { kind: 'group', rows, type, expected: `an object of ${Object.keys(rows).join(', ')}`, accepts: isObject };
}

export const boolean: Shape<boolean> = {
  kind: 'boolean',
  expected: 'true or false',
  accepts: (value) => typeof value === 'boolean',
};

export function integer(min: number, max: number, unit: string): Shape<number> {
  const expected = min === Number.MIN_SAFE_INTEGER ? 'a whole number' : `a whole number from ${min} to ${max}`;
  const accepts = (value: unknown): boolean => Number.isInteger(value) && isBetween(min, max, value);
  return { kind: 'number', range: { min, max, isInteger: true, isExclusiveMin: false, unit }, expected, accepts };
}

export function number(min: number, max: number, unit: string, isExclusiveMin = false): Shape<number> {
  const expected = `a number ${isExclusiveMin ? `above ${min}, up` : `from ${min}`} to ${max}`;
  const accepts = (value: unknown): boolean => isBetween(min, max, value) && !(isExclusiveMin && value === min);
  return { kind: 'number', range: { min, max, isInteger: false, isExclusiveMin, unit }, expected, accepts };
}

function isBetween(min: number, max: number, value: unknown): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}

export function choice<const T extends string | boolean | null>(...values: readonly T[]): Shape<T> {
  const expected = values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;
  return { kind: 'choice', values, expected, accepts: (value) => values.some((each) => each === value) };
}

/** A text. @param what - Its content, for messages: `an http(s) URL`. */
export function text(what: string, more: TextDetails = {}): Shape<string> {
  const { max, pattern } = more;
  const accepts = (value: unknown): boolean => {
    if (typeof value !== 'string' || value === '' || value.length > (max ?? value.length)) return false;
    return pattern === undefined || new RegExp(pattern).test(value);
  };
  const expected = max === undefined ? what : `${what} of 1 to ${max} characters`;
  return { kind: 'text', what, ...more, expected, accepts };
}

/** Where a secret is. */
export const place = text('file:PATH or env:NAME', { pattern: '^(file|env):.', path: 'after file:' });

export const webUrl = text('an absolute http(s) URL', { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' });

/** Any JSON value. The module that uses the option checks it. */
export const json: Shape<JsonValue> = { kind: 'json', expected: 'a JSON value', accepts: () => true };

export function list<T>(of: Shape<T>, max?: number, min = 0): Shape<readonly T[]> {
  const count = max === undefined ? '' : ` of ${min > 0 ? `${min} to` : 'at most'} ${max} entries`;
  const accepts = (value: unknown): boolean =>
    Array.isArray(value) && value.length >= min && value.length <= (max ?? value.length);
  const expected = `a list${count}, each ${of.expected}`;
  return { kind: 'list', of, min, ...(max === undefined ? {} : { max }), expected, accepts };
}

/**
 * A value that cannot be in a JSON file.
 * @param type - Its TypeScript type.
 * @param members - The members that the object must have, for the message about a missing one.
 */
export function code<T>(type: string, accepts: (value: unknown) => boolean, members: readonly string[] = []): Shape<T> {
  const needed = members.length === 0 ? '' : `, an object with ${members.join(', ')}`;
  return { kind: 'code', type, expected: `a value of type ${type}${needed}`, accepts };
}

/** Whether a value is a function: for `code`. */
export const isFunction = (value: unknown): boolean => typeof value === 'function';

export function either<const S extends readonly Shape[]>(...shapes: S): Shape<ValueOf<S[number]>> {
  const expected = shapes.map((each) => each.expected).join(', or ');
  return { kind: 'either', shapes, expected, accepts: (value) => shapes.some((each) => each.accepts(value)) };
}

type ValueOf<S> = S extends Shape<infer V> ? V : never;

/** A group that `true` turns on with its defaults, and `false` turns off. */
export function switchable<G>(options: Shape<G>): Shape<G | false> {
  return either(boolean, options) as Shape<G | false>;
}

/** Patterns as in robots.txt; in code, RegExp objects too. */
export const patterns = list(
  either(
    text('a URL pattern', { max: MAX_URL_PATTERN_CHARS }),
    code<RegExp>('RegExp', (value) => value instanceof RegExp),
  ),
  MAX_URL_PATTERNS,
);
