// Assertions of the conformance suites. They depend on no test runner.

import { MAX_SHOWN_CHARS } from './limits.js';

/** A guarantee of the contract does not hold. */
export class ContractBroken extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ContractBroken';
  }
}

/** @throws ContractBroken unless it holds. */
export function assert(holds: boolean, message: string): asserts holds {
  if (!holds) throw new ContractBroken(message);
}

/** Compares as JSON. @throws ContractBroken when they differ, with both; of long values, with what differs first. */
export function assertEqual(actual: unknown, expected: unknown, what: string): void {
  const [got, expectedText] = [textOf(actual), textOf(expected)];
  if (got === expectedText) return;
  const at = firstDifference(got, expectedText);
  throw new ContractBroken(`${what}: expected ${excerpt(expectedText, at)}, got ${excerpt(got, at)}`);
}

/** Compares some fields. @throws ContractBroken for the first that differs, by its name. */
export function assertFields<T extends object>(actual: T, expected: Partial<T>, of: string): void {
  for (const name of Object.keys(expected) as (keyof T & string)[]) {
    assertEqual(actual[name], expected[name], `\`${name}\` of ${of}`);
  }
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? 'undefined';

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/** A text in a message: of a long one, its length and what surrounds a position. */
function excerpt(text: string, at: number): string {
  if (text.length <= MAX_SHOWN_CHARS) return text;
  const from = Math.max(0, at - MAX_SHOWN_CHARS / 4);
  return `${text.length} characters, from ${from} on …${text.slice(from, from + MAX_SHOWN_CHARS / 2)}…`;
}
