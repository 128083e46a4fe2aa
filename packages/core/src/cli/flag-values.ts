// How the values of flags are read.

import { InvalidArgumentError } from 'commander';
import { UsageError } from './failure.js';

/** Collects the values of a flag that may be given more than once. */
export function appendValue<T>(value: T, before: readonly T[] = []): T[] {
  return [...before, value];
}

/** One of a few values. @throws UsageError naming the flag, the values and the given one. */
export function oneOf<T extends string>(flag: string, choices: readonly T[], value: string): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new UsageError(`expected ${flag} to be one of ${choices.join(', ')}, got "${value}"`);
  return found;
}

/** @param hasCsv - Whether a CSV file is written. @throws UsageError */
export function checkRawCells(rawCells: boolean | undefined, hasCsv: boolean): void {
  if (rawCells === true && !hasCsv) throw new UsageError('--raw-cells needs --csv', 'For instance: --csv items.csv');
}

/** Reads a number within a range. @throws InvalidArgumentError */
export function numberArgument(
  min: number,
  max: number,
  isWhole: boolean,
  isMinExclusive = false,
): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    const isInRange = value <= max && (isMinExclusive ? value > min : value >= min);
    if (isInRange && (!isWhole || Number.isInteger(value))) return value;
    const range = isMinExclusive ? `above ${min}, up to ${max}` : `from ${min} to ${max}`;
    throw new InvalidArgumentError(`Expected a ${isWhole ? 'whole ' : ''}number ${range}.`);
  };
}

/** Reads a date (midnight, UTC) or a date with a time, as epoch milliseconds. @throws InvalidArgumentError */
export function dateArgument(text: string): number {
  const atMs = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(atMs)) return atMs;
  throw new InvalidArgumentError('Expected a date such as 2026-05-01 or 2026-05-01T18:30Z.');
}

/** Reads the printed end of a listing: its form depends on the store. @throws InvalidArgumentError */
export function cursorArgument(text: string): string {
  if (/^(?:.+ [0-9a-f]{8}|waiting \d+)$/s.test(text)) return text;
  throw new InvalidArgumentError('Expected what the last listing has printed behind --cursor.');
}

/** Reads the code of a country. @throws InvalidArgumentError */
export function countryArgument(text: string): string {
  if (/^[a-z]{2}$/i.test(text)) return text;
  throw new InvalidArgumentError('Expected two letters, such as DE.');
}
