// Rows of the options of sinks, which `mannerly/sinks` checks.

import { choice, code, groupRow, integer, list, row, text } from './row.js';

const isQueryable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'query' in value && typeof value.query === 'function';
const queries = code<{ query(sql: string, values?: readonly unknown[]): Promise<unknown> }>(
  'Pool or Client of pg',
  isQueryable,
);
const table = text('the name of a table', { max: 120 });

export const SQLITE_ROWS = {
  path: row(text('a path'), 'The file; created if absent.', { isRequired: true }),
  table: row(table, 'The table; created if absent.', { default: 'items' }),
};

/** Options of `postgresSink`; `pool` or `client` is required. */
export const POSTGRES_ROWS = {
  pool: row(queries, 'A pool of `pg`.'),
  client: row(queries, 'A connected client of `pg`.'),
  table: row(table, 'The table; created if absent.', { default: 'items' }),
};

/** Batches: a page is never split between two. */
const batch = (items: number) => ({
  items: row(integer(1, 10_000, 'items'), 'Number of items at which no further page is added.', { default: items }),
  waitMs: row(integer(0, 5_000, 'ms'), 'How long a page waits for more pages.', { default: 500 }),
});
/** Requests to the operator's server. */
const sending = (timeoutMs: number) => ({
  timeoutMs: row(integer(1, 600_000, 'ms'), 'Timeout of one attempt.', { default: timeoutMs }),
  retries: row(integer(0, 20, 'attempts'), 'Attempts after the first.', { default: 8 }),
});
export const WEBHOOK_ROWS = {
  url: row(text('an absolute http(s) URL'), 'Where items are posted.', { isRequired: true }),
  headers: row(
    code<Readonly<Record<string, string>>>('Record<string, string>', () => true),
    'More header fields.',
    { default: {}, isCheckedByOwner: true },
  ),
  batch: groupRow('Items of one request.', 'BatchOptions', batch(500)),
  ...sending(30_000),
};

const KEEPS = ['items', 'files', 'archive'] as const;
const isClient = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'fetch' in value && typeof value.fetch === 'function';
const client = code<{ fetch(url: string, init: RequestInit): Promise<Response> }>('AwsClient of aws4fetch', isClient);

export const S3_ROWS = {
  client: row(client, 'What signs and sends requests.', { isRequired: true }),
  bucket: row(text('the URL of a bucket'), 'The bucket.', { isRequired: true }),
  prefix: row(text('the beginning of keys', { pattern: '^[^/].*$', max: 500 }), 'What keys begin with.'),
  keeps: row(list(choice(...KEEPS), KEEPS.length), 'What goes into the bucket.', { default: KEEPS }),
  batch: groupRow('Items of one object.', 'BatchOptions', batch(1_000)),
  ...sending(120_000),
};
