// The user's schemas, by Standard Schema (zod, valibot, arktype and others). Only its types are used here. Whatever a
// schema does, the result is a value.

import type { StandardSchemaV1 } from '@standard-schema/spec';
import { textOf } from '../errors.js';
import { MAX_ISSUE_CHARS, MAX_ISSUE_KEY_CHARS, MAX_ISSUE_PATH, MAX_ITEM_ISSUES } from './limits.js';

/** A schema of any library that speaks Standard Schema v1. @see https://standardschema.dev */
export type Schema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output>;

/** A requirement that a value does not meet. */
export interface SchemaIssue {
  /** At most 500 characters. */
  readonly message: string;
  /** Where in the value, from the outside in; `[]`: the value itself. */
  readonly path: readonly (string | number)[];
}

/** A value as its schema returns it, or its issues, at most 20. */
export type SchemaResult =
  | { readonly kind: 'valid'; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly issues: readonly SchemaIssue[] };

/**
 * A schema that gives a type but checks nothing, for user data and items that are known to be valid.
 *
 * @example
 * const routes = { 'label:product': { userData: unchecked<{ id: number }>(), handle: (page) => page.userData.id } };
 * @throws Never
 */
export function unchecked<T>(): Schema<T> {
  return { '~standard': { version: 1, vendor: 'mannerly', validate: (value) => ({ value: value as T }) } };
}

/** Whether something is a schema: an object or, with some libraries, a function. Never throws. */
export function isSchema(given: unknown): given is Schema {
  const standard = (given as Partial<Schema> | null | undefined)?.['~standard'];
  return typeof standard?.validate === 'function';
}

/**
 * Validates a value with a schema, synchronously if the schema is. A schema that throws, rejects or returns neither a
 * value nor issues rejects the value. Never throws or rejects.
 */
export function checkValue(schema: Schema, value: unknown): SchemaResult | Promise<SchemaResult> {
  try {
    const answer: unknown = schema['~standard'].validate(value);
    const isPromise = typeof (answer as PromiseLike<unknown> | null | undefined)?.then === 'function';
    return isPromise ? Promise.resolve(answer).then(readAnswer, thrownIssue) : readAnswer(answer);
  } catch (error) {
    return thrownIssue(error);
  }
}

/** The issues of a value in one line, for people. Never throws. */
export function issuesText(issues: readonly SchemaIssue[]): string {
  return issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`)).join('; ');
}

function readAnswer(answer: unknown): SchemaResult {
  if (typeof answer !== 'object' || answer === null) return invalid(`the schema answered ${textOf(answer)}`);
  if ('issues' in answer && answer.issues !== undefined) return { kind: 'invalid', issues: issuesOf(answer.issues) };
  return 'value' in answer
    ? { kind: 'valid', value: answer.value }
    : invalid('the schema gave neither value nor issues');
}

function thrownIssue(error: unknown): SchemaResult {
  return invalid(`the schema threw: ${textOf(error)}`);
}

function invalid(message: string): SchemaResult {
  return { kind: 'invalid', issues: [{ message: message.slice(0, MAX_ISSUE_CHARS), path: [] }] };
}

/** Issues come from a library and contain text from the page, so both are cut. */
function issuesOf(given: unknown): SchemaIssue[] {
  if (!Array.isArray(given) || given.length === 0) return [{ message: 'the schema does not say why', path: [] }];
  const issues = given.slice(0, MAX_ITEM_ISSUES).map((issue: Partial<StandardSchemaV1.Issue> | null) => ({
    message: String(issue?.message ?? '').slice(0, MAX_ISSUE_CHARS),
    path: (Array.isArray(issue?.path) ? issue.path : []).slice(0, MAX_ISSUE_PATH).map(segmentOf),
  }));
  // In the engine, a substring keeps the whole text alive. Serializing and parsing it makes a copy.
  return JSON.parse(JSON.stringify(issues)) as SchemaIssue[];
}

function segmentOf(segment: unknown): string | number {
  const key = typeof segment === 'object' && segment !== null && 'key' in segment ? segment.key : segment;
  return typeof key === 'number' ? key : String(key).slice(0, MAX_ISSUE_KEY_CHARS);
}
