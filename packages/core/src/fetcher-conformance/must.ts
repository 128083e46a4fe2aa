// What a trial says when a fetcher breaks its contract. No test runner's assertions: the suite runs under any of them.

/** A promise of the contract was broken. */
export class ContractBroken extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ContractBroken';
  }
}

/** @throws ContractBroken unless it holds. */
export function must(holds: boolean, message: string): asserts holds {
  if (!holds) throw new ContractBroken(message);
}

/** Compares as JSON. @throws ContractBroken when they differ, with both. */
export function mustEqual(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) throw new ContractBroken(`${what}: expected ${wanted}, got ${got}`);
}
