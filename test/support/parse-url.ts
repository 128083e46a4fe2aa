// The URL parser, asked once (see `packages/core/src/parse-url.ts` for why not `canParse`).

/** A URL, or `null` if the text is not one. @throws Never */
export function parseUrl(text: string, base?: string | URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null; // The parser has no other way to say so.
  }
}
