// The shape of a table of items: which columns, and what each holds, from the items themselves. Pure. Items are read
// twice for it, first for the shape and then for the rows; memory grows with the columns alone.

import { MAX_EXPORT_COLUMNS } from './limits.js';

/** What a column holds. `json`: values of different kinds, lists or objects, as JSON. */
export type ColumnKind = 'text' | 'boolean' | 'integer' | 'number' | 'time' | 'json';

export interface ItemColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** A row: the object of an item's line. */
export type ItemRow = Readonly<Record<string, unknown>>;

/** The column of what has no other, as JSON. */
const REST = 'more';

/** Columns of ours, which are first. The others are in the order in which they were met. */
const OWN = [
  ['id', 'text'],
  ['url', 'text'],
  ['fetchedAt', 'time'],
] as const;
const TIMES: readonly string[] = ['fetchedAt', 'expiresAt'];

export class ColumnFinder {
  readonly #kinds = new Map<string, ColumnKind | null>(OWN);
  #hasRest = false;

  add(row: ItemRow): void {
    for (const [name, value] of Object.entries(row)) {
      const known = this.#kinds.get(name);
      if (known === undefined && (this.#kinds.size >= MAX_EXPORT_COLUMNS || name === REST)) this.#hasRest = true;
      else this.#kinds.set(name, together(known ?? null, kindOf(name, value)));
    }
  }

  /** The columns so far, `more` last where something has no other. */
  columns(): readonly ItemColumn[] {
    const found = [...this.#kinds].map(([name, kind]): ItemColumn => ({ name, kind: kind ?? 'text' }));
    return this.#hasRest ? [...found, { name: REST, kind: 'json' }] : found;
  }
}

/** The values of a row in the order of the columns; `null` where there is none. Never throws. */
export function valuesOf(row: ItemRow, columns: readonly ItemColumn[]): unknown[] {
  const named = columns.filter(({ name }) => name !== REST);
  const values = named.map(({ name, kind }) => (Object.hasOwn(row, name) ? cellValue(row[name], kind) : null));
  if (named.length === columns.length) return values;
  const names = new Set(named.map(({ name }) => name));
  const rest = Object.entries(row).filter(([name]) => !names.has(name));
  return [...values, rest.length === 0 ? null : JSON.stringify(Object.fromEntries(rest))];
}

function cellValue(value: unknown, kind: ColumnKind): unknown {
  if (value === null || value === undefined) return null;
  if (kind === 'time') return new Date(String(value));
  if (kind === 'integer') return BigInt(value as number);
  return kind === 'json' ? JSON.stringify(value) : value;
}

/** `null`: it says nothing of its column. */
function kindOf(name: string, value: unknown): ColumnKind | null {
  switch (typeof value) {
    case 'string':
      return TIMES.includes(name) && !Number.isNaN(Date.parse(value)) ? 'time' : 'text';
    case 'boolean':
      return 'boolean';
    case 'number':
      return Number.isSafeInteger(value) ? 'integer' : 'number';
    default:
      return value === null ? null : 'json';
  }
}

function together(one: ColumnKind | null, other: ColumnKind | null): ColumnKind | null {
  if (one === null || other === null || one === other) return one ?? other;
  const isNumbers = [one, other].every((kind) => kind === 'integer' || kind === 'number');
  return isNumbers ? 'number' : 'json';
}
