// The URL parser, with `null` for what is no URL.

/**
 * A URL, or `null` for what is none. One attempt rather than `canParse` and then the same again: it costs half, and on
 * Node 20 and 22 `canParse` goes wrong once its caller has been optimised: its fast path takes the bytes of a Latin-1
 * string for UTF-8, so that `https://exämple.com/` is none.
 *
 * @param base - What a relative URL is relative to.
 * @throws Never
 */
export function parseUrl(text: string, base?: string | URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null; // The parser has no other way to say so.
  }
}
