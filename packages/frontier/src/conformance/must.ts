// The suite's only assertion: it names the invariant that broke, whatever test runner is in use.

/** Throws an error whose message starts with the invariant unless the condition holds. */
export function must(condition: boolean, invariant: string, what: string): asserts condition {
  if (!condition) throw new Error(`${invariant}: ${what}`);
}

/** As `must`, for values that are equal as JSON. */
export function mustEqual(actual: unknown, expected: unknown, invariant: string, what: string): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  must(got === wanted, invariant, `${what}: expected ${wanted}, got ${got}`);
}

/** The code of the error an action ends with; `null` when it ends well. */
export async function codeOf(action: Promise<unknown>): Promise<string | null> {
  try {
    await action;
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no code';
  }
}
