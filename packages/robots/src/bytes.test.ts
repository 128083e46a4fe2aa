// Bytes that are taken for UTF-8 although they are not would make two spellings of one path differ.
import { expect, it } from 'vitest';
import { isUtf8 } from './bytes.js';

/** Both ends of every range of bytes in RFC 3629 §4. */
const EDGES = [
  ...[0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf],
  ...[0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff],
];
const strict = new TextDecoder('utf-8', { fatal: true });
const isDecoded = (bytes: Uint8Array): boolean => {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
};

it('isUtf8 agrees with the platform at both ends of every range of bytes', () => {
  const behind = (lists: number[][], bytes: readonly number[]) =>
    lists.flatMap((list) => bytes.map((byte) => [...list, byte]));
  const one = behind([[]], EDGES);
  const two = behind(one, EDGES);
  const four = behind(behind(behind([[0xf0], [0xf1], [0xf4]], EDGES), [0x7f, 0x80, 0xbf]), [0x80, 0xbf, 0xc0]);
  const lists = [[], ...one, ...two, ...behind(behind([[0xe0], [0xe1], [0xed]], EDGES), EDGES), ...four];
  const bytes = lists.map((list) => Uint8Array.from(list));
  expect(bytes.filter((each) => isUtf8(each, 0, each.length) !== isDecoded(each))).toEqual([]);
  expect(isUtf8(Uint8Array.of(0xff, 0x41, 0xff), 1, 2)).toBe(true);
});
