// A option that is misread archives nothing, or everything into one endless file.

import { expect, it } from 'vitest';
import { type ArchiveOptions, resolveArchive } from './archive-options.js';

it('is off unless it is asked for, and has its defaults then', () => {
  const defaults = { warcBytes: 1_000_000_000, digest: 'sha-256', wacz: false, folder: null };
  expect([undefined, false].map((each) => resolveArchive(each))).toEqual([null, null]);
  expect([true, {}].map((each) => resolveArchive(each))).toEqual([defaults, defaults]);
});

const REFUSED: readonly (readonly [given: unknown, code: string])[] = [
  [{ warcBytes: 10 }, 'option-invalid'],
  [{ warcBytes: Number.POSITIVE_INFINITY }, 'option-invalid'],
  [{ warcBytes: 2e6 + 0.5 }, 'option-invalid'],
  [{ digest: 'md5' }, 'option-invalid'],
  [{ wacz: 'yes' }, 'option-invalid'],
  [{ folder: '' }, 'option-invalid'],
  [{ warc: true }, 'option-unknown'],
  ['yes', 'option-invalid'],
  [null, 'option-invalid'],
];
it.each(REFUSED)('refuses %j', (given, code) => {
  expect(() => resolveArchive(given as ArchiveOptions)).toThrow(expect.objectContaining({ code }));
});
