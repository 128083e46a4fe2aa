// The option table: every option of `createCrawler`, and the sections in which the reference and the help show them.

import { bounds, identity, scope, traps, urls } from './crawl-rows.js';
import {
  archive,
  clock,
  datasets,
  decisionLog,
  discover,
  fetcher,
  handlerTimeoutMs,
  hooks,
  maxIdleMs,
  network,
  orderSeed,
  sinks,
  store,
} from './machine-rows.js';
import {
  canonical,
  indexInstead,
  links,
  pageLevel,
  politeness,
  preferences,
  purposes,
  robots,
  tdm,
} from './politeness-rows.js';
import { type Row, type Rows, row, text } from './row.js';

/** Every option of `createCrawler`. */
export const OPTIONS = {
  identity,
  scope,
  bounds,
  urls,
  traps,
  politeness,
  robots,
  network,
  discover,
  datasets,
  purposes,
  pageLevel,
  links,
  tdm,
  preferences,
  canonical,
  indexInstead,
  maxIdleMs,
  orderSeed,
  handlerTimeoutMs,
  archive,
  decisionLog,
  hooks,
  store,
  fetcher,
  sinks,
  clock,
};

/** Options that a configuration file has in addition, or with another value. */
const FILE_OPTIONS = {
  $schema: row(text('a path or URL'), 'Where the schema is, for editors.'),
  handlers: row(text('a path'), 'A module that exports `handlers`. Relative to the file.', {
    defaultText: 'every HTML page is an item, its links are followed',
  }),
  out: row(text('a path'), 'The crawl directory. Relative to the file.', {
    defaultText: 'that of the same crawl, else `crawls/<host>-<date>`',
  }),
  csv: row(text('a path'), 'A CSV file for items too. Relative to the file.'),
  store: row(
    text('redis://…, rediss://… or postgres://…', { pattern: '^(rediss?|postgres(ql)?)://' }),
    'The server that keeps the frontier.',
    { defaultText: 'in the crawl directory' },
  ),
};

const { clock: _, ...ofTheCrawl } = OPTIONS;

/** Everything that a configuration file may say. Flags may add what is required, so the file may lack it. */
export const CONFIG_OPTIONS: Rows = {
  ...ofTheCrawl,
  identity: checkedHere(identity),
  scope: checkedHere(scope),
  ...FILE_OPTIONS,
};

/** A group that a file may have in part, and whose values are checked by their rows alone. */
function checkedHere(group: Row): Row {
  if (group.shape.kind !== 'group') return group;
  const rows = Object.entries(group.shape.rows).map(
    ([name, each]) => [name, { ...each, isRequired: false, isCheckedByOwner: false }] as const,
  );
  return { ...group, shape: { ...group.shape, rows: Object.fromEntries(rows) } };
}

/** A section of the reference and of the help: the paths of its options, groups with all of theirs. */
export interface Section {
  readonly title: string;
  readonly rows: Rows;
}

/** The sections in their order. */
export const SECTIONS: readonly Section[] = [
  { title: 'Identity', rows: { identity } },
  { title: 'Scope', rows: { scope } },
  { title: 'Bounds', rows: { bounds } },
  { title: 'URLs and traps', rows: { urls, traps } },
  { title: 'Politeness', rows: { politeness } },
  { title: 'robots.txt', rows: { robots } },
  { title: 'Network', rows: { network } },
  { title: 'Discovery', rows: { discover, datasets } },
  { title: 'Pages and purposes', rows: { purposes, pageLevel, links, tdm, preferences, canonical, indexInstead } },
  { title: 'Runs, handlers and order', rows: { maxIdleMs, handlerTimeoutMs, orderSeed } },
  { title: 'Archive and logs', rows: { archive, decisionLog } },
  { title: 'Code', rows: { hooks, store, fetcher, sinks, clock } },
  { title: 'Configuration file', rows: FILE_OPTIONS },
];

/** A row with its path, such as `politeness.profile.minMs`. */
export interface PlacedRow {
  readonly path: string;
  readonly row: Row;
}

/** The rows of groups, each followed by those within it. @throws Never */
export function placedRows(rows: Rows, prefix = ''): readonly PlacedRow[] {
  return Object.entries(rows).flatMap(([name, each]) => {
    const path = `${prefix}${name}`;
    const shapes = each.shape.kind === 'either' ? each.shape.shapes : [each.shape];
    const inner = shapes.flatMap((shape) => (shape.kind === 'group' ? placedRows(shape.rows, `${path}.`) : []));
    return [{ path, row: each }, ...inner];
  });
}
