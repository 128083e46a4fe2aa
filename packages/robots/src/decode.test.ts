/** A byte order mark that is left in place spoils the first group; a line that is cut changes its meaning. */
import { describe, expect, it } from 'vitest';
import { decodeBody, decodeLines } from './decode.js';
import { MAX_FILE_BYTES, MAX_FILE_BYTES_CEILING } from './limits.js';

const bytes = (...values: number[]) => Uint8Array.from(values);
const codes = (list: readonly { readonly code: string }[]) => list.map(({ code }) => code);

describe('lines', () => {
  it('end at CR, LF and CRLF in any mixture (robots §3.1)', () => {
    expect(decodeLines('a\rb\nc\r\n\nd').lines).toEqual(['a', 'b', 'c', '', 'd']);
    expect(decodeLines('').lines).toEqual([]);
    expect(decodeLines('a\n').lines).toEqual(['a']);
    expect(decodeLines('a\u0085b\u2028c').lines).toEqual(['a\u0085b\u2028c']);
  });

  it.each([
    [bytes(0xef, 0xbb, 0xbf, 0x61), ['a'], ['bom']],
    [bytes(0xef, 0xbb, 0x61), ['a'], ['bom-incomplete']],
    [bytes(0xff, 0xfe, 0x61, 0, 0x0a, 0, 0xc4, 0x30), ['a', 'ツ'], ['encoding-utf16']],
    [bytes(0xfe, 0xff, 0, 0x61), ['a'], ['encoding-utf16']],
    [bytes(0x61, 0, 0x62), ['ab'], ['nul-byte']],
    [bytes(0x61, 0xe9), ['a\ufffd'], ['invalid-utf8']],
    [bytes(0xef), ['\ufffd'], ['invalid-utf8']],
  ])('of %j are %j with %j (robots §2.1–2.3)', (input, lines, expected) => {
    const decoded = decodeLines(input);
    expect(decoded.lines).toEqual(lines);
    expect(codes(decoded.diagnostics)).toEqual(expected);
  });
});

describe('the size limit', () => {
  const line = `${'x'.repeat(99)}\n`;
  const full = line.repeat(MAX_FILE_BYTES / 100);

  it('reads a file of exactly that length', () => {
    expect(decodeBody(full)).toMatchObject({ end: MAX_FILE_BYTES, truncated: false, notes: [] });
  });

  it('keeps whole lines if the cut is at a line end', () => {
    const body = decodeBody(`${full}more`);
    expect(body.end).toBe(MAX_FILE_BYTES);
    expect(codes(body.notes)).toEqual(['file-oversize']);
  });

  it('drops a line that would be cut (R6)', () => {
    const body = decodeBody(`yy${full}`);
    expect(body.end).toBe(MAX_FILE_BYTES - 98);
    expect(codes(body.notes)).toEqual(['file-oversize', 'file-truncated']);
  });

  it.each([
    [1, MAX_FILE_BYTES],
    [Number.NaN, MAX_FILE_BYTES],
    [600_000, 600_000],
    [1e12, MAX_FILE_BYTES_CEILING],
  ])('set to %s is %s: never below the standard (RFC 9309 §2.5)', (maxBytes, limit) => {
    const body = decodeBody(new Uint8Array(MAX_FILE_BYTES_CEILING + 1).fill(0x0a), maxBytes);
    expect(body.end).toBe(limit);
  });

  it('counts bytes, not characters, of a text', () => {
    expect(decodeBody('ツ\n'.repeat(128_001)).truncated).toBe(true);
    expect(decodeBody('ツ\n'.repeat(128_000)).truncated).toBe(false);
  });
});
