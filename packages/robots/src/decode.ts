// Bytes → text of numbered lines: byte order marks, UTF-16, NUL bytes and the size limit. This file does not interpret
// lines. The input is the body of a response or a string; strings are taken as their UTF-8 bytes.

import { byteArray, charString, encoder, isUtf8, textOf } from './bytes.js';
import type { DiagnosticCode } from './diagnostics/diagnostic.js';
import type { FileNote } from './document.js';
import { MAX_FILE_BYTES, MAX_FILE_BYTES_CEILING } from './limits.js';

const LF = 0x0a;
const CR = 0x0d;

/** A body as UTF-8 (or unknown) bytes, cut to the limit at a line end, marks removed. */
interface DecodedBody {
  /** Holds the bytes in `[0, length)`, with little spare capacity. */
  readonly bytes: Uint8Array;
  /** Index of the first byte after a byte order mark. */
  readonly start: number;
  /** Index after the last byte that counts. */
  readonly end: number;
  /** Whether the body was longer than the limit. */
  readonly truncated: boolean;
  /** What was odd about the file as a whole: about line 1, or line 0 for its size. */
  readonly notes: readonly FileNote[];
}

/** The lines of a file as text, for files other than robots.txt. */
interface DecodedLines {
  /** The lines without terminators; line number n is at index n - 1. Bad UTF-8 is U+FFFD, NUL is removed. */
  readonly lines: readonly string[];
  /** Whether the file was longer than the limit. */
  readonly truncated: boolean;
  readonly diagnostics: readonly { readonly code: DiagnosticCode; readonly line: number }[];
}

/** Cuts a file into numbered lines, by the rules of robots.txt (robots §2.1, §2.3, §2.4, §3.1). */
export function decodeLines(input: Uint8Array | string, options: { readonly maxBytes?: number } = {}): DecodedLines {
  const { bytes, start, end, truncated, notes } = decodeBody(input, options.maxBytes);
  const diagnostics: { code: DiagnosticCode; line: number }[] = [...notes];
  const rawLines = charString(bytes.subarray(start, end)).split(/\r\n?|\n/);
  // There is no line after the last line end.
  if (rawLines.at(-1) === '') rawLines.pop();
  const lines = rawLines.map((raw, index) => {
    if (raw.includes('\0')) diagnostics.push({ code: 'nul-byte', line: index + 1 });
    const withoutNul = raw.replaceAll('\0', '');
    const text = textOf(withoutNul);
    const isBroken = text.includes('\ufffd') && !isUtf8(byteArray(withoutNul), 0, withoutNul.length);
    if (isBroken) diagnostics.push({ code: 'invalid-utf8', line: index + 1 });
    return text;
  });
  return { lines, truncated, diagnostics };
}

/** The bytes of a body that count. `maxBytes` is clamped to 512,000 … 8,388,608 (robots §2.1, §2.4, R2, R6). */
export function decodeBody(input: Uint8Array | string, maxBytes: number = MAX_FILE_BYTES): DecodedBody {
  const limit = maxBytes > MAX_FILE_BYTES ? Math.min(Math.floor(maxBytes), MAX_FILE_BYTES_CEILING) : MAX_FILE_BYTES;
  const notes: FileNote[] = [];
  // Every character makes at least one byte, so the rest of a longer text is not needed.
  let bytes =
    typeof input === 'string'
      ? encoder.encode(input.slice(0, limit + 4))
      : // As a plain array: the engine reads one kind of array faster than two.
        new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  let start = 0;
  const [first = 0, second = 0, third] = bytes;
  if (first === 0xef && second === 0xbb) {
    start = third === 0xbf ? 3 : 2;
    notes.push({ code: start === 3 ? 'bom' : 'bom-incomplete', line: 1 });
  } else if (first >= 0xfe && first + second === 0x1fd) {
    bytes = encoder.encode(decodeUtf16(bytes.subarray(2, 2 * limit + 6), first === 0xff));
    notes.push({ code: 'encoding-utf16', line: 1 });
  }
  let end = bytes.length;
  const truncated = end - start > limit;
  if (truncated) {
    end = start + limit;
    notes.push({ code: 'file-oversize', line: 0 });
    const isLineEnd = (at: number) => bytes[at] === LF || bytes[at] === CR;
    if (!isLineEnd(end - 1) && !isLineEnd(end)) {
      // The author did not write the line as it was cut: it might allow or deny too much (R6).
      while (end > start && !isLineEnd(end - 1)) end--;
      notes.push({ code: 'file-truncated', line: 0 });
    }
  }
  return { bytes, start, end, truncated, notes };
}

function decodeUtf16(bytes: Uint8Array, isLittleEndian: boolean): string {
  // Big-endian decoding is missing from small builds of the platform's TextDecoder.
  const even = bytes.subarray(0, bytes.length & ~1);
  const pairs = isLittleEndian ? even : even.map((_, i) => even[i ^ 1] as number);
  return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(pairs);
}
