// Options of calls, which no table describes. TypeScript refuses a wrong name; elsewhere it would be ignored.

import { invalidOption, MannerlyError } from './errors.js';

/** @param owner - What takes the options. @throws MannerlyError `option-invalid`, `option-unknown` */
export function checkNames(owner: string, known: readonly string[], options: object): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalidOption('options', `an object of ${known.join(', ')} for ${owner}`, options);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new MannerlyError('option-unknown', `unknown option \`${unknown}\` of ${owner}; known: ${known.join(', ')}`);
}
