// Byte strings: one character per byte. Files, patterns and paths are compared as bytes (robots §2.2), and a string is
// the most compact form that a platform can store and compare.

/** UTF-8 and text. */
export const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
export const encoder = new TextEncoder();

/** The UTF-8 bytes of a text. A lone surrogate becomes U+FFFD. */
export function bytesOf(text: string): string {
  return /[^\0-\x7f]/.test(text) ? charString(encoder.encode(text)) : text;
}

/** Characters that are converted at once. */
const CHUNK_CHARS = 4_096;

/** Character codes as a string. `decoder` is faster for ASCII. */
export function charString(codes: Uint8Array | readonly number[]): string {
  const chunks: string[] = [];
  for (let at = 0; at < codes.length; at += CHUNK_CHARS) {
    chunks.push(String.fromCharCode.apply(null, codes.slice(at, at + CHUNK_CHARS) as unknown as number[]));
  }
  return chunks.join('');
}

/** The bytes that a string stands for. */
export function byteArray(bytes: string): Uint8Array {
  const array = new Uint8Array(bytes.length);
  // The platform encodes ASCII; the encoding of anything else does not fit the array.
  const { read } = encoder.encodeInto(bytes, array);
  if (read < bytes.length) for (let i = 0; i < array.length; i++) array[i] = bytes.charCodeAt(i);
  return array;
}

/** Bytes as people read them: UTF-8, bad sequences as U+FFFD. */
export function textOf(bytes: string): string {
  return /[^\0-\x7f]/.test(bytes) ? decoder.decode(byteArray(bytes)) : bytes;
}

/** Whether `bytes[from, to)` is valid UTF-8 (RFC 3629 §4). */
export function isUtf8(bytes: Uint8Array, from: number, to: number): boolean {
  let more = 0;
  let min = 0x80;
  let max = 0xbf;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] as number;
    if (more > 0) {
      if (byte < min || byte > max) return false;
      more--;
      min = 0x80;
      max = 0xbf;
    } else if (byte > 0x7f) {
      if (byte < 0xc2 || byte > 0xf4) return false;
      more = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      if (byte === 0xe0) min = 0xa0;
      if (byte === 0xf0) min = 0x90;
      if (byte === 0xed) max = 0x9f;
      if (byte === 0xf4) max = 0x8f;
    }
  }
  return more === 0;
}

/** A number as two characters that compare as the number does. */
export function twoChars(value: number): string {
  return String.fromCharCode(value >>> 16, value & 0xffff);
}

/** The number in two characters. */
export function twoCharsAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
}
