// Rows as an Apache Parquet file, through hyparquet-writer, which the user installs. Memory is that of one row group.

import type { SchemaElement } from 'hyparquet-writer';
import { hasPlatformCode } from '../directory/whole-file.js';
import { MannerlyError } from '../errors.js';
import { type ColumnKind, type ItemColumn, type ItemRow, valuesOf } from './item-columns.js';
import { PARQUET_GROUP_CHARS, PARQUET_GROUP_ROWS } from './limits.js';

const ELEMENTS: Readonly<Record<ColumnKind, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  boolean: { type: 'BOOLEAN' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
};

/**
 * Writes a file; one of that name is replaced.
 *
 * @param rows - Rows, and the characters of their lines.
 * @param createdBy - `name version` of what writes it.
 * @returns The number of rows.
 * @throws MannerlyError `export-failed` where hyparquet-writer is not installed; the platform's error.
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
