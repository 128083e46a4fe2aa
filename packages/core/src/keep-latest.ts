// Maps of bounded size that forget the key set longest ago.

/** Sets a key as the latest of its map; past `most` keys the one set longest ago is forgotten. Never throws. */
export function keepLatest<K, V>(map: Map<K, V>, key: K, value: V, maxSize: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= maxSize) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
