// The shape of a table of items: which columns, and what each holds, from the items themselves. Pure. Files of items
// are read twice for it, first for the shape and then for the rows; memory grows with the columns alone.

import { MAX_EXPORT_COLUMNS } from './limits.js';

/** What a column holds. `json`: values of different kinds, lists or objects, as JSON. */
export type ColumnKind = 'text' | 'boolean' | 'integer' | 'number' | 'time' | 'json';

/** A column of the table. */
export interface ItemColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** A row: an item as its line has it. */
export type ItemRow = Readonly<Record<string, unknown>>;

/** The column of what has no other, as JSON. */
export const REST_COLUMN = 'more';

/** Columns of ours, which stand first; the others in the order in which they were met. */
const OWN: readonly ItemColumn[] = [
  { name: 'id', kind: 'text' },
  { name: 'url', kind: 'text' },
  { name: 'fetchedAt', kind: 'time' },
];
const TIMES: readonly string[] = ['fetchedAt', 'expiresAt'];

/** Learns the shape from rows. */
export interface ColumnFinder {
  see(row: ItemRow): void;
  /** The columns, `more` last where something has no other. */
  columns(): readonly ItemColumn[];
}

/** @throws Never */
export function createColumnFinder(): ColumnFinder {
  const kinds = new Map<string, ColumnKind | null>(OWN.map(({ name, kind }) => [name, kind]));
  let hasRest = false;
  return {
    see(row) {
      for (const [name, value] of Object.entries(row)) {
        const known = kinds.get(name);
        if (known === undefined && (kinds.size >= MAX_EXPORT_COLUMNS || name === REST_COLUMN)) hasRest = true;
        else kinds.set(name, together(known ?? null, kindOf(name, value)));
      }
    },
    columns() {
      const found = [...kinds].map(([name, kind]): ItemColumn => ({ name, kind: kind ?? 'text' }));
      return hasRest ? [...found, { name: REST_COLUMN, kind: 'json' }] : found;
    },
  };
}

/** The values of a row in the order of the columns; `null` where there is none. Never throws. */
export function valuesOf(row: ItemRow, columns: readonly ItemColumn[]): unknown[] {
  const last = columns.at(-1);
  const named = last?.name === REST_COLUMN ? columns.slice(0, -1) : columns;
  const values = named.map(({ name, kind }) => (Object.hasOwn(row, name) ? cellValue(row[name], kind) : null));
  if (last?.name !== REST_COLUMN) return values;
  const names = new Set(named.map(({ name }) => name));
  const rest = Object.entries(row).filter(([name]) => !names.has(name));
  return [...values, rest.length === 0 ? null : JSON.stringify(Object.fromEntries(rest))];
}

function cellValue(value: unknown, kind: ColumnKind): unknown {
  if (value === null || value === undefined) return null;
  if (kind === 'time') return new Date(String(value));
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
