// Describes for people how two values of a failed check differ. For long lists it says only what is missing, what is
// extra, or where the order changes. The rest of such a list says nothing about the fault.

import { MAX_LISTED_WHOLE, MAX_NAMED_ITEMS } from './limits.js';

/** Never throws for JSON values. */
export function difference(actual: unknown, expected: unknown): string {
  const isLong = (value: unknown): boolean => Array.isArray(value) && value.length > MAX_LISTED_WHOLE;
  if (!Array.isArray(actual) || !Array.isArray(expected) || !(isLong(actual) || isLong(expected)))
    return `expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`;
  const [got, wanted] = [actual.map(textOf), expected.map(textOf)];
  const [missing, extra] = [without(wanted, got), without(got, wanted)];
  if (missing.length === 0 && extra.length === 0) {
    const at = wanted.findIndex((item, index) => item !== got[index]);
    return `expected ${wanted.length} in another order: at index ${at} ${wanted[at]}, got ${got[at]}`;
  }
  const parts = [some('missing', missing), some('not expected', extra)].filter((part) => part !== '');
  return `expected ${wanted.length}, got ${got.length}; ${parts.join('; ')}`;
}

function textOf(item: unknown): string {
  return JSON.stringify(item) ?? 'undefined';
}

/** The items of one list that the other lacks, each as often as it is missing there. */
function without(items: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1);
  return items.filter((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count <= 0;
  });
}

function some(what: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  const named = items.slice(0, MAX_NAMED_ITEMS).join(', ');
  return `${what}: ${named}${items.length > MAX_NAMED_ITEMS ? `, and ${items.length - MAX_NAMED_ITEMS} more` : ''}`;
}
