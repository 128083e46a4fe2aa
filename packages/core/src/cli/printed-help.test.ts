// The help of the whole program comes from a file where it is published. One that the program would not print says what
// is not there.

import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { COMMAND } from '../../test-support/command.js';

it.each([['--help'], ['-h'], ['help']])('%s prints what the program prints', (asked) => {
  const printed = (...args: string[]): string =>
    execFileSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8' });
  expect(printed(asked)).toBe(printed('--help', '--help'));
});
