// Finds endless spaces: calendars, counters, sessions, facets, pages that link to ever new names of themselves. Pages
// are compared with others of their group (page-fingerprint.ts, trap-rules.ts). A group is a trap when
//
//   enough of its pages repeat others · most of its latest pages do · and repeating pages keep adding new URLs.
//
// The last condition distinguishes an endless space from a finite one, whose links are all known after a while. From
// then on, URLs that pages of the group add to it go last on their host, including queued ones, or are dropped. Links
// from other pages are accepted as before.
//
// In an unsuspicious group every sixth page is compared, later every eighteenth, and a link costs nothing before a
// suspicion. Memory is bounded in groups and in numbers per group; a forgotten group starts again.

import type { NewUrl } from '@mannerly/frontier';
import type { UrlParts } from '@mannerly/frontier/internal';
import { MAX_TRAP_FINGERPRINTS, MAX_TRAP_GROUPS, MAX_TRAP_SOURCES, MAX_TRAPS } from './limits.js';
import { hashOf, pageFingerprint } from './page-fingerprint.js';
import { groupsOf, isWide, type ResolvedTrapOptions, type TrapFinding, type TrapRule, urlLoop } from './trap-rules.js';

/** First pages of a group that are not compared: so few are not a trap, and most groups never have more. */
const FIRST_PAGES = 8;
/** Afterwards every sixth page is compared, unless some repeat; in a group with many pages, every eighteenth. */
const SAMPLE_INTERVAL = 6;
const MAX_SAMPLE_INTERVAL = 18;
/** The share of the limit at which a group becomes suspicious: a finite site has shown most of its links by then. */
const SUSPECT_SHARE = 0.75;
/** In the long run, each repeating page of an endless space adds at least one URL; some may still be in flight. */
const MIN_LINK_SHARE = 0.75;
/** The share of recently compared pages that must repeat. */
const MIN_REPEAT_SHARE = 0.6;
/** As shares of the option's limit. A whole host has more than a trap; hosts of a domain are requested together. */
const LIMIT_SHARES: Readonly<Partial<Record<TrapRule, number>>> = { 'alike-host': 1.25, 'alike-hosts': 0.75 };

export class Traps {
  readonly #options: ResolvedTrapOptions;
  /** The least recently used group is first. */
  readonly #groups = new Map<string, Group>();
  readonly #traps = new Map<string, Group>();
  /** Hosts that have a trap, so that links elsewhere cost nothing; `*`: a trap that spans hosts. */
  #trapHosts = new Set<string>();
  #suspects = 0;

  constructor(options: ResolvedTrapOptions) {
    this.#options = options;
  }

  /** Whether URLs of a trap are dropped; otherwise they go last on their host. */
  get drops(): boolean {
    return this.#options.action === 'drop';
  }

