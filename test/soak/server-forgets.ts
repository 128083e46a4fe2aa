// The server of a crawl loses data under three crawlers: a fail-over to a server that lagged behind, a power cut, an
// empty server, silent connections, full memory. No page is lost and no request is early, by the web's own log. If the
// crawl is gone, the crawlers say so and end with a failure. docs/scale.md has the table.

import { describe, expect, it } from 'vitest';
import { type CrewPlan, crawlWithFour } from './four-crawlers.js';
import { freshSeed, seeded } from './frontier-kill.js';
import type { ForgetfulServer } from './servers-that-forget.js';

const PLAN = {
  hosts: 30,
  pagesPerHost: 15,
  delayMs: 1_000,
  untoldMs: 1_000,
  processes: 3,
  kills: 0,
  stops: 0,
  stopMs: [0, 0],
  // When most links are being found: all hosts have answered for robots.txt and their first page.
  serverAfter: 80,
  everyMs: [0, 0],
  longestMs: 400_000,
} as const satisfies Partial<CrewPlan>;
/** How soon a process must work again once the server can answer, milliseconds. */
const BACK_WITHIN_MS = 30_000;

/**
 * `rolled back`: data was lost and added again; `held`: the crawl waited; `refused`: the crawl is gone, and is
 * reported.
 */
type Outcome = 'rolled back' | 'held' | 'refused';
/** A fault: its name, its server, and its outcome. */
export type ServerFault = readonly [name: string, start: () => Promise<ForgetfulServer>, Outcome];

/** A test for each fault of one kind of server. `hasServer`: whether this machine has such a server. */
export function testFaults(kind: 'redis' | 'postgres', hasServer: boolean, faults: readonly ServerFault[]): void {
  describe.runIf(process.platform === 'linux')(`a server that forgets: ${kind}`, () => {
    for (const [name, start, outcome] of faults) {
      it.skipIf(!hasServer)(name, { timeout: 2 * PLAN.longestMs }, () => survive(name, kind, start, outcome));
    }
  });
}

async function survive(
  name: string,
  kind: 'redis' | 'postgres',
  start: () => Promise<ForgetfulServer>,
  outcome: Outcome,
): Promise<void> {
  const seed = freshSeed();
  const server = await start();
  try {
    const store = { kind, url: server.url };
    const report = await crawlWithFour({ ...PLAN, store, server, random: seeded(seed) });
    const { exchanges, repeated, missing, early, awayMs, storeNotices, exits, seconds, output } = report;
    const about = `${name}, seed ${seed}\n${output}`;
    const again = [...output.matchAll(/rolled-back: .* (\d+) links .* again, (\d+) of them/g)];
    const sum = (group: number) => again.reduce((total, match) => total + Number(match[group]), 0);
    console.log(
      `${name}: ${exchanges} exchanges, ${missing.length} lost, ${early.length} early, ${repeated} requested again, ` +
        `back after ${(awayMs / 1_000).toFixed(1)} s, ${sum(2)} of ${sum(1)} links were gone, ` +
        `said ${[...storeNotices].join(', ')}, exit codes ${exits.join(', ')}, ${seconds.toFixed(0)} s (seed ${seed})`,
    );
    expect(report.faults.server, about).toBe(1);
    expect(early, about).toEqual([]);
    expect(report.overlapping, about).toEqual([]);
    if (outcome === 'refused') {
      expect(new Set(exits).has(0), about).toBe(false);
      expect(output, about).toContain('has lost the crawl');
      return;
    }
    // If the fault lost no data, it tests nothing.
    if (outcome === 'rolled back') expect(sum(2), about).toBeGreaterThan(0);
    expect(missing, about).toEqual([]);
    // An entry in flight when the server forgot it exists twice: it was added again.
    if (outcome === 'held') expect(report.unexcusedRepeats, about).toEqual([]);
    expect(new Set(exits), about).toEqual(new Set([0]));
    expect(awayMs, about).toBeLessThan(BACK_WITHIN_MS);
    expect([...storeNotices].sort(), about).toEqual(
      outcome === 'held' ? ['holding', 'resumed'] : ['holding', 'resumed', 'rolled-back'],
    );
  } finally {
    await server.dispose();
  }
}
