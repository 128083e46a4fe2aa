// Which failure an error of the platform is. If this breaks, a fault of this machine counts as a bug, and the URL is
// lost.

import { expect, it } from 'vitest';
import { failureCode } from './failure-code.js';

it.each([
  ['EMFILE', 'unreachable-network'],
  ['ENOBUFS', 'unreachable-network'],
  ['ENETUNREACH', 'unreachable-network'],
  ['ECONNREFUSED', 'refused'],
  ['ENONSENSE', 'internal'],
])('%s is %s', (code, failure) => {
  expect(failureCode(Object.assign(new Error(code), { code }), 'connecting')).toBe(failure);
});
