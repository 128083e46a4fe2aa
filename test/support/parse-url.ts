// The URL parser, called once (`packages/core/src/parse-url.ts` says why not `canParse`).

/** A URL, or `null` if the text is not one. @throws Never */
export function parseUrl(text: string, base?: string | URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null; // The parser reports it only by throwing.
  }
}
