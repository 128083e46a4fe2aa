// Judges a web's own log: requests that came too soon, two at once, before robots.txt, against robots.txt, or without
// our contact. The test gives the rules as plain prefixes and numbers, so that no parser of ours judges itself.

import type { WebExchange } from './web.js';

/** What one host asks for, as the test knows it. */
export interface HostRules {
  /** Milliseconds from the end of one exchange to the start of the next. @default 0 */
  readonly gapMs?: number;
  /** Milliseconds from the start of one exchange to the start of the next. @default 0 */
  readonly startToStartMs?: number;
  /** Path prefixes that its robots.txt closes. */
  readonly closed?: readonly string[];
}

/** The rules to judge by. */
export interface JudgeOptions {
  /** By host name. */
  readonly rules?: Readonly<Record<string, HostRules>>;
  /** Must be part of every User-Agent. */
  readonly contact: string;
  /** Paths that are hops of a robots.txt, requested before any rules are known. */
  readonly robotsHops?: readonly string[];
}

/** Every fault, as text; all empty for a polite crawl. */
export interface Impoliteness {
  readonly early: readonly string[];
  readonly overlapping: readonly string[];
  readonly beforeRobots: readonly string[];
  readonly disallowed: readonly string[];
  readonly anonymous: readonly string[];
}

/** The result for an entirely polite log. */
export const POLITE: Impoliteness = { early: [], overlapping: [], beforeRobots: [], disallowed: [], anonymous: [] };

/** Judges a log. Pure. Robots.txt requests and redirect hops count like every other request. */
export function judge(log: readonly WebExchange[], by: JudgeOptions): Impoliteness {
  const found = {
    early: [] as string[],
    overlapping: [] as string[],
    beforeRobots: [] as string[],
    disallowed: [] as string[],
    anonymous: [] as string[],
  };
  for (const [host, exchanges] of grouped(log, (exchange) => exchange.host)) {
    const rules = by.rules?.[host] ?? {};
    const inOrder = [...exchanges].sort((a, b) => a.startMs - b.startMs);
    inOrder.forEach((next, index) => {
      if (!next.userAgent.includes(by.contact)) found.anonymous.push(`${host}${next.path}: ${next.userAgent}`);
      if ((rules.closed ?? []).some((prefix) => next.path.startsWith(prefix)) && next.path !== '/robots.txt') {
        found.disallowed.push(host + next.path);
      }
      const last = inOrder[index - 1];
      if (last === undefined) return;
      const gapMs = next.startMs - last.endMs;
      if (gapMs < 0) found.overlapping.push(`${host}: ${next.path} began while ${last.path} was being answered`);
      else if (gapMs < (rules.gapMs ?? 0))
        found.early.push(`${host}: ${next.path} ${gapMs.toFixed(2)} ms after the end of ${last.path}`);
      const startMs = next.startMs - last.startMs;
      if (startMs < (rules.startToStartMs ?? 0))
        found.early.push(`${host}: ${next.path} ${startMs.toFixed(2)} ms after the start of ${last.path}`);
    });
  }
  for (const [authority, exchanges] of grouped(log, (exchange) => exchange.authority)) {
    const robots = exchanges.filter((exchange) => exchange.path === '/robots.txt');
    const answeredMs = Math.min(...robots.map((exchange) => exchange.endMs), Number.POSITIVE_INFINITY);
    for (const exchange of exchanges) {
      if (exchange.path === '/robots.txt' || by.robotsHops?.includes(exchange.path) === true) continue;
      if (exchange.startMs < answeredMs) found.beforeRobots.push(authority + exchange.path);
    }
  }
  return found;
}

/** The smallest gap between two exchanges of a host, end to start; `null` with fewer than two. */
export function smallestGapMs(log: readonly WebExchange[], host: string): number | null {
  const inOrder = log.filter((exchange) => exchange.host === host).sort((a, b) => a.startMs - b.startMs);
  const gaps = inOrder.slice(1).map((next, index) => next.startMs - (inOrder[index]?.endMs ?? Number.NaN));
  return gaps.length === 0 ? null : Math.min(...gaps);
}

function grouped(log: readonly WebExchange[], by: (exchange: WebExchange) => string): Map<string, WebExchange[]> {
  const groups = new Map<string, WebExchange[]>();
  for (const exchange of log) groups.set(by(exchange), [...(groups.get(by(exchange)) ?? []), exchange]);
  return groups;
}
