// The URL parser as the command asks it: what a person typed is a URL or it is not.

/**
 * A URL, or `null` for what is none. One attempt: `canParse` may be wrong of a name with letters beyond ASCII.
 *
 * @throws Never
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null; // The parser has no other way to say so.
  }
}
