// What all processes of one crawl have to agree on: who asks, where, how much and at what pace. The first one writes it
// into the store; anyone who joins while another is at work must say the same, or the crawl would be two. Between runs
// it may change as far as it may in a crawl directory: the crawl stays that of its name and its seeds.

import { hash } from 'node:crypto';
import type { JsonValue } from '@mannerly/frontier';
import { MannerlyError } from '../errors.js';
import { type CrawlSettings, crawlSettings } from './crawl-settings.js';
import { MAX_TERM_TEXT, MAX_TERMS_SEEDS_BYTES } from './limits.js';
import type { ResolvedOptions } from './options.js';

/** What is kept. */
export interface CrawlTerms {
  readonly name: string;
  readonly tokens: readonly string[];
  /** In full up to a bound, else the first of them. */
  readonly seeds: readonly string[];
  readonly seedCount: number;
  readonly seedsHash: string;
  /** What questions to the store are answered by. */
  readonly settings: CrawlSettings;
  /** Each option as text, to be compared. */
  readonly said: Readonly<Record<string, string>>;
  readonly createdAtMs: number;
}

/** The terms of a crawl. Functions cannot be compared: what they answer is taken to be the same. @throws Never */
export function termsOf(options: ResolvedOptions, nowMs: number): CrawlTerms {
  const { identity, scope, bounds, canonicalRules, spacing, robots, exclusion, traps } = options;
  const { seeds: named, ...where } = scope;
  const seeds = [...new Set(named)].sort();
  const whole = JSON.stringify(seeds).length <= MAX_TERMS_SEEDS_BYTES ? seeds : seeds.slice(0, 1);
  const said = {
    scope: where,
    bounds,
    urls: canonicalRules,
    politeness: spacing,
    robots,
    traps,
    ...exclusion,
  };
  return {
    name: identity.name,
    tokens: identity.tokens,
    seeds: whole,
    seedCount: seeds.length,
    seedsHash: hash('sha256', seeds.join('\n')),
    settings: crawlSettings(options),
    said: Object.fromEntries(Object.entries(said).map(([option, value]) => [option, textOf(value)])),
    createdAtMs: nowMs,
  };
}

/**
 * The terms that hold from now on.
 *
 * @param kept - What the store has; `null`: nothing yet.
 * @param isAlone - Whether no other process is at work.
 * @throws MannerlyError `crawl-differs`, naming the option and both values.
 */
export function agreedTerms(kept: CrawlTerms | null, ours: CrawlTerms, isAlone: boolean): CrawlTerms {
  if (kept === null) return ours;
  const differ = (what: string, theirs: string, mine: string, hint: string): MannerlyError =>
    new MannerlyError(
      'crawl-differs',
      `the crawl in this store has ${what} ${cut(theirs)}, and this process was told ${cut(mine)}`,
      { hint },
    );
  const another = 'Give each crawl a store of its own, or run the same crawl as before.';
  if (kept.name !== ours.name) throw differ('the name', kept.name, ours.name, another);
  if (textOf(kept.tokens) !== textOf(ours.tokens))
    throw differ('the tokens', textOf(kept.tokens), textOf(ours.tokens), another);
  if (kept.seedsHash !== ours.seedsHash && !(isAlone && hasAll(kept, ours)))
    throw differ(
      'the seeds',
      seedText(kept),
      seedText(ours),
      `${another} Seeds may be added while no process is at work.`,
    );
  for (const [option, mine] of Object.entries(ours.said)) {
    const theirs = kept.said[option] ?? 'nothing';
    if (theirs !== mine && !isAlone)
      throw differ(
        `\`${option}\``,
        theirs,
        mine,
        'All processes of a crawl are told the same. To change it, stop them all, and start them with what is new.',
      );
  }
  return { ...ours, createdAtMs: kept.createdAtMs };
}

/** The terms as the store keeps them, and back. `null` for none. */
export const termsRecord = {
  key: 'crawl',
  encode: (terms: CrawlTerms): Uint8Array => new TextEncoder().encode(JSON.stringify(terms)),
  decode: (bytes: Uint8Array | null): CrawlTerms | null =>
    bytes === null ? null : (JSON.parse(new TextDecoder().decode(bytes)) as CrawlTerms),
};

function hasAll(kept: CrawlTerms, ours: CrawlTerms): boolean {
  if (kept.seeds.length < kept.seedCount || ours.seeds.length < ours.seedCount) return false;
  const named = new Set(ours.seeds);
  return kept.seeds.every((seed) => named.has(seed));
}

function seedText({ seeds, seedCount }: CrawlTerms): string {
  return `${seeds[0]}${seedCount > 1 ? ` and ${seedCount - 1} more` : ''}`;
}

function textOf(value: unknown): string {
  const readable = (_key: string, each: unknown): JsonValue | unknown => {
    if (each instanceof RegExp) return String(each);
    return typeof each === 'function' ? '(a function)' : each;
  };
  return JSON.stringify(value, readable) ?? 'nothing';
}

function cut(text: string): string {
  return text.length <= MAX_TERM_TEXT ? text : `${text.slice(0, MAX_TERM_TEXT)}…`;
}
