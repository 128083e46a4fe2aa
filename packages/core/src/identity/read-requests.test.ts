// A HAR file of another program may have anything where text should be: its requests are verified all the same.

import { expect, it } from 'vitest';
import { verifySignature } from '../signatures/verify-signature.js';
import { readRequestTexts } from './read-requests.js';

it.each([
  ['the name of a field', { headers: [{ name: 5, value: 'x' }] }],
  ['its value', { headers: [{ name: 'signature', value: 5 }] }],
  ['both', { headers: [{ name: null, value: null }] }],
  ['the URL', { url: 5, headers: [{ name: 'signature', value: 'x' }] }],
])('%s is not a string', (_what, more) => {
  const request = { method: 'GET', url: 'https://a.example/', ...more };
  const read = readRequestTexts(JSON.stringify({ log: { entries: [{ request }] } })) ?? [];
  expect(read.map((each) => verifySignature(each.request, () => null, { nowMs: 0 }).kind)).not.toContain('verified');
  expect(read).toHaveLength(1);
});
