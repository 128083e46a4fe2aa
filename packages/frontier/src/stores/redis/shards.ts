// Which shard a host is in, and what the keys of a shard begin with.

/** The shard of a host, a record or a slot: FNV-1a of its name. The same in every version, since what is kept lies by it. */
export function shardOf(name: string, shards: number): number {
  if (shards === 1) return 0;
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % shards;
}

/** What the keys of a shard begin with: one hash tag, so one slot. */
export function shardBase(prefix: string, shard: number): string {
  return `{${prefix}:${shard}}`;
}

/** Something and its place among all that was asked. */
export interface Placed<T> {
  readonly one: T;
  readonly at: number;
}

/** Everything by the shard of its host. */
export function byShard<T extends { readonly host: string }>(
  all: readonly T[],
  shards: number,
): Map<number, Placed<T>[]> {
  const parts = new Map<number, Placed<T>[]>();
  for (const [at, one] of all.entries()) {
    const shard = shardOf(one.host, shards);
    const part = parts.get(shard);
    if (part === undefined) parts.set(shard, [{ one, at }]);
    else part.push({ one, at });
  }
  return parts;
}
