// What is predicted for two and four processes next to what was measured. Usage: node compare.mjs [--store
// redis|postgres] [--measured FILE]: rows of `pnpm bench scale --json`; without, it is run.

import { parseArgs } from 'node:util';
import { rows } from './rows.mjs';

const { values } = parseArgs({
  options: { store: { type: 'string', default: 'redis' }, measured: { type: 'string' } },
});
const { store, measured } = values;
for (const { row, value, referenceValue, digits } of await rows(store, measured === undefined ? {} : { measured })) {
  const ratio = (value / referenceValue).toFixed(2);
  console.log(
    `${row.padEnd(80)} ${value.toFixed(digits)} predicted, ${referenceValue.toFixed(digits)} measured, ${ratio} ×`,
  );
}
