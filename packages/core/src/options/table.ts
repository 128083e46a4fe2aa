// The option table: every option of `createCrawler`, and the sections in which the reference and the help show them.

import { BROWSER_ROW } from './browser-rows.js';
import { CRAWL_ROWS } from './crawl-rows.js';
import { HOST_ROWS } from './host-options.js';
import { MACHINE_ROWS } from './machine-rows.js';
import { POLITENESS_ROWS } from './politeness-rows.js';
import { type Row, type Rows, row, type Shape, text } from './row.js';

export const OPTIONS = { ...CRAWL_ROWS, ...HOST_ROWS, ...POLITENESS_ROWS, ...MACHINE_ROWS };

const file = text('a path', { path: 'always' });

/** Options that a configuration file has in addition, or with another value. */
export const FILE_OPTIONS = {
  $schema: row(text('a path or URL'), 'The path or URL of the schema, for editors.'),
  handlers: row(file, 'A module that exports `handlers`. Relative to the configuration file.', {
    defaultText: 'every HTML page becomes an item, and its links are followed',
  }),
  out: row(file, 'The crawl directory. Relative to the configuration file.', {
    defaultText: 'that of the same crawl, else `crawls/<host>-<date>`',
  }),
  csv: row(file, 'Also write items to this CSV file. Relative to the configuration file.'),
  sqlite: row(file, 'Also write items to this SQLite file. Relative to the configuration file.'),
  postgres: row(
    text('postgres://user@host/database?table=items, env:NAME or file:PATH', { path: 'after file:' }),
    'Also write items to a [PostgreSQL table](../sinks.md#postgresql). Give a URL with a password as ' +
      '`env:NAME` or `file:PATH`.',
  ),
  webhook: row(
    text('an http(s) URL, env:NAME or file:PATH', { path: 'after file:' }),
    'Also [post](../sinks.md#webhooks) items to this URL.',
  ),
  s3: row(
    text('https://HOST/BUCKET/PREFIX'),
    'Also put items, saved files and archives into a [bucket](../sinks.md#object-stores). Its keys are in the ' +
      'environment.',
  ),
  store: row(
    text('redis://…, rediss://… or postgres://…', { pattern: '^(rediss?|postgres(ql)?)://' }),
    'The server that keeps the frontier.',
    { defaultText: 'in the crawl directory' },
  ),
};

/** Options of flags and configuration files that a program does not have. */
export const COMMAND_OPTIONS = { browser: BROWSER_ROW };

const { clock: _, ...crawlOptions } = OPTIONS;

/** All options of a configuration file. Flags may add required ones, so the file may lack them. */
export const CONFIG_OPTIONS: Rows = {
  ...crawlOptions,
  identity: withOwnChecks(OPTIONS.identity),
  scope: withOwnChecks(OPTIONS.scope),
  ...COMMAND_OPTIONS,
  ...FILE_OPTIONS,
};

/** A group that a file may contain in part, and whose values are checked by their rows alone. */
function withOwnChecks(group: Row): Row {
  if (group.shape.kind !== 'group') return group;
  const rows = Object.entries(group.shape.rows).map(
    ([name, each]) => [name, { ...each, isRequired: false, isCheckedByOwner: false }] as const,
  );
  return { ...group, shape: { ...group.shape, rows: Object.fromEntries(rows) } };
}

/** A section of the reference and of the help: the paths of its options; a group includes all of its options. */
export interface Section {
  readonly title: string;
  readonly rows: Rows;
}

/** The sections in their order. A test compares them with the options. */
export const SECTIONS: readonly Section[] = [
  section('Identity', 'identity'),
  section('Scope', 'scope'),
  section('Bounds', 'bounds'),
  section('Single hosts and labels', 'hosts', 'labels'),
  section('URLs and traps', 'urls', 'traps', 'nearDuplicates'),
  section('Politeness', 'politeness'),
  section('robots.txt', 'robots'),
  section('Network', 'network', 'signIn'),
  section('Discovery', 'discover', 'datasets'),
  section('Pages and purposes', 'purposes', 'pageLevel', 'links', 'tdm', 'preferences', 'canonical', 'indexInstead'),
  section('Licences', 'licensing'),
  section('Runs, handlers and order', 'retries', 'maxIdleMs', 'handlerTimeoutMs', 'orderSeed', 'recrawl'),
  section('Archive and logs', 'log', 'archive', 'decisionLog'),
  section('Code', 'hooks', 'store', 'fetcher', 'items', 'sinks', 'clock'),
  { title: 'Pages in a browser, by the command', rows: COMMAND_OPTIONS },
  { title: 'Configuration file', rows: FILE_OPTIONS },
];

function section(title: string, ...names: readonly (keyof typeof OPTIONS)[]): Section {
  return { title, rows: Object.fromEntries(names.map((name) => [name, OPTIONS[name]])) };
}

/** A row with its path, such as `politeness.profile.minMs`. */
export interface PlacedRow {
  readonly path: string;
  readonly row: Row;
}

/** The rows of groups, and of groups in lists, each followed by the rows within it. @throws Never */
export function placedRows(rows: Rows, prefix = ''): readonly PlacedRow[] {
  return Object.entries(rows).flatMap(([name, each]) => {
    const path = `${prefix}${name}`;
    const inner = alternatives(each.shape).flatMap((shape) => {
      if (shape.kind === 'group') return placedRows(shape.rows, `${path}.`);
      const entries = shape.kind === 'list' ? alternatives(shape.of) : [];
      return entries.flatMap((entry) => (entry.kind === 'group' ? placedRows(entry.rows, `${path}[].`) : []));
    });
    return [{ path, row: each }, ...inner];
  });
}

function alternatives(shape: Shape): readonly Shape[] {
  return shape.kind === 'either' ? shape.shapes : [shape];
}
