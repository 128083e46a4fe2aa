// Adds up the results of .ci/run: its own steps, and the tests of each suite from vitest's JSON report. Prints the
// names of tests that failed or were not run, then exactly one line "N passed, N failed". A suite without a report has
// failed.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MAX_MESSAGE_CHARS = 2_000;
const [folder, ...suites] = process.argv.slice(2);
let passed = 0;
let failed = 0;

const steps = existsSync(join(folder, 'steps')) ? readFileSync(join(folder, 'steps'), 'utf8').trim().split('\n') : [];
for (const step of steps) {
  if (step === 'passed') passed += 1;
  else failed += 1;
}

for (const suite of suites) {
  const path = join(folder, `${suite}.json`);
  if (!existsSync(path)) {
    console.log(`failed: ${suite} wrote no report`);
    failed += 1;
    continue;
  }
  const report = JSON.parse(readFileSync(path, 'utf8'));
  for (const file of report.testResults) {
    // A file that fails to load has no failed tests.
    if (file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed')) {
      console.log(`failed: ${file.name}: ${file.message}`);
      failed += 1;
    }
    for (const test of file.assertionResults) {
      if (test.status === 'passed') passed += 1;
      else if (test.status === 'failed') {
        failed += 1;
        console.log(`failed: ${test.fullName}`);
        for (const message of test.failureMessages ?? []) console.log(message.slice(0, MAX_MESSAGE_CHARS));
      } else console.log(`not run: ${test.fullName}`);
    }
  }
}

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
