// The platform's URL parser as a question: what is not a URL is `null`, not an exception. Asked by one attempt: the
// platform's own question, `URL.canParse`, goes wrong on Node 20 and 22 once its caller has been optimised.

/**
 * Reads a URL.
 * @param value - An absolute URL, or a relative one where there is a base.
 * @returns `null` for anything else, an empty value included.
 */
export function readUrl(value: string, base: string | null = null): URL | null {
  try {
    return value === '' ? null : new URL(value, base ?? undefined);
  } catch {
    // A TypeError: not a URL.
    return null;
  }
}
