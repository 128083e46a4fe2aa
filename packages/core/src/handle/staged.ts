// What a handler emits and follows, kept aside until it has come to its end: then all of it counts, or, when it threw or
// took too long, none.

import type { JsonValue, NewUrl } from '@mannerly/frontier';
import { MannerlyError } from '../errors.js';
import { jsonCopy } from './json-copy.js';
import { MAX_PAGE_ITEMS, MAX_PAGE_REJECTED } from './limits.js';
import type { RejectedItem } from './rejected-item.js';

/** A link that was not taken although it was asked for, and why. */
export interface LeftAloneLink {
  readonly url: string;
  /** A word of the table of reasons, such as `link-nofollow`. */
  readonly reason: string;
  readonly depth: number;
  readonly from: string;
}

/** Everything one handler staged. */
export interface Staged {
  /** What was emitted, in order, each a copy made when it was emitted. */
  readonly data: readonly JsonValue[];
  /** Candidates for the door, one per visit to a URL. */
  readonly links: readonly NewUrl[];
  /** Links of the site's wish left alone, one per URL, none that stands in `links`. */
  readonly leftAlone: readonly LeftAloneLink[];
  /** What an operator may want to know: a handler took a nofollow link by itself. */
  readonly notes: readonly { readonly url: string; readonly note: 'link-nofollow' }[];
  /** What was emitted and not taken by the schema of its route, in order: the first hundred. */
  readonly rejected: readonly RejectedItem[];
  /** All of them. */
  readonly rejectedCount: number;
}

const NONE_REJECTED: readonly RejectedItem[] = Object.freeze([]);

/** Nothing at all. */
export const NOTHING_STAGED: Staged = Object.freeze({
  data: [],
  links: [],
  leftAlone: [],
  notes: [],
  rejected: NONE_REJECTED,
  rejectedCount: 0,
});

/** Takes what a handler stages. */
export interface Stage {
  /** @throws MannerlyError `item-invalid` when it is no JSON, too large, or one too many; `page-over` after `seal`. */
  item(data: JsonValue): void;
  /** The first candidate for a visit to a URL counts. @throws MannerlyError `page-over` after `seal`. */
  link(candidate: NewUrl): void;
  /** @throws MannerlyError `page-over` after `seal`. */
  leaveAlone(link: LeftAloneLink): void;
  /** @throws MannerlyError `page-over` after `seal`. */
  note(url: string, note: 'link-nofollow'): void;
  /** Keeps aside an item that its schema did not take. @throws MannerlyError `page-over` after `seal`. */
  reject(item: RejectedItem): void;
  /** Ends staging and gives what was staged. */
  seal(): Staged;
}

/** Makes an empty stage for the handler of a page. */
export function createStage(pageUrl: string): Stage {
  const data: JsonValue[] = [];
  const links = new Map<string, NewUrl>();
  const leftAlone = new Map<string, LeftAloneLink>();
  const notes = new Map<string, { readonly url: string; readonly note: 'link-nofollow' }>();
  let rejected: RejectedItem[] | null = null;
  let rejectedCount = 0;
  let isOver = false;
  const open = (): void => {
    if (!isOver) return;
    throw new MannerlyError('page-over', `the handler of ${pageUrl} has ended; what it stages now would be lost`, {
      hint: 'Await everything that the handler starts.',
    });
  };
  return {
    item(item) {
      open();
      if (data.length >= MAX_PAGE_ITEMS) {
        throw new MannerlyError('item-invalid', `expected at most ${MAX_PAGE_ITEMS} items of one page, ${pageUrl}`);
      }
      data.push(jsonCopy(item, `an item of ${pageUrl}`));
    },
    link(candidate) {
      open();
      const key = visitKey(candidate.url, candidate.visit ?? 0);
      if (!links.has(key)) links.set(key, candidate);
    },
    leaveAlone(link) {
      open();
      if (!leftAlone.has(link.url)) leftAlone.set(link.url, link);
    },
    note(url, note) {
      open();
      notes.set(url, { url, note });
    },
    reject(item) {
      open();
      rejectedCount += 1;
      if (rejectedCount > MAX_PAGE_REJECTED) return;
      rejected ??= [];
      rejected.push(item);
    },
    seal() {
      isOver = true;
      const left = [...leftAlone.values()].filter(({ url }) => !links.has(visitKey(url, 0)));
      return {
        data,
        links: [...links.values()],
        leftAlone: left,
        notes: [...notes.values()],
        rejected: rejected ?? NONE_REJECTED,
        rejectedCount,
      };
    },
  };
}

function visitKey(url: string, visit: number): string {
  return visit === 0 ? url : `${visit} ${url}`;
}
