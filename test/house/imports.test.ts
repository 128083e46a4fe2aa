// Imports point one way. If this breaks, a package can no longer be used, read or replaced separately, and politeness
// gets a second implementation that no test checks.

import { describe, expect, it } from 'vitest';
import { importFaults, type Workspace } from './import-rules.js';
import { readModule } from './module-facts.js';
import { faultLines, readTypeScript } from './source-tree.js';
import { readWorkspace } from './workspace.js';

const SMALL_WORKSPACE: Workspace = {
  packages: [
    { name: '@mannerly/robots', folder: 'packages/robots', exports: ['.', './data-txt'], mayImport: [] },
    {
      name: '@mannerly/frontier',
      folder: 'packages/frontier',
      exports: ['.', './file'],
      mayImport: ['@mannerly/robots'],
    },
    {
      name: 'mannerly',
      folder: 'packages/core',
      exports: ['.'],
      mayImport: ['@mannerly/robots', '@mannerly/frontier', 'mannerly'],
    },
    {
      name: '@mannerly/test',
      folder: 'test',
      exports: [],
      mayImport: ['@mannerly/robots', '@mannerly/frontier', 'mannerly'],
    },
  ],
};

/** path, source, a word of the expected fault; `null`: no fault. */
const CASES: readonly (readonly [path: string, text: string, says: string | null])[] = [
  ['packages/robots/src/parse.ts', `import { readFileSync } from 'node:fs';`, 'robots imports nothing'],
  ['packages/robots/src/parse.ts', `import type { Element } from 'cheerio';`, 'robots imports nothing'],
  ['packages/robots/src/parse.ts', `import { decode } from './decode.js';`, null],
  ['packages/robots/src/parse.test.ts', `import { it } from 'vitest';`, null],
  ['packages/robots/src/parse.ts', `import { take } from '@mannerly/frontier';`, 'may not import @mannerly/frontier'],
  [
    'packages/robots/src/parse.test.ts',
    `import { take } from '@mannerly/frontier';`,
    'may not import @mannerly/frontier',
  ],
  ['packages/robots/src/access/retry.ts', 'export const at = () => Date.now();', 'uses Date.now'],
  ['packages/robots/src/access/retry.ts', 'export const at = () => new Date();', 'uses new Date()'],
  ['packages/robots/src/access/retry.ts', 'export const at = (text: string) => new Date(text).getTime();', null],
  ['packages/robots/src/access/retry.ts', 'setTimeout(() => undefined, 5);', 'uses setTimeout'],
  ['packages/robots/src/access/retry.ts', 'export const who = process.env;', 'uses process'],
  ['packages/robots/src/access/retry.ts', `export const text = 'process Date.now'; // setTimeout`, null],
  [
    'packages/robots/src/access/retry.ts',
    'export interface A { readonly fetch: number } export const b = (a: A) => a.fetch;',
    null,
  ],
  [
    'packages/frontier/src/flow/admission.ts',
    `import { createHash } from 'node:crypto';`,
    'node: appears in frontier only',
  ],
  ['packages/frontier/src/flow/seen.ts', `import { createHash } from 'node:crypto';`, null],
  ['packages/frontier/src/stores/lmdb.ts', `import { open } from 'node:fs/promises';`, null],
  ['packages/frontier/src/frontier.ts', `import { memoryStore } from './stores/memory.js';`, 'never an adapter'],
  ['packages/frontier/src/index.ts', `export { memoryStore } from './stores/memory.js';`, null],
  ['packages/frontier/src/conformance/model.ts', `import { memoryStore } from '../stores/memory.js';`, null],
  ['packages/frontier/src/conformance/model.ts', `import { lmdbStore } from '../stores/lmdb.js';`, 'never an adapter'],
  ['packages/frontier/src/frontier.ts', 'export const at = Date.now();', 'uses Date.now'],
  ['packages/frontier/src/clock.ts', 'export const at = Date.now();', null],
  ['packages/frontier/src/frontier.ts', `import { createCrawler } from 'mannerly';`, 'may not import mannerly'],
  ['packages/frontier/src/frontier.ts', `import { parseRobots } from '@mannerly/robots';`, null],
  ['packages/frontier/src/frontier.ts', `import { parse } from '@mannerly/robots/dist/parse.js';`, 'deep path'],
  ['packages/frontier/src/frontier.ts', `import { parse } from '../../robots/src/parse.js';`, 'leaves its package'],
  ['packages/frontier/src/frontier.ts', `export type Q = import('@mannerly/robots/src/parse.js').Q;`, 'deep path'],
  ['packages/frontier/src/flow/scheduler.ts', `import { X } from '../hosts/leased-host.js';`, null],
  ['packages/frontier/src/hosts/leased-host.ts', `import { X } from '../flow/scheduler.js';`, 'hosts looks up to flow'],
  [
    'packages/frontier/src/stores/memory.ts',
    `import { X } from '../url/url.js';`,
    'stores looks at url, in its own layer',
  ],
  ['packages/frontier/src/store.ts', `import { X } from './records/record.js';`, 'ground looks up to records'],
  ['packages/core/src/page/page.ts', `import type { X } from '../fetch/outcome.js';`, null],
  [
    'packages/core/src/page/page.ts',
    `import { X } from '../fetch/egress.js';`,
    'page looks at fetch, in its own layer',
  ],
  ['packages/core/src/handle/page-context.ts', `import { X } from '../page/html.js';`, null],
  [
    'packages/core/src/page/page.ts',
    `import { X } from '../handle/page-context.js';`,
    'page looks at handle, in its own layer',
  ],
  ['packages/core/src/fetch/egress.ts', `import type { X } from '../report/decision.js';`, null],
  ['packages/core/src/fetch/egress.ts', `import type { X } from '../report/reasons.js';`, 'fetch looks at report'],
  ['packages/core/src/report/crawl-report.ts', `import type { X } from '../admit/scope.js';`, null],
  ['packages/core/src/report/crawl-report.ts', `import { X } from '../admit/admit.js';`, 'report looks at admit'],
  ['packages/core/src/fetch/egress.ts', `import { X } from '../crawl/hooks.js';`, 'fetch looks up to crawl'],
  ['packages/core/src/fetch/egress.ts', `import { X } from '../crawler.js';`, 'fetch looks up to crawler.ts'],
  ['packages/core/src/fetch/egress.ts', `import { X } from '../directory/atomic-file.js';`, null],
  [
    'packages/core/src/directory/atomic-file.ts',
    `import { X } from '../fetch/egress.js';`,
    'directory looks up to fetch',
  ],
  ['packages/core/src/journal/journal.ts', `import { X } from '../crawl/hooks.js';`, 'journal looks up to crawl'],
  ['packages/core/src/crawl/hooks.ts', `import { X } from '../journal/journal.js';`, null],
  ['packages/core/src/crawl/hooks.ts', `import { X } from '../run/run.js';`, 'crawl looks up to run'],
  ['packages/core/src/errors.ts', `import { X } from './admit/scope.js';`, 'ground looks up to admit'],
  ['packages/core/src/cellar/wine.ts', `import { X } from '../errors.js';`, 'cellar is in no layer'],
  ['packages/core/src/run/run.ts', `import { X } from '../cellar/wine.js';`, 'cellar is in no layer'],
  ['packages/core/src/run/run.test.ts', `import { X } from '../crawler.js';`, null],
  ['packages/core/src/fetch/egress.ts', `import { X } from '../limits.js';`, null],
  ['packages/core/src/run/crawl-loop.ts', `import { X } from '../fetch/egress.js';`, null],
  ['packages/core/src/options/options.ts', `import { X } from '../index.js';`, 'its own index'],
  ['packages/core/src/crawler.ts', `import { createFakeWeb } from './testing/fake-web.js';`, 'nothing that is shipped'],
  ['packages/core/src/testing/index.ts', `import { createFakeWeb } from './fake-web.js';`, null],
  ['packages/core/src/crawler.ts', `import { X } from './cli/program.js';`, 'looks up'],
  ['packages/core/src/cli/main.ts', `import { X } from '../crawler.js';`, null],
  ['packages/core/src/cli/main.ts', `import { createCrawler } from 'mannerly';`, null],
  ['packages/core/src/dashboard/view.ts', `import { REASONS } from 'mannerly';`, null],
  ['packages/core/src/dashboard/view.ts', `import { X } from '../limits.js';`, null],
  ['packages/core/src/cli/main.ts', `import { lmdbStore } from '@mannerly/frontier/lmdb';`, 'store adapters'],
  ['packages/core/src/cli/program.ts', `import { lmdbStore } from '@mannerly/frontier/lmdb';`, 'store adapters'],
  [
    'packages/core/src/run/crawl-loop.ts',
    `import { createPlatformFetcher } from '../fetch/platform-fetcher.js';`,
    'fetcher adapters',
  ],
  ['packages/core/src/run/crawl-loop.ts', `import { memoryStore } from '@mannerly/frontier';`, 'store adapters'],
  ['packages/core/src/default-parts.ts', `import { memoryStore } from '@mannerly/frontier';`, null],
  ['packages/core/src/crawler.ts', `import { memoryStore } from '@mannerly/frontier';`, 'store adapters'],
  [
    'packages/core/src/run/crawl-loop.ts',
    `import { undiciFetcher } from '../fetch/undici-fetcher.js';`,
    'fetcher adapters',
  ],
  ['packages/core/src/crawler.test.ts', `import { y } from '../test-support/page-work.js';`, null],
  ['packages/core/src/crawler.ts', `import { y } from '../test-support/page-work.js';`, 'leaves its package'],
  ['test/crawl/x.test.ts', `import { y } from '../support/web.js';`, null],
  ['test/crawl/x.test.ts', `import { y } from '../../packages/core/src/crawler.js';`, 'leaves its package'],
];

