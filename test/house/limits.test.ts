// Every bound is a named constant with its unit and its source. If this breaks, a page, file or server can make a crawl
// grow without end, and the limit cannot be looked up.

import { describe, expect, it } from 'vitest';
import { boundNameFaults, limitFaults } from './limit-rules.js';
import { readModule } from './module-facts.js';
import { faultLines, readTypeScript } from './source-tree.js';

const USER = [{ path: 'a.ts', text: `import { MAX_HOPS } from './limits.js';` }];

const CASES: readonly (readonly [text: string, says: string | null])[] = [
  ['/** Redirects followed in a row (access §3). */\nexport const MAX_HOPS = 5;', null],
  ['export const MAX_HOPS = 5; // redirects in a row (access §3)', null],
  ['export const MAX_HOPS = 5;', 'no comment'],
  ['/** Redirects, least and most. */\nexport const MIN_HOPS = 0;\nexport const MAX_HOPS = MIN_HOPS + 5;', null],
  ['/** Redirects. */\n\nexport const MAX_HOPS = 5;', 'no comment'],
  ['/** Redirects followed in a row. */\nexport const MAX_HOPS = Infinity;', 'without a bound'],
  ['/** Redirects followed in a row. */\nexport const MAX_OTHER = 5;', 'nothing uses it'],
];

describe('the limit rules', () => {
  it.each(CASES)('%s → %s', (text, says) => {
    const file = { path: 'limits.ts', text };
    const faults = faultLines(limitFaults(file, readModule(file), USER));
    if (says === null) expect(faults).toEqual([]);
    else expect(faults.join('\n')).toContain(says);
  });
});

it.each([
  ['MAX_HOPS', true],
  ['MIN_LEASE_TTL_MS', true],
  ['DEFAULT_MAX_QUEUED', true],
  ['LEASES', true],
  ['HOPS_MOST', false],
  ['HOLD_MOST_MS', false],
  ['MOST_HOPS', false],
  ['WEIGHT_LEAST', false],
  ['LEAST_SLEEP_MS', false],
  ['JITTER_MAX', false],
  ['URL_MAX_CHARS', false],
])('the rule for names of bounds: %s → %s', (name, isGood) => {
  expect(boundNameFaults({ path: 'a.ts', text: `const ${name} = 5;` })).toHaveLength(isGood ? 0 : 1);
});

describe('this project', () => {
  const sources = readTypeScript();

  const folders = sources.filter((file) => /^packages\/\w+\/src\/(.*\/)?limits\.ts$/.test(file.path));

  it.each(['packages/robots', 'packages/frontier', 'packages/core'])('%s has limits', (folder) => {
    expect(folders.map(({ path }) => path)).toContain(`${folder}/src/limits.ts`);
  });

  it.each(folders.map(({ path }) => path))('names every bound in %s, and uses it', (path) => {
    const [limits] = folders.filter((file) => file.path === path);
    if (limits === undefined) return;
    const folder = path.slice(0, -'limits.ts'.length);
    const users = sources.filter(
      (file) => file.path.startsWith(folder) && file.path !== path && !file.path.endsWith('.test.ts'),
    );
    expect(faultLines(limitFaults(limits, readModule(limits), users))).toEqual([]);
  });

  it('names bounds MAX_… and MIN_… everywhere', () => {
    const files = sources.filter(({ path }) => /^packages\/\w+\/src\//.test(path));
    expect(faultLines(files.flatMap(boundNameFaults))).toEqual([]);
  });

  it('writes no limit as Infinity in an options file', () => {
    const options = sources.filter((file) => /\/options\.ts$/.test(file.path));
    expect(options.length).toBeGreaterThan(0);
    expect(
      options
        .filter((file) => /\bInfinity\b/.test(file.text.replace(/\/\/.*$|\/\*[\s\S]*?\*\//gm, '')))
        .map((file) => file.path),
    ).toEqual([]);
  });
});
