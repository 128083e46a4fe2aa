// A piece of a page's text for a reader, no longer than the page allows.

const ELLIPSIS = '…';

/**
 * Cuts a text to an excerpt: white space collapsed, ended at a word where that loses little.
 *
 * @param maxChars - Characters wanted at most, the ellipsis included.
 * @param allowedChars - What `nosnippet` and `max-snippet` leave (`effects.maxSnippet`); `null`: no limit.
 * @returns The empty string where nothing is allowed.
 * @throws Never
 * @see page-level §2, §7
 */
export function excerptOf(text: string, maxChars: number, allowedChars: number | null): string {
  const limit = Math.max(0, Math.min(maxChars, allowedChars ?? maxChars));
  const plain = text.replace(/\s+/g, ' ').trim();
  const characters = Array.from(plain);
  if (characters.length <= limit) return plain;
  if (limit === 0) return '';
  const cut = characters.slice(0, limit - 1).join('');
  const blank = cut.lastIndexOf(' ');
  return (blank > cut.length / 2 ? cut.slice(0, blank) : cut) + ELLIPSIS;
}
