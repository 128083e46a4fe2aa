// The URL parser, asked once.

/**
 * A URL, or `null` for what is none. One attempt: `canParse` costs as much again, and on Node 20 and 22 it goes wrong
 * of hosts with Latin-1 letters once its caller has been optimised.
 *
 * @throws Never.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null; // The parser has no other way to say so.
  }
}
