// Which shard has what, by the hash of a name.

/** The shard of a host, a record or a slot: FNV-1a of its name. Stored data is placed by it, so it never changes. */
export function shardOf(name: string, shards: number): number {
  if (shards === 1) return 0;
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % shards;
}

/** One item of several, with its index among them. */
export interface Placed<T> {
  readonly one: T;
  readonly at: number;
}

export function byShard<T>(items: readonly T[], shards: number, nameOf: (one: T) => string): Map<number, Placed<T>[]> {
  const parts = new Map<number, Placed<T>[]>();
  for (const [at, one] of items.entries()) {
    const shard = shardOf(nameOf(one), shards);
    const part = parts.get(shard);
    if (part === undefined) parts.set(shard, [{ one, at }]);
    else part.push({ one, at });
  }
  return parts;
}
