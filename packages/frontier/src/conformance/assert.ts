// The suite's assertions. They name the invariant that broke, whatever test runner is in use.

export class InvariantError extends Error {
  override readonly name = 'InvariantError';
  /** `null`: the first one that the test names. */
  readonly invariant: string | null;

  constructor(message: string, invariant: string | null) {
    super(message);
    this.invariant = invariant;
  }
}

/** @param invariant - Where it is not the first one that the test names. */
export function assert(condition: boolean, message: string, invariant?: string): asserts condition {
  if (!condition) throw new InvariantError(message, invariant ?? null);
}

/** As `assert`, for values that are equal as JSON. */
export function assertEqual(actual: unknown, expected: unknown, what: string, invariant?: string): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  assert(got === wanted, `${what}: expected ${wanted}, got ${got}`, invariant);
}

/** The code of the error that an action fails with; `null` when it succeeds. */
export async function codeOf(action: Promise<unknown>): Promise<string | null> {
  try {
    await action;
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no code';
  }
}
