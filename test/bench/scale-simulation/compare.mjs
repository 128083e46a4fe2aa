// Compares the predictions for two and four processes with measurements. Usage: node compare.mjs [--store
// redis|postgres] [--measured FILE]; FILE has rows of `pnpm bench scale --json`; without it, that benchmark runs.

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
