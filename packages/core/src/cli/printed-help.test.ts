// In the published package, the help of the whole program comes from a file. If the file differed from the program, it
// would describe flags that do not exist.

import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { COMMAND } from '../../test-support/command.js';

it.each([['--help'], ['-h'], ['help']])('%s prints what the program prints', (args) => {
  const printed = (...args: string[]): string =>
    execFileSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8' });
  expect(printed(args)).toBe(printed('--help', '--help'));
});
