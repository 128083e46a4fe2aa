// Named figures: those of several processes or hosts combined, and the ones that a report shows.

export function sums<K extends string>(all: readonly Readonly<Record<K, number>>[], ...names: readonly K[]) {
  return figures(all, names, (values) => values.reduce((sum, each) => sum + each, 0));
}

/** For each of these figures, the largest of all; the list has at least one entry. */
export function largest<K extends string>(all: readonly Readonly<Record<K, number>>[], ...names: readonly K[]) {
  return figures(all, names, (values) => Math.max(...values));
}

/** The figures that are not 0: a report leaves the others out. */
export function withoutZeros<T extends Readonly<Record<string, number>>>(counts: T): Partial<T> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as Partial<T>;
}

function figures<K extends string>(
  all: readonly Readonly<Record<K, number>>[],
  names: readonly K[],
  join: (values: readonly number[]) => number,
): Record<K, number> {
  return Object.fromEntries(names.map((name) => [name, join(all.map((each) => each[name]))])) as Record<K, number>;
}
