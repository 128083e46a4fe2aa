// Byte strings: one character per byte. Files, patterns and paths are compared as bytes (robots §2.2), and a string is
// the smallest thing a platform has to hold and to compare them with.

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The UTF-8 bytes of a text. A lone surrogate becomes U+FFFD. */
export function bytesOf(text: string): string {
  return /[^\0-\x7f]/.test(text) ? byteString(new TextEncoder().encode(text)) : text;
}

/** Bytes as a string. ASCII runs are decoded by the platform, which has no decoder for plain bytes. */
export function byteString(bytes: Uint8Array): string {
  const pieces: string[] = [];
  let from = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte < 0x80) continue;
    if (i > from) pieces.push(utf8.decode(bytes.subarray(from, i)));
    pieces.push(String.fromCharCode(byte));
    from = i + 1;
  }
  pieces.push(utf8.decode(bytes.subarray(from)));
  return pieces.join('');
}

/** The bytes that a string stands for. */
export function byteArray(bytes: string): Uint8Array {
  const array = new Uint8Array(bytes.length);
  for (let i = 0; i < array.length; i++) array[i] = bytes.charCodeAt(i);
  return array;
}

/** Bytes as people read them: UTF-8, bad sequences as U+FFFD. */
export function textOf(bytes: string): string {
  return /[^\0-\x7f]/.test(bytes) ? utf8.decode(byteArray(bytes)) : bytes;
}

/** Whether bytes are valid UTF-8. */
export function isUtf8(bytes: string): boolean {
  return bytesOf(textOf(bytes)) === bytes;
}
