// The options that must be the same in all processes of one crawl. The first process writes them into the store. A
// process that joins while another is running must have the same. Between runs they may change, except name and seeds.

import { hash } from 'node:crypto';
import type { JsonValue } from '@mannerly/frontier';
import { MannerlyError } from '../errors.js';
import { crawlSettings } from './crawl-settings.js';
import { MAX_TERM_CHARS, MAX_TERMS_SEEDS_BYTES } from './limits.js';
import type { ResolvedOptions } from './options.js';

export type CrawlTerms = Readonly<ReturnType<typeof termsOf>>;

/** The terms of a crawl. Functions cannot be compared and count as the same. */
export function termsOf(options: ResolvedOptions, nowMs: number) {
  const { identity, scope, bounds, canonicalRules, spacing, robots, hosts, labels, exclusion, licensing, traps } =
    options;
  const { seeds: named, ...where } = scope;
  const seeds: readonly string[] = [...new Set(named)].sort();
  const listedSeeds = JSON.stringify(seeds).length <= MAX_TERMS_SEEDS_BYTES ? seeds : seeds.slice(0, 1);
  const compared = {
    scope: where,
    bounds,
    urls: canonicalRules,
    politeness: spacing,
    robots,
    hosts,
    labels,
    traps,
    licensing,
    ...exclusion,
  };
  return {
    name: identity.name,
    tokens: identity.tokens,
    /** All seeds up to a bound, else the first of them. */
    seeds: listedSeeds,
    seedCount: seeds.length,
    seedsHash: hash('sha256', seeds.join('\n')),
    settings: crawlSettings(options),
    said: Object.fromEntries(Object.entries(compared).map(([option, value]) => [option, termText(value)] as const)),
    createdAtMs: nowMs,
  };
}

/** @param stored - Of the store. @param isAlone - No other process works. @throws MannerlyError `crawl-differs` */
export function reconcileTerms(stored: CrawlTerms | null, ours: CrawlTerms, isAlone: boolean): CrawlTerms {
  if (stored === null) return ours;
  const throwDifference = (what: string, theirs: string, mine: string, hint: string): never => {
    const message = `the crawl in this store has ${what} ${shorten(theirs)}, and this process has ${shorten(mine)}`;
    throw new MannerlyError('crawl-differs', message, { hint });
  };
  const seedsHint = 'Give each crawl a store of its own, or run the same crawl as before.';
  if (stored.name !== ours.name) throwDifference('the name', stored.name, ours.name, seedsHint);
  if (termText(stored.tokens) !== termText(ours.tokens))
    throwDifference('the tokens', termText(stored.tokens), termText(ours.tokens), seedsHint);
  if (stored.seedsHash !== ours.seedsHash && !(isAlone && hasAll(stored, ours)))
    throwDifference(
      'the seeds',
      seedText(stored),
      seedText(ours),
      `${seedsHint} Seeds may be added while no process is running.`,
    );
  const optionsHint =
    'All processes of a crawl need the same options. To change one, stop them all and start them again.';
  for (const [option, mine] of isAlone ? [] : Object.entries(ours.said)) {
    const theirs = stored.said[option] ?? 'nothing';
    if (theirs !== mine) throwDifference(`\`${option}\``, theirs, mine, optionsHint);
  }
  return { ...ours, createdAtMs: stored.createdAtMs };
}

/** The key under which the store keeps the terms. */
export const TERMS_KEY = 'crawl';

function hasAll(stored: CrawlTerms, ours: CrawlTerms): boolean {
  if (stored.seeds.length < stored.seedCount || ours.seeds.length < ours.seedCount) return false;
  const named = new Set(ours.seeds);
  return stored.seeds.every((seed) => named.has(seed));
}

function seedText({ seeds, seedCount }: CrawlTerms): string {
  return `${seeds[0]}${seedCount > 1 ? ` and ${seedCount - 1} more` : ''}`;
}

function termText(value: unknown): string {
  const replacer = (_key: string, each: unknown): JsonValue | unknown => {
    if (each instanceof RegExp) return String(each);
    return typeof each === 'function' ? '(a function)' : each;
  };
  return JSON.stringify(value, replacer) ?? 'nothing';
}

function shorten(text: string): string {
  return text.length <= MAX_TERM_CHARS ? text : `${text.slice(0, MAX_TERM_CHARS)}…`;
}
