// Functions of the platform with wrong results are not used. If this breaks, a page is lost or a robots.txt is not
// found in the second hour of a crawl, and never in a test.

import { describe, expect, it } from 'vitest';
import { MISLEADING, readModule } from './module-facts.js';
import { platformFaults, sampleFaults } from './platform-rules.js';
import { faultLines, listFiles, readFiles } from './source-tree.js';

describe('the rule on wrong platform functions', () => {
  it.each<[path: string, text: string, faults: number]>([
    ['packages/robots/src/page/signals.ts', 'export const is = (url: string) => URL.canParse(url);', 1],
    ['packages/core/src/a.ts', 'export const all = (urls: string[]) => urls.filter(URL.canParse);', 1],
    ['packages/core/src/a.ts', `export const is = (url: string) => URL['canParse'](url);`, 1],
    ['packages/core/src/a.ts', 'export const is = (url: string) => URL?.canParse?.(url) && URL.canParse(url, url);', 2],
    ['packages/core/scaffold/src/handlers.ts', 'if (URL.canParse(href)) go(href);', 1],
    ['packages/core/pages/page.mjs', 'if (URL.canParse(href)) go(href);', 1],
    ['examples/src/a.ts', 'if (URL.canParse(href)) go(href);', 1],
    ['test/support/a.ts', 'if (URL.canParse(href)) go(href);', 1],
    ['packages/core/src/a.test.ts', 'if (URL.canParse(href)) go(href);', 1],
    ['packages/core/src/hosts-beyond-ascii.test.ts', 'if (URL.canParse(href)) go(href);', 0],
    [
      'packages/core/src/parse-url.ts',
      '/** Not `URL.canParse(url)`. */\nexport const a = new URL(url); // canParse',
      0,
    ],
    ['packages/core/src/a.ts', `export const says = 'URL.canParse is not asked';`, 0],
  ])('%s with %s: %d faults', (path, text, faults) => {
    expect(platformFaults([readModule({ path, text })])).toHaveLength(faults);
  });

  it('recognises destructuring', () => {
    const [fault] = faultLines(
      platformFaults([readModule({ path: 'packages/a.ts', text: 'const { canParse } = URL;' })]),
    );
    expect(fault).toContain('packages/a.ts:1: canParse');
  });

  it.each<[text: string, faults: number]>([
    ['```ts\nif (URL.canParse(href)) go(href);\n```\n', 1],
    ['`URL.canParse` is not asked.\n\n```ts\nnew URL(href);\n```\n', 0],
    ['```ts\nnew URL(href);\n```\n\nNot `URL.canParse`.\n\n```ts\ngo();\n```\n', 0],
  ])('%j: %d faults', (text, faults) => {
    expect(sampleFaults([{ path: 'docs/a.md', text }])).toHaveLength(faults);
  });
});

describe('this project', () => {
  it('uses no wrong platform function', () => {
    const paths = listFiles().filter((path) => /^(packages|examples|test)\/.*\.(ts|mts|js|mjs)$/.test(path));
    const files = readFiles(paths.filter((path) => !/\.d\.ts$/.test(path)));
    expect(files.length).toBeGreaterThan(300);
    const modules = files.filter(({ text }) => [...MISLEADING].some((name) => text.includes(name))).map(readModule);
    expect(modules.flatMap(({ misleading }) => misleading).length).toBeGreaterThan(2); // The tests that show the fault.
    expect(faultLines(platformFaults(modules))).toEqual([]);
  });

  it('shows none in its documents', () => {
    const documents = readFiles(listFiles().filter((path) => /\.md$/.test(path)));
    expect(documents.length).toBeGreaterThan(30);
    expect(faultLines(sampleFaults(documents))).toEqual([]);
  });
});
