// Writes rows as an Apache Parquet file, with hyparquet-writer, which the user installs. The columns and their types
// come from the items, which are read twice, for the schema and for the rows. Memory use is that of one row group.

import type { SchemaElement } from 'hyparquet-writer';
import { hasPlatformCode } from '../directory/atomic-file.js';
import { MannerlyError } from '../errors.js';
import { MAX_EXPORT_COLUMNS, PARQUET_GROUP_CHARS, PARQUET_GROUP_ROWS } from './limits.js';

const ELEMENTS: Readonly<Record<ColumnKind, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  boolean: { type: 'BOOLEAN' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
};

/**
 * Writes a file; an existing one is replaced. @returns The number of rows.
 * @param rows - Rows, and the characters of their lines. @param createdBy - `name version` of the writing software.
 * @throws MannerlyError `export-failed` if hyparquet-writer is not installed; the platform's error.
 */
export async function writeParquet(
  path: string,
  columns: readonly ItemColumn[],
  rows: AsyncIterable<readonly [row: ItemRow, chars: number]>,
  createdBy: string,
): Promise<number> {
  const { ParquetWriter, fileWriter } = await loadWriter();
  const elements = columns.map(
    ({ name, kind }): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...ELEMENTS[kind] }),
  );
  const schema: SchemaElement[] = [{ name: 'root', num_children: columns.length }, ...elements];
  const writer = new ParquetWriter({ writer: fileWriter(path), schema, createdBy });
  let group: unknown[][] = [];
  let groupChars = 0;
  const flush = (): void => {
    if (group.length === 0) return;
    const columnData = columns.map(({ name }, at) => ({ name, data: group.map((values) => values[at]) }));
    // The file's writer is synchronous, and so is this.
    writer.write({ columnData, rowGroupSize: group.length });
    group = [];
    groupChars = 0;
  };
  let count = 0;
  for await (const [row, chars] of rows) {
    group.push(valuesOf(row, columns));
    groupChars += chars;
    count += 1;
    if (group.length >= PARQUET_GROUP_ROWS || groupChars >= PARQUET_GROUP_CHARS) flush();
  }
  flush();
  writer.finish();
  return count;
}

async function loadWriter(): Promise<typeof import('hyparquet-writer')> {
  try {
    return await import('hyparquet-writer');
  } catch (cause) {
    if (!hasPlatformCode(cause, 'ERR_MODULE_NOT_FOUND')) throw cause;
    throw new MannerlyError('export-failed', 'Parquet needs hyparquet-writer, which is not installed', {
      cause,
      hint: 'Install it: npm install hyparquet-writer',
    });
  }
}

/** The type of a column. `json`: values of different kinds, lists or objects, as JSON. */
type ColumnKind = 'text' | 'boolean' | 'integer' | 'number' | 'time' | 'json';

export interface ItemColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** A row: the object of an item's line. */
export type ItemRow = Readonly<Record<string, unknown>>;

/** The column of fields without their own column, as JSON. */
const REST_COLUMN = 'more';

/** Our own columns, which are first. The others are in order of appearance. */
const OWN_COLUMNS = [
  ['id', 'text'],
  ['url', 'text'],
  ['fetchedAt', 'time'],
] as const;
const TIMES: readonly string[] = ['fetchedAt', 'expiresAt'];

export class ColumnFinder {
  readonly #kinds = new Map<string, ColumnKind | null>(OWN_COLUMNS);
  #hasRest = false;

  add(row: ItemRow): void {
    for (const [name, value] of Object.entries(row)) {
      const known = this.#kinds.get(name);
      if (known === undefined && (this.#kinds.size >= MAX_EXPORT_COLUMNS || name === REST_COLUMN)) this.#hasRest = true;
      else this.#kinds.set(name, mergeKinds(known ?? null, kindOf(name, value)));
    }
  }

  /** The columns so far, with `more` last if some fields have no column. */
  columns(): readonly ItemColumn[] {
    const found = [...this.#kinds].map(([name, kind]): ItemColumn => ({ name, kind: kind ?? 'text' }));
    return this.#hasRest ? [...found, { name: REST_COLUMN, kind: 'json' }] : found;
  }
}

/** The values of a row in the order of the columns; `null` if absent. Never throws. */
function valuesOf(row: ItemRow, columns: readonly ItemColumn[]): unknown[] {
  const named = columns.filter(({ name }) => name !== REST_COLUMN);
  const values = named.map(({ name, kind }) => (Object.hasOwn(row, name) ? cellValue(row[name], kind) : null));
  if (named.length === columns.length) return values;
  const names = new Set(named.map(({ name }) => name));
  const rest = Object.entries(row).filter(([name]) => !names.has(name));
  return [...values, rest.length === 0 ? null : JSON.stringify(Object.fromEntries(rest))];
}

function cellValue(value: unknown, kind: ColumnKind): unknown {
  if (value === null || value === undefined) return null;
  if (kind === 'time') return timeOf(String(value));
  if (kind === 'integer') return BigInt(value as number);
  return kind === 'json' ? JSON.stringify(value) : value;
}

/** `null` for the time of a damaged line. */
function timeOf(text: string): Date | null {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** `null`: the value says nothing about its column. */
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

function mergeKinds(one: ColumnKind | null, other: ColumnKind | null): ColumnKind | null {
  if (one === null || other === null || one === other) return one ?? other;
  const areNumbers = [one, other].every((kind) => kind === 'integer' || kind === 'number');
  return areNumbers ? 'number' : 'json';
}
