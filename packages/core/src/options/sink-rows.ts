// Rows of the options of sinks: `mannerly/sinks` checks them, and so does a configuration file.

import { choice, code, groupRow, list, row, text, whole } from './row.js';

const isQueryable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'query' in value && typeof value.query === 'function';
const queries = code<{ query(sql: string, values?: readonly unknown[]): Promise<unknown> }>(
  'Pool or Client of pg',
  isQueryable,
);
const table = text('the name of a table', { most: 120 });

export const SQLITE_ROWS = { path: row(text('a path'), { isRequired: true }), table: row(table, { default: 'items' }) };

/** Of `postgresSink`: one of `pool` and `client`. */
export const POSTGRES_ROWS = { pool: row(queries), client: row(queries), table: row(table, { default: 'items' }) };

/** Batches: a page is never divided between two. */
const batch = (items: number) => ({
  items: row(whole(1, 10_000, 'items'), { default: items }),
  waitMs: row(whole(0, 5_000, 'ms'), { default: 500 }),
});
/** Requests to a server of the operator's. */
const sending = (timeoutMs: number) => ({
  timeoutMs: row(whole(1, 600_000, 'ms'), { default: timeoutMs }),
  retries: row(whole(0, 20, 'attempts'), { default: 8 }),
});
export const WEBHOOK_ROWS = {
  url: row(text('an absolute http(s) URL'), { isRequired: true }),
  headers: row(
    code<Readonly<Record<string, string>>>('Record<string, string>', () => true),
    { default: {}, isCheckedByOwner: true },
  ),
  batch: groupRow('BatchOptions', batch(500)),
  ...sending(30_000),
};

const KEEPS = ['items', 'files', 'archive'] as const;
const isClient = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'fetch' in value && typeof value.fetch === 'function';
const client = code<{ fetch(url: string, init: RequestInit): Promise<Response> }>('AwsClient of aws4fetch', isClient);

export const S3_ROWS = {
  client: row(client, { isRequired: true }),
  bucket: row(text('the URL of a bucket'), { isRequired: true }),
  prefix: row(text('the beginning of keys', { pattern: '^[^/].*$', most: 500 })),
  keeps: row(list(choice(...KEEPS), KEEPS.length), { default: KEEPS }),
  batch: groupRow('BatchOptions', batch(1_000)),
  ...sending(120_000),
};