describe('the import rules', () => {
  it.each(CASES)('%s with %s → %s', (path, text, says) => {
    const faults = faultLines(importFaults([readModule({ path, text })], SMALL_WORKSPACE));
    if (says === null) expect(faults).toEqual([]);
    else expect(faults.join('\n')).toContain(says);
  });

  it('finds a cycle, also between types, and reports it once', () => {
    const modules = [
      { path: 'packages/core/src/a.ts', text: `import type { B } from './b.js';` },
      { path: 'packages/core/src/b.ts', text: `export type B = import('./c.js').C;` },
      { path: 'packages/core/src/c.ts', text: `export { A } from './a.js';` },
      { path: 'packages/core/src/d.ts', text: `import './a.js';` },
    ].map(readModule);
    expect(faultLines(importFaults(modules, SMALL_WORKSPACE))).toEqual([
      'packages/core/src/a.ts: a cycle: packages/core/src/a.ts → packages/core/src/b.ts → packages/core/src/c.ts → packages/core/src/a.ts',
    ]);
  });
});

describe('this project', () => {
  it('follows its import rules', () => {
    const modules = readTypeScript().map(readModule);
    expect(modules.length).toBeGreaterThan(30);
    expect(faultLines(importFaults(modules, readWorkspace()))).toEqual([]);
  });
});
