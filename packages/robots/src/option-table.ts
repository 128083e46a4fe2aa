// Options as a table: the values of each, and its default. One reader checks all groups of options of this package.

import { RobotsError } from './errors.js';

/** By option: the possible values, the default first; or for a number the default, the minimum and the maximum. */
export type OptionTable = Readonly<Record<string, readonly unknown[]>>;

/** Every option of the table, with its default if absent. @throws RobotsError `option-invalid`, `option-unknown`. */
export function readOptions(table: OptionTable, options: object): Record<string, unknown> {
  checkNames(Object.keys(table), options);
  const read = Object.entries(table).map(([option, values]) => {
    const value = (options as Readonly<Record<string, unknown>>)[option];
    const [defaultValue, min, max] = values;
    const isNumber = typeof min === 'number';
    const isWithin = isNumber
      ? Number.isFinite(value) && (value as number) >= min && (value as number) <= (max as number)
      : values.includes(value);
    if (value === undefined || isWithin) return [option, value === undefined ? defaultValue : value];
    throw invalidOption(option, isNumber ? `from ${min} to ${max}` : `one of ${values.join(', ')}`, value);
  });
  return Object.fromEntries(read);
}

/** @throws RobotsError `option-unknown` */
export function checkNames(known: readonly string[], options: object): void {
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new RobotsError('option-unknown', `unknown option \`${unknown}\``, `known: ${known.join(', ')}`);
}

/** An `option-invalid` error with the range and the value. */
export function invalidOption(option: string, expected: string, value: unknown): RobotsError {
  return new RobotsError('option-invalid', `expected \`${option}\` to be ${expected}, got ${JSON.stringify(value)}`);
}
