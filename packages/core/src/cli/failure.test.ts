// Scripts tell by the exit code whether a call was wrong or something broke: a store without the crawl is as wrong a
// call as a directory without it.

import { expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { MannerlyError } from '../errors.js';
import { reportFailure } from './failure.js';

it.each([
  ['directory-taken', 2],
  ['not-running', 2],
  ['store-failed', 1],
] as const)('%s ends the command with code %i', (code, exitCode) => {
  const io = fakeIo();
  expect(reportFailure(new MannerlyError(code, 'no crawl', { hint: 'Name it.' }), io)).toBe(exitCode);
  expect(io.errLines).toEqual(['mannerly: no crawl', '  Name it.']);
});
