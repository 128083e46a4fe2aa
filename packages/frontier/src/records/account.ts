// What one part of the crawl's account says, how the accounts of processes that are gone are merged into one, and how
// the pages left are shared among living processes (`budget.ts`).

import { unreadable } from '../errors.js';
import { isCount, isTime, readJson } from '../stored-value.js';
import { MAX_GRANT_PAGES } from './limits.js';
import type { MergeValues, PartRecords } from './processes.js';

export interface Account {
  readonly pages: number;
  readonly runningMs: number;
  readonly bytes: number;
  /** Pages that are done, in flight, or granted but not handed out. */
  readonly granted: number;
  /** Increases while the process lives. */
  readonly beat: number;
  /** Whether its process has ended normally. */
  readonly isOver: boolean;
  /** Whether its process has no host and found none due. */
  readonly lacksHosts: boolean;
}

export interface Granted {
  /** Pages that are done, and pages that living parts may still hand out. */
  readonly taken: number;
  /** Other living parts. */
  readonly alive: number;
}

/** The key of the crawl's own account. */
export const ACCOUNT_KEY = 'budget';
const EMPTY_ACCOUNT: Account = {
  pages: 0,
  runningMs: 0,
  bytes: 0,
  granted: 0,
  beat: 0,
  isOver: false,
  lacksHosts: false,
};

/** The parts whose processes have ended normally: a process that joins may continue under one of their names. */
export async function endedParts(records: PartRecords, parts: readonly string[]): Promise<readonly string[]> {
  const accounts = await Promise.all(parts.map((part) => records.read(part, ACCOUNT_KEY)));
  return parts.filter((_, at) => readAccount(accounts[at] ?? null).isOver);
}

/**
 * Merges the accounts of several processes that are gone. They may have run at the same time, so their time counts
 * once.
 */
export const mergeAccounts: MergeValues = (values) => {
  const accounts = values.map(readAccount);
  const sum = (field: 'pages' | 'bytes') => accounts.reduce((total, account) => total + account[field], 0);
  const runningMs = Math.max(...accounts.map((account) => account.runningMs));
  const pages = sum('pages');
  const merged = { ...EMPTY_ACCOUNT, pages, bytes: sum('bytes'), runningMs, granted: pages, beat: 1, isOver: true };
  return new TextEncoder().encode(JSON.stringify(merged));
};

/** Pages of the crawl that are granted to no process. @param own - Ours: done, in flight or granted. */
export function remainingPages(limit: number, { taken }: Granted, own: number): number {
  return Math.max(0, limit - taken - own);
}

/** How many of the pages left one process takes at a time: all that it may take, unless others want some too. */
export function grantSize(remaining: number, alive: number): number {
  return Math.min(remaining, MAX_GRANT_PAGES, alive === 0 ? remaining : Math.ceil(remaining / (2 * (alive + 1))));
}

/**
 * How many granted pages that are not handed out a process keeps while nothing is left for others. It frees half of
 * them at every check, because a process without work may take them.
 */
export function retainedGrant(unused: number, remaining: number, alive: number): number {
  return remaining > 0 || alive === 0 ? unused : Math.floor(unused / 2);
}

/** Reads an account; an absent record counts as an empty account. @throws FrontierError `record-unreadable` */
export function readAccount(bytes: Uint8Array | null): Account {
  if (bytes === null) return EMPTY_ACCOUNT;
  const what = 'an account of used pages';
  const account = { ...EMPTY_ACCOUNT, ...(readJson(what, bytes) as Partial<Account>) };
  const { pages, runningMs, bytes: used, granted, beat, isOver, lacksHosts } = account;
  const isValid = [pages, used, granted, beat].every(isCount) && isTime(runningMs);
  if (!isValid || typeof isOver !== 'boolean' || typeof lacksHosts !== 'boolean') throw unreadable(what);
  return account;
}
