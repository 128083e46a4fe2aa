// A line of `pages.jsonl`, as WACZ lists the pages that people look for.

import { randomUUID } from 'node:crypto';

/** A page that people look for. */
export interface ListedPage {
  readonly url: string;
  /** The date of its record. */
  readonly date: string;
  readonly title: string;
  readonly isSeed: boolean;
}

/** The line of a page, newline included. Never throws. */
export function pageLineOf({ url, date, title, isSeed }: ListedPage): string {
  return `${JSON.stringify({ id: randomUUID(), url, ts: date, title, ...(isSeed ? { seed: true } : {}) })}\n`;
}
