// Finds endless spaces: calendars, counters, sessions, facets, pages that link to ever new names of themselves. Pages
// are compared with others of their group (page-likeness.ts, trap-rules.ts). A group is a trap when
//
//   enough of its pages repeat others · most of its latest pages do · and repeating pages keep adding new URLs.
//
// The last condition tells an endless space from a finite one, whose links are all known after a while. Then URLs that
// pages of the group add to it are dropped, those in the queue too; links from other pages are taken as before.
//
// Every sixth page of an unsuspicious group is compared, and a link costs nothing before a suspicion. Memory is bounded
// in groups and in numbers per group; a group that is forgotten starts again.

import type { NewUrl } from '@mannerly/frontier';
import type { UrlParts } from '@mannerly/frontier/internal';
import { MAX_TRAP_BREEDERS, MAX_TRAP_GROUPS, MAX_TRAP_LIKENESSES, MAX_TRAPS } from './limits.js';
import { likenessOf } from './page-likeness.js';
import {
  createGroupFinder,
  type ResolvedTrapOptions,
  type TrapFinding,
  type TrapRule,
  type UrlGroup,
  urlLoop,
} from './trap-rules.js';

interface Group {
  readonly name: UrlGroup;
  /** How many repeating pages make it a trap. */
  readonly limit: number;
  /** Pages since the last one that was compared. */
  skipped: number;
  /** Pages compared, and those of them that repeated another; both halved now and then: the latest pages count. */
  compared: number;
  repeats: number;
  /** The contents of its pages, as numbers. */
  readonly likenesses: number[];
  /** Repeating pages, by their URLs' hashes. */
  readonly breeders: number[];
  /** The page compared last repeated another: the next one is compared too. */
  isRepeating: boolean;
  /** Three quarters of the repeats have been seen: it is watched whether repeating pages add URLs. */
  isSuspect: boolean;
  repeatsSince: number;
  bredSince: number;
  isTrap: boolean;
}

/** Pages of a group that are not compared: so few are no trap, and most groups never have more. */
const FIRST_PAGES = 8;
/** Afterwards every sixth is compared, unless some repeat. */
const EVERY = 6;
/** The share of the limit from which on a group is suspicious: a finite site has shown most of its links by then. */
const SUSPICIOUS_SHARE = 0.75;
/** Repeating pages of an endless space add one URL each at least, in the long run; some may still be on their way. */
const BREEDING_SHARE = 0.75;
/** Of the pages compared lately, the share that must repeat. */
const REPEATING_SHARE = 0.6;
/**
 * The limit of a group, as a share of the one that is set. A whole host needs more, since it holds more than a trap.
 * Hosts of one domain are requested at the same time, so that more pages are on their way when the trap shows.
 */
const LIMIT_SHARE: Readonly<Record<TrapRule, number>> = {
  'repeating-path': 1,
  'long-path': 1,
  'repeating-query': 1,
  'long-query': 1,
  'alike-pages': 1,
  'alike-growth': 1,
  'alike-host': 1.25,
  'alike-hosts': 0.75,
};

/** The watch over endless spaces of one run. */
export class Traps {
  readonly #options: ResolvedTrapOptions;
  readonly #groupsOf = createGroupFinder();
  /** The one used longest ago stands first. */
  readonly #groups = new Map<string, Group>();
  readonly #traps = new Map<string, Group>();
  /** Hosts that have a trap, so that links elsewhere cost nothing; `*`: a trap that goes over hosts. */
  #trapped = new Set<string>();
  #suspects = 0;

  constructor(options: ResolvedTrapOptions) {
    this.#options = options;
  }

