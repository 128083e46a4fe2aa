// What a server confirmed lately: links that are queued, and hosts that must wait long. If another server answers
// (after a restart, a fail-over, from a copy), it may have forgotten the last seconds. Then they are sent again.

import type { AddOutcome, HostCommit, HostCommitAnswer, HostKey, NewEntry } from '../../store.js';
import type { ResolvedServerOptions } from './server-store.js';

/** Milliseconds for which they are kept: the longest period that a server may forget without loss. */
const CONFIRMED_MS = 10_000;
/** The most links that are kept, of all shards together, and likewise the most waits. */
const MAX_CONFIRMED = 32_768;
/** Milliseconds: only longer waits are kept. Shorter ones end while hosts wait for the leases that may be lost. */
const LONG_WAIT_MS = 5_000;
/** The most links of one call that sends again: a server may answer no other client meanwhile. */
const MAX_LINKS_PER_CALL = 1_024;
const MAX_WAITS_PER_CALL = 256;

/** How to send to a server again. */
interface ConfirmedParts extends Pick<ResolvedServerOptions, 'onNotice'> {
  readonly server: string;
  readonly add: (links: readonly NewEntry[]) => Promise<AddOutcome[]>;
  /** Hosts, and how long they must wait, milliseconds. */
  readonly delayHosts: (waits: readonly { readonly host: HostKey; readonly ms: number }[]) => Promise<unknown>;
}

/** What one server has confirmed to one client. */
export class Confirmed {
  /** How many times a different server answered than before. */
  rollbacks = 0;
  /**
   * When the server says it was first seen. A different value means a different server. `null`: it has not answered
   * yet.
   */
  serverSince: string | null = null;
  readonly #parts: ConfirmedParts;
  readonly #links: Latest<NewEntry>;
  readonly #waits: Latest<{ readonly host: HostKey; readonly untilMs: number }>;
  /** Resolves when everything that may be lost is stored again. */
  #restored: Promise<void> | null = null;

  /** @param shards - Number of shards of the crawl; each may have an equal share. */
  constructor(shards: number, parts: ConfirmedParts) {
    this.#parts = parts;
    this.#links = new Latest(Math.ceil(MAX_CONFIRMED / shards));
    this.#waits = new Latest(Math.ceil(MAX_CONFIRMED / shards));
  }

  /**
   * Notes which server answered; `null`: it did not say. A different server may have forgotten something: resolves when
   * everything was sent again.
   */
  async answered(serverSince: string | null): Promise<void> {
    if (serverSince !== null && this.serverSince !== serverSince) {
      const isFirst = this.serverSince === null;
      this.serverSince = serverSince;
      const [links, waits] = [this.#links.takeAll(), this.#waits.takeAll()];
      if (!isFirst) {
        this.rollbacks += 1;
        this.#restored = this.#resend(links, waits);
      }
    }
    await this.#restored;
  }

  async #resend(
    links: readonly NewEntry[],
    waits: readonly { readonly host: HostKey; readonly untilMs: number }[],
  ): Promise<void> {
    const { server, onNotice, add, delayHosts } = this.#parts;
    const nowMs = performance.now();
    const remaining = waits.map(({ host, untilMs }) => ({ host, ms: untilMs - nowMs }));
    let lost = 0;
    for (let from = 0; from < links.length; from += MAX_LINKS_PER_CALL) {
      const part = links.slice(from, from + MAX_LINKS_PER_CALL);
      const outcomes = await add(part);
      lost += outcomes.filter((outcome) => outcome === 'new').length;
      this.note(part, outcomes);
    }
    for (let from = 0; from < remaining.length; from += MAX_WAITS_PER_CALL)
      await delayHosts(remaining.slice(from, from + MAX_WAITS_PER_CALL));
    onNotice({
      kind: 'rolled-back',
      message:
        `another ${server} answers than before (it restarted, another one took over, or its clock was set forward): ` +
        `it may have forgotten its last seconds. ${links.length} links of the last ${CONFIRMED_MS / 1_000} s were ` +
        `added again, ${lost} of them were lost. Hosts wait until every lease that may be lost has ended.`,
    });
  }

  /**
   * Keeps the links that were queued. Links queued without regard to known URLs are left out: sent again, they would be
   * there twice.
   */
  note(entries: readonly NewEntry[], outcomes: readonly AddOutcome[]): void {
    const queued = entries.filter(({ dedupe }, at) => outcomes[at] === 'new' && dedupe !== false);
    this.#links.add(queued, performance.now());
  }

  noteWaits(hosts: readonly HostCommit[], answers: readonly HostCommitAnswer[]): void {
    const nowMs = performance.now();
    const waits = hosts.flatMap(({ host, then }, at) => {
      const ms = ('release' in then ? then.release.dueInMs : null) ?? 0;
      return ms > LONG_WAIT_MS && answers[at]?.ok === true ? [{ host, untilMs: nowMs + ms }] : [];
    });
    this.#waits.add(waits, nowMs);
  }
}

/** The latest items added in the last seconds, up to a number. */
class Latest<T> {
  readonly #max: number;
  readonly #batches: { readonly items: readonly T[]; readonly atMs: number }[] = [];
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(items: readonly T[], nowMs: number): void {
    if (items.length > 0) this.#batches.push({ items, atMs: nowMs });
    this.#size += items.length;
    for (let first = this.#batches[0]; first !== undefined; first = this.#batches[0]) {
      const { length } = first.items;
      const isOld = first.atMs <= nowMs - CONFIRMED_MS;
      const keptCount = isOld ? 0 : Math.max(0, Math.min(length, this.#max - this.#size + length));
      if (keptCount === length) return;
      this.#size -= length - keptCount;
      if (keptCount === 0) this.#batches.shift();
      else this.#batches[0] = { ...first, items: first.items.slice(-keptCount) };
    }
  }

  takeAll(): T[] {
    this.#size = 0;
    return this.#batches.splice(0).flatMap(({ items }) => items);
  }
}
