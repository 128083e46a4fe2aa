// An audit that shares code with what it judges would share its mistakes: these sources may use the robots package, but
// nothing of the frontier or of the report's politeness ledger.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const FOLDER = new URL('.', import.meta.url);
const ALLOWED: readonly RegExp[] = [
  /^node:/,
  /^@mannerly\/robots(\/(access|politeness))?$/,
  /^\.\/[\w-]+\.js$/,
  /^\.\.\/(concurrency|decision|read-logs|run-line|table)\.js$/,
  /^\.\.\/\.\.\/(call-options|errors|limits|parse-json|directory\/(read-lines|atomic-file))\.js$/,
];

it('the audit imports nothing that it judges', () => {
  const sources = readdirSync(FOLDER).filter((name) => /(?<!\.test)\.ts$/.test(name));
  expect(sources.length).toBeGreaterThan(5);
  const foreign = sources.flatMap((name) => {
    const text = readFileSync(new URL(name, FOLDER), 'utf8');
    const imported = [...text.matchAll(/\bfrom '([^']+)'/g)].map(([, specifier = '']) => specifier);
    expect(imported.length).toBe([...text.matchAll(/^(?:import|export) .*\bfrom |^\} from /gm)].length);
    return imported
      .filter((specifier) => !ALLOWED.some((allowed) => allowed.test(specifier)))
      .map((each) => `${name}: ${each}`);
  });
  expect(foreign).toEqual([]);
});
