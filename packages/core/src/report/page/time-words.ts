// Instants and lengths of time as the report page writes them.

import { seconds } from './figures.js';

/** An time to the second, UTC. @throws Never */
export function time(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replace('T', ' ');
}

/** Two times, the second shorter where the day is the same. @throws Never */
export function between(fromMs: number, toMs: number): string {
  const [from, to] = [time(fromMs), time(toMs)];
  return from.slice(0, 10) === to.slice(0, 10) ? `${from} to ${to.slice(11)} UTC` : `${from} to ${to} UTC`;
}

/** A length of time in the unit that suits it. @throws Never */
export function length(ms: number): string {
  if (ms >= 5_400_000) return `${(ms / 3_600_000).toFixed(1)} h`;
  return ms >= 120_000 ? `${(ms / 60_000).toFixed(1)} min` : seconds(ms);
}
