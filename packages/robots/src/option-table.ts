// Options as a table: the values of each, and its default. One reader checks all groups of options of this package.

import { RobotsError } from './errors.js';

/** By option: the possible values, the default first; or for a number the default, the minimum and the maximum. */
export type OptionTable = Readonly<Record<string, readonly unknown[]>>;

/** Every option of the table, with its default if absent. @throws RobotsError `option-invalid`, `option-unknown`. */
export function readOptions(table: OptionTable, given: object): Record<string, unknown> {
  checkNames(Object.keys(table), given);
  const read = Object.entries(table).map(([option, values]) => {
    const value = (given as Readonly<Record<string, unknown>>)[option];
    const [byDefault, least, greatest] = values;
    const isNumber = typeof least === 'number';
    const isWithin = isNumber
      ? Number.isFinite(value) && (value as number) >= least && (value as number) <= (greatest as number)
      : values.includes(value);
    if (value === undefined || isWithin) return [option, value === undefined ? byDefault : value];
    throw invalidOption(option, isNumber ? `from ${least} to ${greatest}` : `one of ${values.join(', ')}`, value);
  });
  return Object.fromEntries(read);
}

/** @throws RobotsError `option-unknown` */
export function checkNames(known: readonly string[], given: object): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new RobotsError('option-unknown', `unknown option \`${unknown}\``, `known: ${known.join(', ')}`);
}

/** An `option-invalid` error with the range and the value. */
export function invalidOption(option: string, expected: string, value: unknown): RobotsError {
  return new RobotsError('option-invalid', `expected \`${option}\` to be ${expected}, got ${JSON.stringify(value)}`);
}