  /** Why a candidate is not worth adding, by its URL alone or by `findTrap`; `null`: no reason. */
  checkCandidate(parts: UrlParts, { url, from }: NewUrl): TrapFinding | null {
    return urlLoop(parts, this.#options) ?? this.findTrap(url, from ?? null);
  }

  /** Why a link is not worth following, by the pages fetched so far; `null`: no reason. */
  findTrap(url: string, from: string | null): TrapFinding | null {
    if (this.#traps.size === 0 || from === null) return null;
    const host = /^[^/]*\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:]*)/.exec(url)?.[1] ?? '';
    if (!this.#trapHosts.has(host) && !this.#trapHosts.has('*')) return null;
    for (const name of groupsOf(url, from)) {
      const trap = this.#traps.get(keyOf(name));
      if (trap !== undefined && (!isWide(name) || trap.hasSource(from))) return name;
    }
    return null;
  }

  queued({ url, from }: NewUrl): void {
    for (const group of this.#suspectsLinkedFrom(url, from ?? null)) group.linksSince += 1;
  }

  /** Counts a fetched page. @returns Whether it should be read. Most pages only need to be counted. */
  shouldCompare(url: string, from: string | null): boolean {
    const found = groupsOf(url, from).map((name) => this.#groupFor(name));
    for (const group of found) group.skipped += 1;
    return found.some((group) => group.isDue());
  }

  /** Compares a wanted page by its bytes. @returns The traps that it proved. */
  read(url: string, from: string | null, html: Uint8Array): readonly TrapFinding[] {
    const detected: TrapFinding[] = [];
    const fingerprint = pageFingerprint(html);
    // What is read for one group is available to the others, which sample the same pages.
    for (const name of groupsOf(url, from)) {
      const group = this.#groupFor(name);
      if (group.isTrap && !isWide(name)) continue;
      const wasSuspect = group.isSuspect;
      group.compare(fingerprint, url);
      if (group.isSuspect !== wasSuspect) this.#suspects += wasSuspect ? -1 : 1;
      if (group.isTrap || !group.isEndless()) continue;
      this.#markTrap(group);
      detected.push(name);
    }
    return detected;
  }

  /** A URL redirected: it counts like the page that linked to it. */
  redirected(url: string, from: string | null): void {
    for (const group of this.#suspectsLinkedFrom(url, from)) group.addSource(url);
  }

  /** Restores an earlier run's findings, except wide groups, whose repeating pages are not stored. */
  restore(found: readonly TrapFinding[]): void {
    for (const name of found) if (!isWide(name)) this.#markTrap(new Group(name, this.#options.maxSimilarPages));
  }

  /** The suspicious groups of a link whose page repeated another. */
  #suspectsLinkedFrom(url: string, from: string | null): readonly Group[] {
    if (this.#suspects === 0 || from === null) return [];
    return groupsOf(url, from).flatMap((name) => {
      const group = this.#findGroup(keyOf(name));
      return group?.isSuspect === true && group.hasSource(from) ? [group] : [];
    });
  }

  #findGroup(key: string): Group | undefined {
    return this.#traps.get(key) ?? this.#groups.get(key);
  }

  #groupFor(name: TrapFinding): Group {
    const key = keyOf(name);
    const limit = Math.ceil(this.#options.maxSimilarPages * (LIMIT_SHARES[name.rule] ?? 1));
    const group = this.#findGroup(key) ?? new Group(name, limit);
    if (group.isTrap) return group;
    this.#groups.delete(key);
    this.#groups.set(key, group);
    if (this.#groups.size > MAX_TRAP_GROUPS) this.#evictOldest(this.#groups);
    return group;
  }

  #markTrap(group: Group): void {
    const key = keyOf(group.name);
    group.isTrap = true;
    this.#groups.delete(key);
    this.#traps.set(key, group);
    if (this.#traps.size > MAX_TRAPS) {
      this.#evictOldest(this.#traps);
      if (this.#trapHosts.size > 2 * MAX_TRAPS) {
        this.#trapHosts = new Set([...this.#traps.values()].map(({ name }) => trapHost(name)));
      }
    }
    this.#trapHosts.add(trapHost(group.name));
  }

  #evictOldest(groups: Map<string, Group>): void {
    const [first] = groups.values();
    if (first === undefined) return;
    if (first.isSuspect) this.#suspects -= 1;
    groups.delete(keyOf(first.name));
  }
}

/** Pages that are compared with each other, and how many of them repeated another. */
class Group {
  readonly name: TrapFinding;
  /** The number of repeating pages that make it a trap. */
  readonly #limit: number;
  /** Pages since the last comparison. */
  skipped = 0;
  /** Pages compared, and those that repeated another. Both are halved now and then, so the latest pages count most. */
  #compared = 0;
  #repeats = 0;
  readonly #fingerprints: number[] = [];
  readonly #sources: number[] = [];
  /** The last compared page repeated another, so the next one is compared too. */
  #isRepeating = false;
  #repeatsSince = 0;
  linksSince = 0;
  isTrap = false;

  constructor(name: TrapFinding, limit: number) {
    this.name = name;
    this.#limit = limit;
  }

  /** Three quarters of the repeats have been seen: from now on, URLs added by repeating pages are counted. */
  get isSuspect(): boolean {
    return this.#repeats >= this.#limit * SUSPECT_SHARE;
  }

  /** Whether a page of the group repeated another, or was reached from one that did. */
  hasSource(url: string): boolean {
    return this.#sources.includes(hashOf(url));
  }

  addSource(url: string): void {
    pushBounded(this.#sources, hashOf(url), MAX_TRAP_SOURCES);
  }

  /** Whether the next page is compared: not the first ones, then a sample; all while they repeat or a quarter did. */
  isDue(): boolean {
    if (this.isTrap) return isWide(this.name);
    if (this.#compared === 0) return this.skipped > FIRST_PAGES;
    const hasRepeated = this.#isRepeating || (this.#repeats > 0 && this.#repeats * 4 >= this.#compared);
    return hasRepeated || this.skipped >= Math.min(Math.max(SAMPLE_INTERVAL, this.#compared), MAX_SAMPLE_INTERVAL);
  }

  compare(fingerprint: number, url: string): void {
    this.skipped = 0;
    this.#compared += 1;
    this.#isRepeating = this.#fingerprints.includes(fingerprint);
    if (this.#isRepeating) {
      if (this.isSuspect) this.#repeatsSince += 1;
      this.#repeats += 1;
      this.addSource(url);
    } else {
      pushBounded(this.#fingerprints, fingerprint, MAX_TRAP_FINGERPRINTS);
    }
    if (this.isTrap || this.#compared < 2 * this.#limit) return;
    this.#compared = Math.floor(this.#compared / 2);
    this.#repeats = Math.floor(this.#repeats / 2);
    this.#repeatsSince = this.isSuspect ? Math.floor(this.#repeatsSince / 2) : 0;
    this.linksSince = this.isSuspect ? Math.floor(this.linksSince / 2) : 0;
  }

  isEndless(): boolean {
    if (this.#repeats < this.#limit || this.#repeats < this.#compared * MIN_REPEAT_SHARE) return false;
    return this.linksSince >= this.#repeatsSince * MIN_LINK_SHARE;
  }
}

function keyOf({ rule, pattern }: TrapFinding): string {
  return `${rule} ${pattern}`;
}

/** Where a group is: its host, or `*` if it spans hosts. */
function trapHost({ rule, pattern }: TrapFinding): string {
  return rule === 'alike-hosts' ? '*' : pattern.slice(0, pattern.indexOf('/'));
}

function pushBounded(list: number[], value: number, maxLength: number): void {
  list.push(value);
  if (list.length > maxLength) list.shift();
}