  /** Why a candidate is not worth adding: by its URL alone, or as `judge` says; `null`: nothing is against it. */
  judgeCandidate(parts: UrlParts, { url, from }: NewUrl): TrapFinding | null {
    return urlLoop(parts, this.#options) ?? this.judge(url, from ?? null);
  }

  /** Why a link is not worth following, by the pages that came; `null`: nothing is against it. */
  judge(url: string, from: string | null): TrapFinding | null {
    if (this.#traps.size === 0 || from === null) return null;
    if (!this.#trapped.has(hostOf(url)) && !this.#trapped.has('*')) return null;
    for (const name of this.#groupsOf(url, from)) {
      const trap = this.#traps.get(keyOf(name));
      if (trap !== undefined && (!name.isWide || trap.breeders.includes(hashOf(from)))) return findingOf(name);
    }
    return null;
  }

  /** A URL was queued that was not known before. */
  queued({ url, from }: NewUrl): void {
    for (const group of this.#suspectsThatBred(url, from ?? null)) group.bredSince += 1;
  }

  /** A page came. @returns Whether it should be read: of most pages it is enough to know that they came. */
  wants(url: string, from: string | null): boolean {
    const found = this.#groupsOf(url, from).map((name) => this.#groupFor(name));
    for (const group of found) group.skipped += 1;
    return found.some(isDue);
  }

  /** Compares a page that is wanted, given its bytes. @returns The traps that it proved. */
  read(url: string, from: string | null, html: Uint8Array): readonly TrapFinding[] {
    const proved: TrapFinding[] = [];
    const likeness = likenessOf(html);
    // What is read for one group is there for the others: they take their samples from the same pages.
    for (const name of this.#groupsOf(url, from)) {
      const group = this.#groupFor(name);
      if (group.isTrap && !name.isWide) continue;
      const wasSuspect = group.isSuspect;
      compare(group, likeness, url);
      if (group.isSuspect !== wasSuspect) this.#suspects += wasSuspect ? -1 : 1;
      if (group.isTrap || !isEndless(group)) continue;
      this.#closeGroup(group);
      proved.push(findingOf(name));
    }
    return proved;
  }

  /** A URL redirected: it counts as the page that linked to it. */
  redirected(url: string, from: string | null): void {
    for (const group of this.#suspectsThatBred(url, from)) remember(group.breeders, hashOf(url), MAX_TRAP_BREEDERS);
  }

  /** Takes up what an earlier run found. Of wide groups nothing can be taken up: which pages repeated is not kept. */
  restore(found: readonly TrapFinding[]): void {
    for (const { rule, pattern } of found) {
      const isWide = rule === 'alike-host' || rule === 'alike-hosts';
      if (!isWide) this.#closeGroup(newGroup({ rule, pattern, isWide }, this.#options.maxSimilarPages));
    }
  }

  /** The suspicious groups of a link whose page repeated another. */
  #suspectsThatBred(url: string, from: string | null): readonly Group[] {
    if (this.#suspects === 0 || from === null) return [];
    return this.#groupsOf(url, from).flatMap((name) => {
      const group = this.#known(keyOf(name));
      return group?.isSuspect === true && group.breeders.includes(hashOf(from)) ? [group] : [];
    });
  }

  #known(key: string): Group | undefined {
    return this.#traps.get(key) ?? this.#groups.get(key);
  }

  #groupFor(name: UrlGroup): Group {
    const key = keyOf(name);
    const limit = Math.ceil(this.#options.maxSimilarPages * LIMIT_SHARE[name.rule]);
    const group = this.#known(key) ?? newGroup(name, limit);
    if (group.isTrap) return group;
    this.#groups.delete(key);
    this.#groups.set(key, group);
    if (this.#groups.size > MAX_TRAP_GROUPS) this.#forgetFirst(this.#groups);
    return group;
  }

  #closeGroup(group: Group): void {
    const key = keyOf(group.name);
    group.isTrap = true;
    this.#groups.delete(key);
    this.#traps.set(key, group);
    if (this.#traps.size > MAX_TRAPS) {
      this.#forgetFirst(this.#traps);
      if (this.#trapped.size > 2 * MAX_TRAPS) {
        this.#trapped = new Set([...this.#traps.values()].map(({ name }) => placeOf(name)));
      }
    }
    this.#trapped.add(placeOf(group.name));
  }

  #forgetFirst(groups: Map<string, Group>): void {
    const [first] = groups.values();
    if (first === undefined) return;
    if (first.isSuspect) this.#suspects -= 1;
    groups.delete(keyOf(first.name));
  }
}

function newGroup(name: UrlGroup, limit: number): Group {
  return {
    name,
    limit,
    skipped: 0,
    compared: 0,
    repeats: 0,
    likenesses: [],
    breeders: [],
    isRepeating: false,
    isSuspect: false,
    repeatsSince: 0,
    bredSince: 0,
    isTrap: false,
  };
}

function keyOf({ rule, pattern }: { readonly rule: TrapRule; readonly pattern: string }): string {
  return `${rule} ${pattern}`;
}

function findingOf({ rule, pattern }: UrlGroup): TrapFinding {
  return { rule, pattern };
}

/** Where a group is: its host, or `*` for one that goes over hosts. */
function placeOf({ rule, pattern }: UrlGroup): string {
  return rule === 'alike-hosts' ? '*' : pattern.slice(0, pattern.indexOf('/'));
}

/** The host name of a URL as the URL parser serialises it. */
function hostOf(url: string): string {
  return /^[^/]*\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:]*)/.exec(url)?.[1] ?? '';
}

/**
 * Whether the group wants this page compared: not the first ones, then a sample; all while they repeat, or when a
 * quarter did.
 */
function isDue({ skipped, compared, repeats, isRepeating, isTrap, name }: Group): boolean {
  if (isTrap) return name.isWide;
  if (compared === 0) return skipped > FIRST_PAGES;
  return isRepeating || (repeats > 0 && repeats * 4 >= compared) || skipped >= EVERY;
}

function compare(group: Group, likeness: number, url: string): void {
  group.skipped = 0;
  group.compared += 1;
  group.isRepeating = group.likenesses.includes(likeness);
  if (group.isRepeating) {
    group.repeats += 1;
    remember(group.breeders, hashOf(url), MAX_TRAP_BREEDERS);
    if (group.isSuspect) group.repeatsSince += 1;
    if (group.repeats >= group.limit * SUSPICIOUS_SHARE) group.isSuspect = true;
  } else {
    remember(group.likenesses, likeness, MAX_TRAP_LIKENESSES);
  }
  if (group.isTrap || group.compared < 2 * group.limit) return;
  group.compared = Math.floor(group.compared / 2);
  group.repeats = Math.floor(group.repeats / 2);
  group.repeatsSince = Math.floor(group.repeatsSince / 2);
  group.bredSince = Math.floor(group.bredSince / 2);
  if (group.repeats >= group.limit * SUSPICIOUS_SHARE) return;
  Object.assign(group, { isSuspect: false, repeatsSince: 0, bredSince: 0 });
}

function isEndless({ limit, compared, repeats, repeatsSince, bredSince }: Group): boolean {
  return repeats >= limit && repeats >= compared * REPEATING_SHARE && bredSince >= repeatsSince * BREEDING_SHARE;
}

function remember(list: number[], value: number, most: number): void {
  list.push(value);
  if (list.length > most) list.shift();
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
