// A dictionary read too loosely would let a permission through where the document says "unknown".
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDictionary } from './preferences.js';

const read = (text: string) => {
  const members = parseDictionary(text);
  return members && Object.fromEntries(members);
};

describe('structured field dictionaries (RFC 9651 §4.2.2)', () => {
  const cases: [string, Record<string, string> | null][] = [
    ['', {}],
    ['  a=y  ', { a: 'y' }],
    ['a', { a: '' }],
    ['a;q=1.5, b=?0', { a: '', b: '' }],
    ['a=y;x="s,t";*k , b=n', { a: 'y', b: 'n' }],
    ['a=y,a=n', { a: 'n' }],
    ['a="x\\"y"', { a: '' }],
    ['a=%"f%c3%bc"', { a: '' }],
    ['a=:YWJj:', { a: '' }],
    ['a=-12.345, b=@1659578233', { a: '', b: '' }],
    ['a=(x "y";p 1), b=()', { a: '', b: '' }],
    ['a=y,', null],
    ['a=y , ', null],
    ['a=( x y ), b=n', { a: '', b: 'n' }],
    ['a=();q', { a: '' }],
    ['a=(x)y', null],
    ['a=-@1', null],
    ['a=1.2345', null],
    ['a=y b=n', null],
    ['A=y', null],
    ['a==', null],
    ['a=', null],
    ['a=y ;p', null],
    ['a=1.', null],
    ['a=1234567890123456', null],
    ['a=(x"y")', null],
    ['a=(x', null],
    ['a="é"', null],
    ['a=@1.5', null],
    [',a', null],
  ];
  it.each(cases)('reads %j', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it('random text never throws, and what parses is a map', () => {
    const piece = fc.constantFrom('a', '=', ',', ' ', ';', '(', ')', '"', '1', '.', '@', '?', ':', '%', 'y', '\\', '*');
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
    fc.assert(fc.property(fc.oneof(fc.string(), text), (value) => parseDictionary(value)?.size !== -1));
  });
});
