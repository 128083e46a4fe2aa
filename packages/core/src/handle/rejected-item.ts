// Items that their schema rejected, as they are kept: with their page, the issues and, within a limit, the data.

import type { JsonValue } from '@mannerly/frontier';
import { MAX_REJECTED_CHARS } from './limits.js';
import type { SchemaIssue } from './schema.js';

/** One line of `rejected.jsonl`. */
export interface RejectedItem {
  /** The page that it was emitted for. */
  readonly url: string;
  readonly visit: number;
  /** Epoch milliseconds of the page's last byte. */
  readonly fetchedAtMs: number;
  /** What the schema found, at most 20. */
  readonly issues: readonly SchemaIssue[];
  /** What was emitted; `null` where it is no JSON, or longer than 65,536 characters. */
  readonly data: JsonValue | null;
  /** Characters of it as JSON; 0 where it is none. */
  readonly dataChars: number;
}

/** Keeps an item aside: a copy, so that later changes do not reach it. Never throws. */
export function rejectedItem(
  page: Pick<RejectedItem, 'url' | 'visit' | 'fetchedAtMs'>,
  data: unknown,
  issues: readonly SchemaIssue[],
): RejectedItem {
  const text = asJson(data);
  const { url, visit, fetchedAtMs } = page;
  const kept = text !== null && text.length <= MAX_REJECTED_CHARS ? (JSON.parse(text) as JsonValue) : null;
  return { url, visit, fetchedAtMs, issues, data: kept, dataChars: text?.length ?? 0 };
}

/** `null`: it is no JSON, which may well be why it was rejected. */
function asJson(data: unknown): string | null {
  try {
    return (JSON.stringify(data) as string | undefined) ?? null;
  } catch {
    // A cycle, a bigint, or a `toJSON` of the user's own that throws whatever it likes.
    return null;
  }
}
