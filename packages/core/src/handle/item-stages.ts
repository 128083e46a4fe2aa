// Functions that items pass through, in order, between a page's handler and the sinks. Each cleans, drops, splits or
// enriches one item. They see the page and make no requests of the crawl. They are part of the page's handling: its
// timeout covers them, and a stage that throws fails the page.

import type { JsonValue } from '@mannerly/frontier';
import { invalidOption, MannerlyError } from '../errors.js';
import type { FetchedPage } from '../page/page.js';
import { MAX_ITEM_STAGES, MAX_PAGE_ITEMS } from './limits.js';
import { jsonCopy } from './staged.js';

/** The result of a stage: the item, another one, `null` to drop it, or a list of several. */
type StageResult = object | string | number | boolean | null;

/**
 * A stage. `item` is its own copy: it may be changed and returned. A returned list is several items, unless it is the
 * item itself. The report has the name of the function.
 *
 * @example const priced: ItemStage<{ price: string }> = (item) => (item.price === '' ? null : item);
 */
export type ItemStage<In = unknown> = {
  // A method, so that a stage for one kind of item fits into the list of a crawl that emits several.
  stage(item: In, page: FetchedPage): StageResult | Promise<StageResult>;
}['stage'];

/** What a stage did in a run, including retried pages. */
export interface StageCounts {
  readonly name: string;
  readonly in: number;
  readonly out: number;
  readonly dropped: number;
  /** Items for which it threw. */
  readonly failed: number;
}

const COUNTS = ['in', 'out', 'dropped', 'failed'] as const;

/** The combined counts of several runs or processes, by stage name, at most `MAX_ITEM_STAGES` of them. */
export function sumStages(all: readonly StageCounts[]): StageCounts[] {
  const sums = new Map<string, CountedStage['counts']>();
  for (const stage of all) {
    const { name } = stage;
    if (!sums.has(name) && sums.size < MAX_ITEM_STAGES) sums.set(name, { name, in: 0, out: 0, dropped: 0, failed: 0 });
    const sum = sums.get(name);
    if (sum !== undefined) for (const count of COUNTS) sum[count] += stage[count];
  }
  return [...sums.values()];
}

/** Whether a value is the counts of a stage. @throws Never */
export function isStageCounts(value: unknown): value is StageCounts {
  const counts = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof counts['name'] === 'string' && COUNTS.every((count) => typeof counts[count] === 'number');
}

interface CountedStage {
  readonly run: ItemStage;
  readonly counts: { -readonly [Name in keyof StageCounts]: StageCounts[Name] };
}

export class ItemStages {
  readonly #stages: readonly CountedStage[];

  constructor(stages: readonly ItemStage[]) {
    const names = new Map<string, number>();
    this.#stages = stages.map((run) => {
      const stageName = run.name === '' ? 'stage' : run.name;
      const occurrence = (names.get(stageName) ?? 0) + 1;
      names.set(stageName, occurrence);
      const name = occurrence === 1 ? stageName : `${stageName} ${occurrence}`;
      return { run, counts: { name, in: 0, out: 0, dropped: 0, failed: 0 } };
    });
  }

  /** Counts so far, in the order of the stages; empty: there are none. */
  counts(): readonly StageCounts[] {
    return this.#stages.map(({ counts }) => ({ ...counts }));
  }

  /**
   * Passes the items of a page through all stages; `null`: there are no stages.
   * @throws What a stage throws; MannerlyError `item-invalid` where one returns nothing, no JSON, or too much.
   */
  async run(emitted: readonly JsonValue[], page: FetchedPage): Promise<(readonly JsonValue[])[] | null> {
    if (this.#stages.length === 0) return null;
    const all: JsonValue[][] = [];
    let count = 0;
    for (const data of emitted) {
      const subject = `an item of ${page.url}`;
      let items: unknown[] = [jsonCopy(data, subject)];
      for (const stage of this.#stages) {
        const produced: unknown[] = [];
        for (const item of items) {
          const results = await runStage(stage, item, page);
          if (count + produced.length + results.length > MAX_PAGE_ITEMS) {
            const message = `expected at most ${MAX_PAGE_ITEMS} items of one page, ${page.url}`;
            throw new MannerlyError('item-invalid', message);
          }
          produced.push(...results);
        }
        items = produced;
      }
      count += items.length;
      all.push(items.map((item) => jsonCopy(item, subject)));
    }
    return all;
  }
}

/** Checks the option. @throws MannerlyError `option-invalid` */
export function checkStages(option: string, given: unknown): readonly ItemStage[] {
  const isList =
    Array.isArray(given) && given.length <= MAX_ITEM_STAGES && given.every((each) => typeof each === 'function');
  if (isList) return given as readonly ItemStage[];
  throw invalidOption(option, `a list of at most ${MAX_ITEM_STAGES} functions`, given);
}

async function runStage({ run, counts }: CountedStage, item: unknown, page: FetchedPage): Promise<readonly unknown[]> {
  counts.in += 1;
  try {
    const result: unknown = await run(item, page);
    if (result === undefined) {
      const message = `the stage \`${counts.name}\` of \`items\` returned nothing for an item of ${page.url}`;
      throw new MannerlyError('item-invalid', message, { hint: 'Return the item, or `null` to drop it.' });
    }
    const results = result === item ? [item] : Array.isArray(result) ? result : result === null ? [] : [result];
    counts.out += results.length;
    if (results.length === 0) counts.dropped += 1;
    return results;
  } catch (error) {
    counts.failed += 1;
    throw error;
  }
}
