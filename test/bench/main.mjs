// All benchmarks of the project, or those that are named, in one table: each figure next to its reference from the same
// run. Usage: pnpm bench [start|crawl|robots|page|frontier|recrawl|scale|scale-simulation ...] [--store NAME] [--json].
// Nothing here asserts: machines are noisy, so people judge.

import { parseArgs } from 'node:util';

const BENCHMARKS = ['start', 'robots', 'page', 'frontier', 'crawl', 'recrawl', 'scale', 'scale-simulation'];
/** These take minutes and all cores, so they run only by name. */
const ONLY_NAMED = ['scale', 'scale-simulation'];
const WITH_STORE = ['frontier', 'scale', 'scale-simulation'];
const STORES = ['memory', 'lmdb', 'redis', 'postgres'];
const HELP = `usage: pnpm bench [${BENCHMARKS.join('|')} ...] [--store ${STORES.join('|')}] [--json]

Runs the benchmarks named, or all but ${ONLY_NAMED.join(', ')}, and prints one table. --store names the rows of one store, of ${WITH_STORE.join(', ')}; those on
a server are measured only when they are named. What each measures: test/bench/README.md.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    store: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const named = positionals.length > 0 ? positionals : BENCHMARKS.filter((name) => !ONLY_NAMED.includes(name));
const unknown = named.filter((name) => !BENCHMARKS.includes(name));
if (values.store !== undefined && !STORES.includes(values.store)) unknown.push(`--store ${values.store}`);
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`no such benchmark: ${unknown.join(', ')}`);
  console.log(HELP);
  process.exit(unknown.length > 0 ? 2 : 0);
}

const table = [];
for (const name of named) {
  console.error(`running ${name} …`);
  const { rows } = await import(`./${name}/rows.mjs`);
  table.push(...(await rows(WITH_STORE.includes(name) ? values.store : undefined)));
}
if (values.json) console.log(JSON.stringify(table, null, 2));
else console.log(tableText(table));

function tableText(rows) {
  const cells = rows.map(({ row, value, reference, referenceValue, goal, digits }) => [
    row,
    number(value, digits),
    referenceValue === null ? '' : `${number(referenceValue, digits)} (${reference})`,
    referenceValue === null || referenceValue === 0 ? '' : `${(value / referenceValue).toFixed(2)} ×`,
    goal ?? '',
  ]);
  const lines = [['figure', 'mannerly', 'reference', 'ratio', 'goal'], ...cells];
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function number(value, digits) {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
