// Figures as the report writes them: seconds, bytes, counts.

/** Seconds with as many digits as they deserve. @throws Never */
export function seconds(ms: number): string {
  if (ms >= 100_000) return `${number(Math.round(ms / 1_000))} s`;
  return `${(ms / 1_000).toFixed(ms >= 10_000 ? 1 : ms >= 100 || ms === 0 ? 2 : 3)} s`;
}

/** Bytes in the largest unit that leaves a digit before the point. @throws Never */
export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** A whole number with thin groups of three. @throws Never */
export function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** A count with its noun. @throws Never */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}
