// What a server confirmed lately: links that are queued, and hosts that must wait long. A server that comes back as
// another one (after a restart, a fail-over, from a copy) may have forgotten its last seconds. Then it is told again.

import type { AddOutcome, HostCommit, HostCommitAnswer, HostKey, NewEntry } from '../../store.js';
import type { ServerNotice } from './server-store.js';

/** Milliseconds for which they are kept: the longest time that a server may forget without loss. */
export const CONFIRMED_MS = 10_000;
/** Links that are kept at most, of all shards together, and waits. */
const CONFIRMED_MOST = 32_768;
/** A wait is kept if it is longer, milliseconds: others end while hosts wait for the leases that may be lost. */
const LONG_WAIT_MS = 5_000;

export interface Forgotten {
  readonly links: readonly NewEntry[];
  /** Hosts, and for how long they must wait, milliseconds. */
  readonly waits: readonly { readonly host: HostKey; readonly ms: number }[];
}

/** What one server has confirmed to one client. Times are milliseconds of a clock that never steps. */
export class Confirmed {
  /** How often another server answered than before. */
  rollbacks = 0;
  /** When the server was first seen, as it says. Another value: another server. `null`: it has not answered yet. */
  since: string | null = null;
  readonly #links: Latest<NewEntry>;
  readonly #waits: Latest<{ readonly host: HostKey; readonly untilMs: number }>;

  /** @param shards - Shards of the crawl; each may have an equal share. */
  constructor(shards: number) {
    this.#links = new Latest(Math.ceil(CONFIRMED_MOST / shards));
    this.#waits = new Latest(Math.ceil(CONFIRMED_MOST / shards));
  }

  /** Notes which server answered. @returns What to tell it again, if it is another one than before; else `null`. */
  answered(since: string, nowMs: number): Forgotten | null {
    if (this.since === since) return null;
    const isFirst = this.since === null;
    this.since = since;
    const links = this.#links.takeAll();
    const waits = this.#waits.takeAll().map(({ host, untilMs }) => ({ host, ms: untilMs - nowMs }));
    if (isFirst) return null;
    this.rollbacks += 1;
    return { links, waits };
  }

  /** Keeps those that were queued. What is queued although it is known would be there twice, and is left out. */
  note(entries: readonly NewEntry[], outcomes: readonly AddOutcome[], nowMs: number): void {
    const queued = entries.filter(({ dedupe }, at) => outcomes[at] === 'new' && dedupe !== false);
    this.#links.add(queued, nowMs);
  }

  noteWaits(hosts: readonly HostCommit[], answers: readonly HostCommitAnswer[], nowMs: number): void {
    const waits = hosts.flatMap(({ host, then }, at) => {
      const ms = ('release' in then ? then.release.dueInMs : null) ?? 0;
      return ms > LONG_WAIT_MS && answers[at]?.ok === true ? [{ host, untilMs: nowMs + ms }] : [];
    });
    this.#waits.add(waits, nowMs);
  }
}

/** What was added in the last seconds, so many at most. */
class Latest<T> {
  readonly #most: number;
  readonly #items: { readonly one: T; readonly atMs: number }[] = [];
  /** Those in front of it are too old. */
  #first = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(more: readonly T[], nowMs: number): void {
    const items = this.#items;
    for (const one of more) items.push({ one, atMs: nowMs });
    const isOld = (at: number) => items[at]!.atMs <= nowMs - CONFIRMED_MS || items.length - at > this.#most;
    while (this.#first < items.length && isOld(this.#first)) this.#first += 1;
    // A cut moves what is left, so it is made for many at once.
    if (2 * this.#first > items.length) {
      items.splice(0, this.#first);
      this.#first = 0;
    }
  }

  takeAll(): T[] {
    const taken = this.#items.splice(0).slice(this.#first);
    this.#first = 0;
    return taken.map(({ one }) => one);
  }
}

/** What an operator should know of it. `again`: links that were added again; `lost`: those of them that were gone. */
export function rolledBack(server: string, again: number, lost: number): ServerNotice {
  return {
    kind: 'rolled-back',
    message:
      `another ${server} answers than before (it restarted, another one took over, or its clock was set forward): it ` +
      `may have forgotten its last seconds. ${again} links of the last ${CONFIRMED_MS / 1_000} s were added again, ${lost} of them were lost. Hosts ` +
      'wait until every lease that may be lost has ended.',
  };
}
