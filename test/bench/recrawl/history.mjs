// Pages that change at random. Each is drawn once, so that every schedule gets the same pages.

/** Numbers from 0 to 1, the same for the same seed. */
export function draw(seed) {
  let state = BigInt(seed);
  const mask = (1n << 64n) - 1n;
  return () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & mask;
    return Number(state >> 11n) / 2 ** 53;
  };
}

/** Median changes per day, and the share of the pages: rarely, monthly, weekly, daily, several times a day. */
const KINDS = [
  [1 / 1_000, 0.45],
  [1 / 30, 0.25],
  [1 / 7, 0.18],
  [1, 0.09],
  [12, 0.03],
];
/** The standard deviation of the logarithm of the rates of one kind. */
const SPREAD = 0.6;

/** Pages with the days on which they change. */
export function changesOf(count, days, random) {
  return Array.from({ length: count }, () => {
    const perDay = rateOf(random);
    const at = [];
    for (let day = waitOf(perDay, random); day < days; day += waitOf(perDay, random)) at.push(day);
    return pageOf(at);
  });
}

/** A page from the days of its changes, in order. */
export function pageOf(at) {
  /** Index of the first change after a day. */
  const after = (day) => {
    let [low, high] = [0, at.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (at[middle] <= day) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    /** The first change after one day and up to another; `null`: none. */
    firstIn(from, to) {
      const first = at[after(from)];
      return first !== undefined && first <= to ? first : null;
    },
    /** The last change up to a day; `null`: none. */
    lastBy: (day) => at[after(day) - 1] ?? null,
    changedIn: (from, to) => after(from) < after(to),
  };
}

function rateOf(random) {
  let left = random();
  const [median] = KINDS.find(([, share]) => {
    left -= share;
    return left < 0;
  }) ?? [12];
  // The sum of twelve uniform numbers is close to a normal distribution.
  const normal = Array.from({ length: 12 }, random).reduce((sum, each) => sum + each, -6);
  return median * Math.exp(SPREAD * normal);
}

function waitOf(perDay, random) {
  return -Math.log(1 - random()) / perDay;
}
