// Logs of several processes as one, in the order of time: each log is in order by itself, so only their heads are compared.

/**
 * The values of several sources in the order of their times; each source is in that order already.
 *
 * @param timeOf - Epoch milliseconds. Of two values of one time the one of the earlier source comes first.
 * @throws What a source throws.
 */
export async function* inOrder<T>(
  sources: readonly AsyncIterable<T>[],
  timeOf: (value: T) => number,
): AsyncGenerator<T, void, undefined> {
  const [only] = sources;
  if (sources.length === 1 && only !== undefined) {
    yield* only;
    return;
  }
  const heads: { readonly rest: AsyncIterator<T>; value: T; atMs: number }[] = [];
  for (const source of sources) {
    const rest = source[Symbol.asyncIterator]();
    const first = await rest.next();
    if (first.done !== true) heads.push({ rest, value: first.value, atMs: timeOf(first.value) });
  }
  while (heads.length > 0) {
    let next = heads[0] as (typeof heads)[number];
    for (const head of heads) if (head.atMs < next.atMs) next = head;
    yield next.value;
    const following = await next.rest.next();
    if (following.done === true) heads.splice(heads.indexOf(next), 1);
    else {
      next.value = following.value;
      // A clock that was set back does not make the past come twice.
      next.atMs = Math.max(next.atMs, timeOf(following.value));
    }
  }
}
