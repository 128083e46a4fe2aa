// Numbers of several processes, or of several hosts, as one: each figure by its name.

export function sums<K extends string>(all: readonly Readonly<Record<K, number>>[], ...names: readonly K[]) {
  return figures(all, names, (values) => values.reduce((sum, each) => sum + each, 0));
}

/** The largest of each of these figures over all, of which there is one at least. */
export function largest<K extends string>(all: readonly Readonly<Record<K, number>>[], ...names: readonly K[]) {
  return figures(all, names, (values) => Math.max(...values));
}

function figures<K extends string>(
  all: readonly Readonly<Record<K, number>>[],
  names: readonly K[],
  join: (values: readonly number[]) => number,
): Record<K, number> {
  return Object.fromEntries(names.map((name) => [name, join(all.map((each) => each[name]))])) as Record<K, number>;
}
