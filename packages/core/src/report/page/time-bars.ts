// Counts over time in a bounded number of equal spans: when the last is passed, spans are joined in pairs.

/** Counts by name over time. */
export interface TimeBars<Name extends string> {
  add(name: Name, atMs: number, count: number): void;
  /** The value that a span ends with. */
  set(name: Name, atMs: number, value: number): void;
  /** Ends of the spans that hold anything, and what lies between. */
  read(): {
    readonly spanMs: number;
    readonly startMs: number;
    readonly spans: readonly Readonly<Partial<Record<Name, number>>>[];
  };
}

/**
 * @param startMs - Where the first span begins; what is earlier counts there. Epoch milliseconds.
 * @param most - Spans at most, an even number.
 */
export function createTimeBars<Name extends string>(startMs: number, most: number): TimeBars<Name> {
  let spans: Partial<Record<Name, number>>[] = [];
  let spanMs = FIRST_SPAN_MS;
  const lastValues = new Set<Name>();

  const spanAt = (atMs: number): Partial<Record<Name, number>> => {
    const ms = Math.max(0, atMs - startMs);
    while (ms >= spanMs * most) {
      spans = joined(spans, lastValues);
      spanMs *= 2;
    }
    const index = Math.floor(ms / spanMs);
    while (spans.length <= index) spans.push({});
    return spans[index] as Partial<Record<Name, number>>;
  };

  return {
    add(name, atMs, count) {
      const span = spanAt(atMs);
      span[name] = (span[name] ?? 0) + count;
    },
    set(name, atMs, value) {
      lastValues.add(name);
      spanAt(atMs)[name] = value;
    },
    read: () => ({ spanMs, startMs, spans }),
  };
}

/** Milliseconds of a span to begin with. */
const FIRST_SPAN_MS = 50;

function joined<Name extends string>(
  spans: readonly Partial<Record<Name, number>>[],
  lastValues: ReadonlySet<Name>,
): Partial<Record<Name, number>>[] {
  const pairs: Partial<Record<Name, number>>[] = [];
  for (let at = 0; at < spans.length; at += 2) {
    const pair = { ...spans[at] } as Partial<Record<Name, number>>;
    for (const [name, value] of Object.entries(spans[at + 1] ?? {}) as [Name, number][])
      pair[name] = lastValues.has(name) ? value : (pair[name] ?? 0) + value;
    pairs.push(pair);
  }
  return pairs;
}
