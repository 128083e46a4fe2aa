// Rows as an Apache Parquet file, through hyparquet-writer, which the user installs. A row group at a time: memory is
// that of one group.

import type { ColumnSource, SchemaElement } from 'hyparquet-writer';
import { hasPlatformCode } from '../directory/whole-file.js';
import { MannerlyError } from '../errors.js';
import { type ColumnKind, type ItemColumn, type ItemRow, valuesOf } from './item-columns.js';
import { PARQUET_GROUP_CHARS, PARQUET_GROUP_ROWS } from './limits.js';

/** Where rows go. */
export interface ParquetFile {
  /** @param chars - Characters of its line: how much it weighs. */
  add(row: ItemRow, chars: number): void;
  end(): void;
}

type Element = Omit<SchemaElement, 'name'>;

const ELEMENTS: Readonly<Record<ColumnKind, Element>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  boolean: { type: 'BOOLEAN' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
};

/**
 * Begins a file; one of that name is replaced.
 *
 * @param createdBy - `name version` of what writes it.
 * @throws MannerlyError `export-failed` where hyparquet-writer is not installed; the platform's error when the file
 *   cannot be made.
 */
export async function createParquetFile(
  path: string,
  columns: readonly ItemColumn[],
  createdBy: string,
): Promise<ParquetFile> {
  const { ParquetWriter, fileWriter } = await loadWriter();
  const elements = columns.map(
    ({ name, kind }): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...ELEMENTS[kind] }),
  );
  const schema: SchemaElement[] = [{ name: 'root', num_children: columns.length }, ...elements];
  const writer = new ParquetWriter({ writer: fileWriter(path), schema, createdBy });
  let group = columns.map((): unknown[] => []);
  let rows = 0;
  let weight = 0;
  const flush = (): void => {
    if (rows === 0) return;
    const columnData = columns.map(({ name }, at): ColumnSource => ({ name, data: group[at] ?? [] }));
    // The file's writer is synchronous, and so is this.
    writer.write({ columnData, rowGroupSize: rows });
    group = columns.map(() => []);
    rows = 0;
    weight = 0;
  };
  return {
    add(row, chars) {
      for (const [at, value] of valuesOf(row, columns).entries())
        group[at]?.push(columns[at]?.kind === 'integer' && value !== null ? BigInt(value as number) : value);
      rows += 1;
      weight += chars;
      if (rows >= PARQUET_GROUP_ROWS || weight >= PARQUET_GROUP_CHARS) flush();
    },
    end() {
      flush();
      writer.finish();
    },
  };
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
