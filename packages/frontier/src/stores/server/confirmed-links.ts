// Links that a server confirmed lately, by part of the server (a shard). A server that comes back as another one (after
// a restart, a fail-over, from a copy) may have forgotten its last seconds. Then those links are added again.

import type { AddOutcome, NewEntry } from '../../store.js';
import type { ServerNotice } from './server-store.js';

/** Milliseconds for which a confirmed link is kept: the longest time that a server may forget without loss. */
export const CONFIRMED_MS = 10_000;
/** Links that are kept at most, of all parts together. */
const CONFIRMED_MOST = 32_768;

interface Part {
  /** When the part's server was first seen, as it says. Another value: another server. */
  readonly since: string;
  readonly links: { readonly entry: NewEntry; readonly atMs: number }[];
  /** Links in front of it are too old. */
  first: number;
}

/** The links of one client. Times are milliseconds of a clock that never steps. */
export class ConfirmedLinks {
  /** How often another server answered than before. */
  rollbacks = 0;
  readonly #parts = new Map<number, Part>();
  readonly #most: number;

  /** @param parts - The number of parts; each may have an equal share of the links. */
  constructor(parts: number) {
    this.#most = Math.ceil(CONFIRMED_MOST / parts);
  }

  /** When the part's server was first seen; `null`: the part has not answered yet. */
  since(part: number): string | null {
    return this.#parts.get(part)?.since ?? null;
  }

  /** Notes which server answered. @returns What to add again, if it is another one than before; else `null`. */
  answered(part: number, since: string): readonly NewEntry[] | null {
    const kept = this.#parts.get(part);
    if (kept?.since === since) return null;
    this.#parts.set(part, { since, links: [], first: 0 });
    if (kept === undefined) return null;
    this.rollbacks += 1;
    return kept.links.slice(kept.first).map(({ entry }) => entry);
  }

  /** Keeps those that were queued. What is queued although it is known would be there twice, and is left out. */
  note(part: number, entries: readonly NewEntry[], outcomes: readonly AddOutcome[], nowMs: number): void {
    const kept = this.#parts.get(part);
    if (kept === undefined) return;
    const { links } = kept;
    for (const [at, entry] of entries.entries()) {
      if (outcomes[at] === 'new' && entry.dedupe !== false) links.push({ entry, atMs: nowMs });
    }
    const isOld = (at: number) => links[at]!.atMs <= nowMs - CONFIRMED_MS || links.length - at > this.#most;
    while (kept.first < links.length && isOld(kept.first)) kept.first += 1;
    // A cut moves what is left, so it is made for many at once.
    if (2 * kept.first > links.length) {
      links.splice(0, kept.first);
      kept.first = 0;
    }
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
