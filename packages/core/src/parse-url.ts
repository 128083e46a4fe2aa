// The URL parser, with `null` for an invalid URL.

/**
 * A URL, or `null` if it is invalid. Without `canParse`, which would double the cost, and whose fast path on Node 20
 * and 22 reads Latin-1 strings as UTF-8, so that `https://exämple.com/` is invalid.
 */
export function parseUrl(text: string, base?: string | URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null; // The parser has no other way to say so.
  }
}

/** A part of a URL with its escapes undone; an invalid one stays unchanged. @throws Never */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
