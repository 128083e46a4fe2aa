// The charset of bytes that nothing declares, guessed from their statistics by chardet. Asked last, and only of bytes that
// are no UTF-8: a declaration, however wrong, is what the author's own readers got.

import { createRequire } from 'node:module';
import { CHARSET_SAMPLE_BYTES, CHARSET_SEARCH_BYTES, LEAST_CHARSET_CONFIDENCE, LEAST_HIGH_BYTES } from './limits.js';

/** What a guess is when there is too little to go by: the legacy encoding of the web. */
export const LEGACY_CHARSET = 'windows-1252';

/** Pages that call themselves by the ISO name use the bytes that only the Windows one has, 0x80 to 0x9F. */
const WINDOWS_KIN: Readonly<Record<string, string>> = {
  'ISO-8859-1': LEGACY_CHARSET,
  'ISO-8859-7': 'windows-1253',
  'ISO-8859-8': 'windows-1255',
  'ISO-8859-9': 'windows-1254',
};

/**
 * Guesses.
 *
 * @param bytes - No UTF-8. The first part that is no markup is looked at: tags are ASCII in every charset of the web.
 * @returns A label; {@link LEGACY_CHARSET} where there are too few telling bytes or no guess is good.
 * @throws Never
 */
export function detectCharset(bytes: Buffer): string {
  const text = bytes.toString('latin1', 0, CHARSET_SEARCH_BYTES).replace(/<[^<>]{0,4096}>/g, ' ');
  const sample = Buffer.from(telling(text), 'latin1');
  if (countHigh(sample) < LEAST_HIGH_BYTES) return LEGACY_CHARSET;
  // Loaded when it is first needed: most crawls never do, and it is two megabytes.
  const { analyse } = createRequire(import.meta.url)('chardet') as typeof import('chardet');
  const [best] = analyse(sample);
  if (best === undefined || best.confidence < LEAST_CHARSET_CONFIDENCE) return LEGACY_CHARSET;
  if (best.name === 'UTF-8' || best.name === 'ASCII') return LEGACY_CHARSET;
  const kin = WINDOWS_KIN[best.name];
  return kin !== undefined && (kin === LEGACY_CHARSET || /[\x80-\x9f]/.test(text)) ? kin : best.name;
}

/** The sample begins before the first byte that is no ASCII: the English menu in front of a Russian page says nothing. */
function telling(text: string): string {
  const first = Math.max(0, text.search(/[\x80-\xff]/) - 64);
  return text.slice(first, first + CHARSET_SAMPLE_BYTES);
}

function countHigh(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte >= 0x80) count += 1;
  return count;
}
