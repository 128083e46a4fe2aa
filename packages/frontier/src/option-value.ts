// Checks one value of the options: that its key is known and the value in range. Otherwise the error names the option,
// the range and the value.

import { FrontierError } from './errors.js';

/** @throws FrontierError `option-invalid` if it is not an object, or has an unknown key. */
export function knownKeys(path: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null)
    throw invalid(path.replace(/\.$/, '') || 'options', 'an object', given);
  for (const key of Object.keys(given)) {
    if (!known.includes(key))
      throw new FrontierError('option-invalid', `unknown option \`${path}${key}\`; known: ${known.join(', ')}`);
  }
}

/** @throws FrontierError `option-invalid` if it is not a number in the range. */
export function numberIn(name: string, value: number, least: number, greatest: number): number {
  if (typeof value === 'number' && value >= least && value <= greatest) return value;
  throw invalid(name, `a number from ${least} to ${greatest}`, value);
}

/** @throws FrontierError `option-invalid` if it is not a whole number in the range. */
export function wholeIn(name: string, value: number, least: number, greatest: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= greatest) return value;
  throw invalid(name, `a whole number from ${least} to ${greatest}`, value);
}

/** @throws FrontierError `option-invalid` for any other value. */
export function oneOf<const T extends string | boolean>(name: string, value: T, known: readonly T[]): T {
  if (known.includes(value)) return value;
  throw invalid(name, `one of ${known.join(', ')}`, value);
}

/** @throws FrontierError `option-invalid` if it is not a function. */
export function callable<T>(name: string, value: T): T {
  if (typeof value === 'function') return value;
  throw invalid(name, 'a function', value);
}

/** The error for an option: what was expected, and what was given. */
export function invalid(name: string, expected: string, got: unknown): FrontierError {
  const isObject = typeof got === 'object' && got !== null;
  const text = typeof got === 'string' ? JSON.stringify(got) : isObject ? 'an object' : String(got);
  return new FrontierError('option-invalid', `expected \`${name}\` to be ${expected}, got ${text}`);
}
