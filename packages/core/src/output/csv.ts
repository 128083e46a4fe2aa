// Items as rows of a CSV file. The first row names the columns, `id` first. It is fixed when the file begins, since all
// rows have the same columns. Other fields of an item are JSON in the last column. Because a value may contain line
// breaks, row ends can be found only from the file's beginning: `open` reads all of it, some seconds for a million
// rows.

import { checkOptions } from '../call-options.js';
import { MannerlyError } from '../errors.js';
import { isObject } from '../parse-json.js';
import { appendSink, readEntries } from './append-sink.js';
import type { Item, Sink } from './sink.js';

/** Options of a CSV sink. */
interface CsvSinkOptions {
  /** The file; created if absent. Its directory has to exist. One sink at a time may write it. */
  readonly path: string;
  /**
   * Keys of what is emitted, one column each; `url`, `fetchedAt`, `expiresAt`, `preferences` and `license` are the
   * page's. Without `expiresAt` and `preferences`, the table lacks what sites require of those who keep it. A licence
   * without a column is in `more`.
   * @default `url`, `fetchedAt`, `expiresAt`, `preferences`, `license` if one of the first page's items has one, and
   * the keys of these items in their order
   */
  readonly columns?: readonly string[];
  /**
   * Whether text that a spreadsheet would take for a formula is prefixed with an apostrophe, also after a semicolon, a
   * tab or a line break within a text; numbers stay. This changes data. The command's `--csv` does it. @default false
   */
  readonly escapeFormulas?: boolean;
}

/** The column of fields without their own column. */
const REST_COLUMN = 'more';

/**
 * A sink that appends to a CSV file: UTF-8, commas, rows that end in a line feed (otherwise RFC 4180). It guarantees
 * the same as the JSONL sink. Texts and numbers are written unchanged, `null` and absent values as nothing, objects and
 * arrays as JSON. An item that is not an object goes to the column `more`, and so does an item's value whose name is
 * one of the page's own.
 * @throws MannerlyError `option-invalid`, `option-unknown`
 */
export function csvSink(options: CsvSinkOptions): Sink {
  checkOptions('csvSink', options, { path: 'string!', columns: 'list', escapeFormulas: 'boolean' });
  const { path, columns, escapeFormulas = false } = options;
  let header: readonly string[] = [];
  return appendSink('csv', path, {
    async read(file, addId) {
      let completeEnd = 0;
      await readEntries(file, 0, true, (row, end) => {
        if (completeEnd === 0) header = cellsOf(row);
        else addId(cellsOf(row, 1)[0] ?? '');
        completeEnd = end;
      });
      if (completeEnd > 0) checkColumns(path, header, columns);
      return completeEnd;
    },
    async encode(items, isFirst) {
      if (isFirst) header = ['id', ...(columns ?? defaultColumns(items)), REST_COLUMN];
      const rows = items.map((item) => rowOf(item, header));
      const lines = isFirst ? [[...header], ...rows] : rows;
      // Loaded on first use.
      const { stringify } = await import('csv-stringify/sync');
      return stringify(escapeFormulas ? lines.map((row) => row.map(withoutFormula)) : lines);
    },
  });
}

/** The first cells of a row whose characters are bytes. Never throws. */
function cellsOf(row: string, maxCells = Number.MAX_SAFE_INTEGER): string[] {
  const cells: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^,]*))(,|$)/gy;
  for (let found = pattern.exec(row); found !== null && cells.length < maxCells; found = pattern.exec(row)) {
    const [, quoted, plain = '', end] = found;
    cells.push(Buffer.from(quoted === undefined ? plain : quoted.replaceAll('""', '"'), 'latin1').toString('utf8'));
    if (end === '') break;
  }
  return cells;
}

/** A file with other columns belongs to another table. */
function checkColumns(path: string, header: readonly string[], columns: readonly string[] | undefined): void {
  const isOurs = header[0] === 'id' && header.at(-1) === REST_COLUMN;
  const isSame = columns === undefined || JSON.stringify(header.slice(1, -1)) === JSON.stringify(columns);
  if (isOurs && isSame) return;
  throw new MannerlyError('option-invalid', `${path} has other columns: ${header.join(', ')}`, {
    hint: isOurs
      ? 'Name the same `columns`, or another file.'
      : 'Name another file: this one was not written by this sink.',
  });
}

/** Our own keys, and those of the items, each once. */
function defaultColumns(items: readonly Item[]): string[] {
  const keys = items.flatMap(({ data }) => (isObject(data) ? Object.keys(data) : []));
  const license = items.some((item) => item.license !== undefined) ? ['license'] : [];
  const all = new Set(['url', 'fetchedAt', 'expiresAt', 'preferences', ...license, ...keys]);
  return [...all].filter((key) => key !== 'id' && key !== REST_COLUMN);
}

/** `null` for the time of a damaged line. */
function timeText(atMs: number): string | null {
  return Number.isNaN(atMs) ? null : new Date(atMs).toISOString();
}

function rowOf(item: Item, names: readonly string[]): string[] {
  const { id, url, fetchedAtMs, expiresAtMs, preferences, license, data } = item;
  const known: Readonly<Record<string, unknown>> = {
    __proto__: null,
    url,
    fetchedAt: timeText(fetchedAtMs),
    expiresAt: expiresAtMs === null ? null : timeText(expiresAtMs),
    preferences: Object.keys(preferences).length === 0 ? null : preferences,
    ...(license === undefined ? {} : { license }),
  };
  const named = names.slice(1, -1);
  // A site may name a field `constructor`.
  const emitted: Readonly<Record<string, unknown>> = { __proto__: null, ...(isObject(data) ? data : {}) };
  const row = named.map((name) => cell(name in known ? known[name] : emitted[name]));
  const terms = license === undefined || named.includes('license') ? {} : { license };
  if (!isObject(data)) return [id, ...row, JSON.stringify('license' in terms ? { data, ...terms } : data)];
  // Values without a column, and values with a name of ours that differ from ours.
  const rest = Object.fromEntries(
    Object.entries(data).filter(([key, value]) => !named.includes(key) || (key in known && value !== known[key])),
  );
  const extra = { ...('license' in terms && 'license' in rest ? { data: rest } : rest), ...terms };
  return [id, ...row, Object.keys(extra).length === 0 ? '' : JSON.stringify(extra)];
}

/** Text is written unchanged, since JSON would put it in quotes. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * `-1.5` is a number, `-1+2` a formula. Spreadsheets of many countries also begin a cell after a semicolon, which a
 * file with commas does not quote.
 */
function withoutFormula(text: string): string {
  if (Number.isFinite(Number(text))) return text;
  return text.replaceAll(/^(?=[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?=[=+\-@＝＋－＠])/g, "'");
}
