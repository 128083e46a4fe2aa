// The URL parser, with `null` for what is no URL.

/**
 * A URL, or `null` for what is none. Not by `canParse`: it costs the same again, and on Node 20 and 22 its fast path
 * reads Latin-1 strings as UTF-8, so that `https://exämple.com/` is none.
 */
export function parseUrl(text: string, base?: string | URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null; // The parser has no other way to say so.
  }
}

/** A part of a URL with its escapes undone; one that is no valid coding stays as it is. @throws Never */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
