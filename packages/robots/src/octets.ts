/**
 * Octet strings: one character per octet. Files, patterns and paths are compared as octets (specification, robots §2.2), and
 * a string is the smallest thing a platform has to hold and to compare them with.
 */

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The UTF-8 octets of a text. A lone surrogate becomes U+FFFD.
 *
 * @param text - Any text; ASCII comes back as it is.
 * @throws Never.
 */
export function octetsOf(text: string): string {
  return /[^\0-\x7f]/.test(text) ? octetString(new TextEncoder().encode(text)) : text;
}

/**
 * Octets as a string, in one piece. The platform decodes ASCII at memory speed, but has no decoder for plain octets (its
 * `latin1` is really windows-1252), so high octets are put in between by hand.
 *
 * @throws Never.
 */
export function octetString(octets: Uint8Array): string {
  const pieces: string[] = [];
  let from = 0;
  for (let i = 0; i < octets.length; i++) {
    const octet = octets[i] as number;
    if (octet < 0x80) continue;
    if (i > from) pieces.push(utf8.decode(octets.subarray(from, i)));
    pieces.push(String.fromCharCode(octet));
    from = i + 1;
  }
  pieces.push(utf8.decode(octets.subarray(from)));
  return pieces.join('');
}

/**
 * The octets that a string stands for.
 *
 * @throws Never.
 */
export function octetArray(octets: string): Uint8Array {
  const array = new Uint8Array(octets.length);
  for (let i = 0; i < array.length; i++) array[i] = octets.charCodeAt(i);
  return array;
}

/**
 * Octets as people read them: UTF-8, bad sequences as U+FFFD.
 *
 * @throws Never.
 */
export function textOf(octets: string): string {
  return /[^\0-\x7f]/.test(octets) ? utf8.decode(octetArray(octets)) : octets;
}

/**
 * Whether octets are valid UTF-8.
 *
 * @throws Never.
 */
export function isUtf8(octets: string): boolean {
  return octetsOf(textOf(octets)) === octets;
}
