// Values of flags as commander reads them: lists, words out of a few, numbers within a range.

import { InvalidArgumentError } from 'commander';
import { UsageError } from './failure.js';

/** Collects the values of a flag that may be given more than once. */
export function collected(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** One word out of a few. @throws UsageError naming the flag, the words and the value. */
export function oneOf<T extends string>(flag: string, words: readonly T[], value: string): T {
  const found = words.find((word) => word === value);
  if (found === undefined) throw new UsageError(`${flag} knows ${words.join(', ')}; it was given "${value}"`);
  return found;
}

/** Reads a number from an argument. @throws InvalidArgumentError when it is none, or out of its range. */
export function numberArgument(least: number, greatest: number, isWhole: boolean): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= least && value <= greatest && (!isWhole || Number.isInteger(value))) return value;
    const kind = isWhole ? 'a whole number' : 'a number';
    throw new InvalidArgumentError(`Expected ${kind} from ${least} to ${greatest}.`);
  };
}

/**
 * Reads a time: a date (midnight, UTC) or a date with a time.
 *
 * @returns Epoch milliseconds.
 * @throws InvalidArgumentError
 */
export function instantArgument(text: string): number {
  const atMs = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(atMs)) return atMs;
  throw new InvalidArgumentError('Expected a date such as 2026-05-01 or 2026-05-01T18:30Z.');
}
