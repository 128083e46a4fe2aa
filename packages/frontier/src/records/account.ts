// What one part of the crawl's account says, how those of processes that are gone become one, and how pages that are
// left are shared among those that live (`budget.ts`).

import { GRANT_MOST } from './limits.js';
import type { MergeValues, PartRecords } from './processes.js';

export interface Account {
  readonly pages: number;
  readonly runningMs: number;
  readonly bytes: number;
  /** Pages done, in flight, and granted beyond. */
  readonly granted: number;
  /** Grows while the process lives. */
  readonly beat: number;
  /** Whether its process has ended by itself. */
  readonly isOver: boolean;
  /** Whether its process has no host and found none that was due. */
  readonly lacksHosts: boolean;
}

export interface Granted {
  /** Pages that are done, and pages that living parts may still hand out. */
  readonly taken: number;
  /** Other parts that live. */
  readonly alive: number;
}

/** The key of the crawl's own. */
export const ACCOUNT_KEY = 'budget';
const NOTHING: Account = { pages: 0, runningMs: 0, bytes: 0, granted: 0, beat: 0, isOver: false, lacksHosts: false };

/** The parts whose processes have ended by themselves: a process that joins may go on under one of their names. */
export async function partsOver(records: PartRecords, parts: readonly string[]): Promise<readonly string[]> {
  const accounts = await Promise.all(parts.map((part) => records.read(part, ACCOUNT_KEY)));
  return parts.filter((_, at) => readAccount(accounts[at] ?? null).isOver);
}

/** One account of several whose processes are gone. They may have run at once: their time counts once. */
export const mergeAccounts: MergeValues = (values) => {
  const accounts = values.map(readAccount);
  const sum = (what: 'pages' | 'bytes') => accounts.reduce((total, account) => total + account[what], 0);
  const runningMs = Math.max(...accounts.map((account) => account.runningMs));
  const pages = sum('pages');
  const merged = { ...NOTHING, pages, bytes: sum('bytes'), runningMs, granted: pages, beat: 1, isOver: true };
  return new TextEncoder().encode(JSON.stringify(merged));
};

/** Pages of the crawl that no process was granted. @param own - Ours: done, in flight or granted. */
export function pagesLeft(limit: number, { taken }: Granted, own: number): number {
  return Math.max(0, limit - taken - own);
}

/** How many of the pages left one process takes at a time: all that it may, unless others want some too. */
export function grantOf(left: number, alive: number): number {
  return Math.min(left, GRANT_MOST, alive === 0 ? left : Math.ceil(left / (2 * (alive + 1))));
}

/**
 * How many granted pages that are not handed out a process keeps while nothing is left for others: half of them are
 * free again at every look, since a process without work may have them.
 */
export function keptOf(unused: number, left: number, alive: number): number {
  return left > 0 || alive === 0 ? unused : Math.floor(unused / 2);
}

/** What a record says; of none, nothing. */
export function readAccount(bytes: Uint8Array | null): Account {
  if (bytes === null) return NOTHING;
  return { ...NOTHING, ...(JSON.parse(new TextDecoder().decode(bytes)) as Partial<Account>) };
}
