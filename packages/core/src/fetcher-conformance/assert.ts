// Assertions of the conformance suites. They depend on no test runner.

/** A guarantee of the contract does not hold. */
export class ContractBroken extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ContractBroken';
  }
}

/** @throws ContractBroken unless it holds. */
export function assert(holds: boolean, message: string): asserts holds {
  if (!holds) throw new ContractBroken(message);
}

/** Compares as JSON. @throws ContractBroken when they differ, with both. */
export function assertEqual(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) throw new ContractBroken(`${what}: expected ${wanted}, got ${got}`);
}
