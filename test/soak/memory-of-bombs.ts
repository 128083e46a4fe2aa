// Crawls one scenario of the hostile web in a process of its own, with the default limits. Reports its peak memory, and
// the bytes that it read.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { responds } from '../support/hostile/answers.js';
import type { HostileScenario } from '../support/hostile/scenario.js';
import { startHostileWeb } from '../support/hostile/server.js';

const run = promisify(execFile);
const program = fileURLToPath(new URL('memory-of-bombs-crawl.mjs', import.meta.url));

const MIB = 1024 * 1024;
/** The default of `network.maxBodyBytes`. */
export const DEFAULT_BODY_BYTES = 10 * MIB;
/** The peak of a process on a quiet machine: the crawl is repeated until it stays below this. */
export const MAX_PEAK_BYTES = 150_000_000;
/**
 * The limit above a crawl of one honest page on the same machine, whose engine and kernel count in their own way:
 * several times the body limit, because of garbage that is not collected yet. Measured: 35 MB on a working machine, 65
 * on an overloaded one.
 */
export const MAX_EXTRA_BYTES = 95_000_000;
/** How many runs have the usual flags, and how many there are in all. */
const USUAL_RUNS = 2;
const MAX_RUNS = 6;
/** The most bytes read from the network: the body limit, and 4 MiB. */
export const MAX_READ_BYTES = DEFAULT_BODY_BYTES + 4 * MIB;

/** The engine's flags as the command sets them (core/v8-flags.ts): optimising the HTTP parser takes 36 MB by itself. */
const COMMAND_FLAGS = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

/** An ordinary page: its crawl uses what the engine and the machine need. */
const HONEST: HostileScenario = {
  name: 'honest',
  does: 'answers with a page of ten kilobytes and ends there',
  serve: responds(`<title>honest</title>${'<p>honest text</p>'.repeat(600)}`),
  expects: { result: 200, status: 'fetched', reason: 'fetched' },
};

/** The cost of one crawl. */
export interface BombCost {
  /** Peak memory of the process, bytes, and its memory before the crawl. */
  readonly peakBytes: number;
  readonly baseBytes: number;
  /** Bytes read from the network, over all connections. */
  readonly readBytes: number;
  readonly pages: readonly { readonly truncated: 'limit' | 'connection' | null; readonly maxBodyBytes: number }[];
  /** How each request for the seed ended. */
  readonly requests: readonly (string | number)[];
}

/** Runs the crawl and ends its server. */
async function costOf(scenario: HostileScenario, flags: readonly string[]): Promise<BombCost> {
  const web = await startHostileWeb([scenario]);
  try {
    const argv = [...COMMAND_FLAGS, ...flags, program, web.startUrl(scenario)];
    const { stdout } = await run(process.execPath, argv, { timeout: 120_000 });
    return JSON.parse(stdout) as BombCost;
  } finally {
    await web.close();
  }
}

/**
 * The minimum of several runs, as many as it takes to stay within the bound. The guarantee is that the process holds no
 * more than the body limit, but the timing of the garbage collector changes the figure by some megabytes. The collector
 * runs on other threads; if other processes use the cores it falls behind, so later runs make it run on the main
 * thread.
 *
 * @param peakBytes - The bound.
 */
export async function minCostOf(scenario: HostileScenario, peakBytes = MAX_PEAK_BYTES): Promise<BombCost> {
  let min = await costOf(scenario, []);
  for (let run = 1; run < MAX_RUNS && min.peakBytes > peakBytes; run += 1) {
    const next = await costOf(scenario, run < USUAL_RUNS ? [] : ['--single-threaded']);
    if (next.peakBytes < min.peakBytes) min = next;
  }
  return min;
}

/** The peak of a crawl of one honest page, the minimum of two runs. */
export async function honestPeakBytes(): Promise<number> {
  const costs = [await costOf(HONEST, []), await costOf(HONEST, [])];
  return Math.min(...costs.map(({ peakBytes }) => peakBytes));
}

/** One line for people. */
export function costText({ name }: HostileScenario, { peakBytes, baseBytes, readBytes, requests }: BombCost): string {
  const mb = (bytes: number): string => (bytes / 1e6).toFixed(0).padStart(4);
  return `${name.padEnd(28)} peak ${mb(peakBytes)} MB (${mb(baseBytes)} before), ${mb(readBytes)} MB off the wire, ${requests.join(' ')}`;
}
