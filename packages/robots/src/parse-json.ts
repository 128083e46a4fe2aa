/** The value of a JSON text; `null`: it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // JSON.parse reports what is not JSON only by throwing.
  }
}
