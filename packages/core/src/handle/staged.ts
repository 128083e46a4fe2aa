// What a handler emits and follows, kept aside until the handler has ended: then all of it counts, or, when the handler
// threw or took too long, none of it.

import type { JsonValue, NewUrl } from '@mannerly/frontier';
import { MannerlyError } from '../errors.js';
import { MAX_ITEM_CHARS, MAX_PAGE_ITEMS, MAX_PAGE_REJECTED } from './limits.js';
import type { RejectedItem } from './rejected-item.js';

/** A link that was not taken, and why. */
export interface LeftAloneLink {
  readonly url: string;
  /** A reason of the table of reasons, such as `link-nofollow`. */
  readonly reason: string;
}

/** Everything that one handler staged. */
export interface Staged {
  /** What was emitted, in order, each a copy made when it was emitted. */
  readonly data: readonly JsonValue[];
  /** Candidates for admission, one per visit to a URL. */
  readonly links: readonly NewUrl[];
  /** Links that the page wants left alone, one per URL, none of them in `links`. */
  readonly leftAlone: readonly LeftAloneLink[];
  /** URLs that the handler added although the page wants them left alone. */
  readonly nofollow: readonly string[];
  /** What was emitted and rejected by the schema of its route, in order: the first hundred. */
  readonly rejected: readonly RejectedItem[];
  /** All of them. */
  readonly rejectedCount: number;
}

/** Nothing at all. */
export const NOTHING_STAGED: Staged = Object.freeze({
  data: [],
  links: [],
  leftAlone: [],
  nofollow: [],
  rejected: [],
  rejectedCount: 0,
});

/** Takes what the handler of one page stages. Every call throws MannerlyError `page-over` after `seal`. */
export class Stage {
  readonly #pageUrl: string;
  readonly #data: JsonValue[] = [];
  readonly #links = new Map<string, NewUrl>();
  readonly #leftAlone = new Map<string, LeftAloneLink>();
  readonly #nofollow = new Set<string>();
  readonly #rejected: RejectedItem[] = [];
  #rejectedCount = 0;
  #isOver = false;

  constructor(pageUrl: string) {
    this.#pageUrl = pageUrl;
  }

  /** @throws MannerlyError `item-invalid` when it is no JSON, too large, or one too many. */
  item(item: unknown): void {
    this.#mustBeOpen();
    if (this.#data.length >= MAX_PAGE_ITEMS) {
      throw new MannerlyError('item-invalid', `expected at most ${MAX_PAGE_ITEMS} items of one page, ${this.#pageUrl}`);
    }
    this.#data.push(jsonCopy(item, `an item of ${this.#pageUrl}`));
  }

  /** The first candidate for a visit to a URL counts. */
  link(candidate: NewUrl): void {
    this.#mustBeOpen();
    const key = visitKey(candidate.url, candidate.visit ?? 0);
    if (!this.#links.has(key)) this.#links.set(key, candidate);
  }

  leaveAlone(link: LeftAloneLink): void {
    this.#mustBeOpen();
    if (!this.#leftAlone.has(link.url)) this.#leftAlone.set(link.url, link);
  }

  /** Notes that the handler added a URL although the page wants it left alone. */
  nofollow(url: string): void {
    this.#mustBeOpen();
    this.#nofollow.add(url);
  }

  /** Keeps an item that its schema rejected. */
  reject(item: RejectedItem): void {
    this.#mustBeOpen();
    this.#rejectedCount += 1;
    if (this.#rejectedCount <= MAX_PAGE_REJECTED) this.#rejected.push(item);
  }

  /** Ends staging and returns what was staged. */
  seal(): Staged {
    this.#isOver = true;
    return {
      data: this.#data,
      links: [...this.#links.values()],
      leftAlone: [...this.#leftAlone.values()].filter(({ url }) => !this.#links.has(url)),
      nofollow: [...this.#nofollow],
      rejected: this.#rejected,
      rejectedCount: this.#rejectedCount,
    };
  }

  #mustBeOpen(): void {
    if (!this.#isOver) return;
    throw new MannerlyError(
      'page-over',
      `the handler of ${this.#pageUrl} has ended; what it stages now would be lost`,
      {
        hint: 'Await everything that the handler starts.',
      },
    );
  }
}

function visitKey(url: string, visit: number): string {
  return visit === 0 ? url : `${visit} ${url}`;
}

/**
 * Copies a value through JSON, so that later changes do not reach it, and what is no JSON fails in the handler.
 *
 * @param what - Names it in the error.
 * @throws MannerlyError `item-invalid` when it is no JSON, or longer than {@link MAX_ITEM_CHARS} as text.
 */
export function jsonCopy(value: unknown, what: string): JsonValue {
  let text: string | undefined;
  try {
    text = JSON.stringify(value) as string | undefined;
  } catch (error) {
    throw new MannerlyError('item-invalid', `expected ${what} to be JSON: ${String(error)}`, { cause: error });
  }
  if (text === undefined) throw new MannerlyError('item-invalid', `expected ${what} to be JSON, got ${typeof value}`);
  if (text.length <= MAX_ITEM_CHARS) return JSON.parse(text) as JsonValue;
  const message = `expected ${what} to have at most ${MAX_ITEM_CHARS} characters, got ${text.length}`;
  throw new MannerlyError('item-invalid', message);
}
