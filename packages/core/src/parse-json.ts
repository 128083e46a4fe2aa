// The JSON parser, with a value for what is no JSON.

/** A value, or `undefined` for what is no JSON. @throws Never */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** An object, or `null` for anything else. @throws Never */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | null {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
