// A keyed hash of strings to 64 bits for tables in memory: HalfSipHash with one round a word and three at the end
// (Aumasson and Bernstein, "SipHash: a fast short-input PRF"), over two UTF-16 code units a word and the number of
// them. Keyed, so that no site can choose URLs that meet. What is kept longer than a process is fingerprinted instead.

/** 64 bits in two halves, not both zero. */
export interface Print {
  low: number;
  high: number;
}

/** Rounds after the last word: the length, three for the low half, three for the high one. */
const LAST_ROUNDS = 7;

/**
 * A hash under one key.
 *
 * @param key - Eight bytes.
 * @returns A function that writes the hash of a string into `into`, which the caller reuses.
 * @throws Never.
 */
export function createKeyedHash(key: Uint8Array): (value: string, into: Print) => void {
  const words = new DataView(key.buffer, key.byteOffset, key.byteLength);
  const [k0, k1] = [words.getInt32(0, true), words.getInt32(4, true)];
  return (value, into) => {
    let v0 = k0;
    let v1 = k1;
    let v2 = 0x6c796765 ^ k0;
    let v3 = 0x74656462 ^ k1;
    let low = 0;
    const { length } = value;
    const end = length + (length & 1) + 2 * LAST_ROUNDS;
    for (let at = 0; at < end; at += 2) {
      let word = 0;
      if (at + 1 < length) word = value.charCodeAt(at) | (value.charCodeAt(at + 1) << 16);
      else if (at < length) word = value.charCodeAt(at);
      else if (at === end - 14) word = length;
      else if (at === end - 12) v2 ^= 0xee;
      else if (at === end - 6) {
        low = v1 ^ v3;
        v1 ^= 0xdd;
      }
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    const high = v1 ^ v3;
    into.low = low === 0 && high === 0 ? 1 : low;
    into.high = high;
  };
}
