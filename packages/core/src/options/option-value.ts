// One value among the options: of a known key and in its range, or refused with the option, the range and the value.

import { MannerlyError } from '../errors.js';

/** @throws MannerlyError `option-unknown` for a key that is none of those known, with its path. */
export function knownKeys(path: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new MannerlyError(
    'option-unknown',
    `\`${path}${unknown}\` is no option of createCrawler; known are ${known.join(', ')}`,
  );
}

/** @throws MannerlyError `option-invalid` for what is no number of the range. */
export function numberIn(option: string, value: unknown, least: number, greatest: number): number {
  if (typeof value === 'number' && value >= least && value <= greatest) return value;
  throw new MannerlyError(
    'option-invalid',
    `expected \`${option}\` to be a number from ${least} to ${greatest}, got ${shown(value)}`,
  );
}

/** @throws MannerlyError `option-invalid` for what is no whole number of the range. */
export function integerIn(option: string, value: unknown, least: number, greatest: number): number {
  if (Number.isInteger(value)) return numberIn(option, value, least, greatest);
  throw new MannerlyError(
    'option-invalid',
    `expected \`${option}\` to be a whole number from ${least} to ${greatest}, got ${shown(value)}`,
  );
}

/** A value as a message shows it. */
export function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
