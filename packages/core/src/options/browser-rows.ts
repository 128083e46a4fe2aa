// The row of the command's browser: what flags and configuration files may set for pages that scripts make, and the
// part of it that `browserFetcher` also takes.

import { SUBRESOURCE_TYPES } from '../fetch/renderer.js';
import { MAX_BROWSER_FLAGS } from './limits.js';
import { choice, group, integer, list, patterns, type Row, type Rows, row, switchable, text } from './row.js';

/** Of `browserFetcher`, and of the command. */
export const PAGE_ROWS = {
  loads: row(
    list(choice(...SUBRESOURCE_TYPES)),
    'What pages may load. Each file costs its host a request and delays its page.',
    {
      // The types that change a page's content. Pictures, fonts and styles do not change its text.
      default: ['script', 'xhr', 'fetch'],
      defaultText: '`script`, `xhr`, `fetch`',
      flag: ['--browser-loads <type>', 'what pages may load (repeatable; default: script, xhr, fetch)'],
    },
  ),
  hosts: row(choice('scope', 'any'), '`any`: pages may also load from hosts outside the scope.', { default: 'scope' }),
  pages: row(integer(1, 16, 'pages'), 'Pages open at a time.', { default: 2 }),
  requests: row(integer(0, 1_000, 'requests'), 'Requests of one page.', { default: 50 }),
  pageMs: row(integer(1_000, 600_000, 'ms'), 'The time limit for a page and everything it loads.', { default: 60_000 }),
  quietMs: row(integer(0, 60_000, 'ms'), 'Time without requests after which a page is done.', { default: 500 }),
};

const ROWS = {
  for: row(patterns, 'Only pages whose URLs match one of these patterns, written as in robots.txt.', {
    defaultText: 'every HTML page',
    flag: ['--browser-for <pattern>', 'open only pages that match, as in robots.txt (implies --browser; repeatable)'],
  }),
  program: row(
    text('a path, or a name on the PATH', { path: 'with a slash' }),
    'The Chromium program. A path in a configuration file is relative to that file.',
    {
      defaultText: 'the one on the PATH, or the one that `npx playwright-core install chromium` has installed',
      flag: ['--browser-program <path>', 'the Chromium (default: the one on the PATH)'],
    },
  ),
  flags: row(
    list(text('a flag of Chromium', { pattern: '^--' }), MAX_BROWSER_FLAGS),
    'More flags for Chromium, besides those that keep it off the network: `--no-sandbox` in a container.',
    {
      defaultText: '`[]`',
      flag: ['--browser-flag <flag>', 'pass this flag to Chromium: --browser-flag=--no-sandbox (repeatable)'],
    },
  ),
  ...PAGE_ROWS,
};

export type BrowserOptions = Given<typeof ROWS>;

type Given<R extends Rows> = { readonly [K in keyof R]?: R[K] extends Row<infer V> ? V : never };

export const BROWSER_ROW = row(
  switchable(group('BrowserOptions', ROWS)),
  'Open HTML pages in your own Chromium ([pages in a browser](../browser.md)). For the command and its ' +
    'configuration; code uses `fetcher: browserFetcher(…)`. Needs playwright-core.',
  { default: false, flag: ['--browser', 'open HTML pages in your own Chromium (needs playwright-core)', { sets: {} }] },
);
