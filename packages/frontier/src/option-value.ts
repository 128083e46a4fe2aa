// Checks one value of the options: that its key is known and the value in range. Otherwise the error names the option,
// the range and the value.

import { FrontierError } from './errors.js';

/** @throws FrontierError `option-invalid` if it is not an object, or has an unknown key. */
export function checkKeys(path: string, given: unknown, allowed: readonly string[]): void {
  if (typeof given !== 'object' || given === null)
    throw invalid(path.replace(/\.$/, '') || 'options', 'an object', given);
  for (const key of Object.keys(given)) {
    if (!allowed.includes(key))
      throw new FrontierError('option-invalid', `unknown option \`${path}${key}\`; known: ${allowed.join(', ')}`);
  }
}

/** @throws FrontierError `option-invalid` if it is not a number in the range. */
export function numberIn(name: string, value: number, min: number, max: number): number {
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw invalid(name, `a number from ${min} to ${max}`, value);
}

/** @throws FrontierError `option-invalid` if it is not a whole number in the range. */
export function wholeIn(name: string, value: number, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw invalid(name, `a whole number from ${min} to ${max}`, value);
}

/** @throws FrontierError `option-invalid` for any other value. */
export function oneOf<const T extends string | boolean>(name: string, value: T, allowed: readonly T[]): T {
  if (allowed.includes(value)) return value;
  throw invalid(name, `one of ${allowed.join(', ')}`, value);
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
