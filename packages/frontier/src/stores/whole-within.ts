// An option of a store that counts something.

import { FrontierError } from '../errors.js';

/** @throws FrontierError `option-invalid` for anything but a whole number of the range. */
export function wholeWithin(name: string, value: number, least: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw new FrontierError(
    'option-invalid',
    `expected \`${name}\` to be a whole number from ${least} to ${most}, got ${value}`,
  );
}
