// The browser of the command. It reports what is missing before it opens or requests anything.

import { existsSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { systemClock } from '@mannerly/frontier';
import { parseUrlParts } from '@mannerly/frontier/internal';
import { readPatterns } from '../admit/url-pattern.js';
import { fetcherOf } from '../default-parts.js';
import type { Fetcher } from '../fetch/fetcher.js';
import { loadPeer } from '../optional-peer.js';
import type { BrowserOptions } from '../options/browser-rows.js';
import { UsageError } from './failure.js';

/** Names of the program, in search order. */
const PROGRAMS: readonly string[] = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome.exe',
];
const NO_SANDBOX = '--no-sandbox';

/**
 * Makes the fetcher of a command that opens pages in a browser. Nothing is started yet.
 * @param proxy - As `network.proxy`; `undefined` for none.
 * @throws UsageError if there is no Chromium, or none that can start; MannerlyError `peer-missing`, `option-invalid`.
 */
export async function commandBrowser(given: BrowserOptions, proxy: string | undefined): Promise<Fetcher> {
  const { for: patterns, program, flags = [], ...rest } = given;
  const { chromium } = await loadPeer<typeof import('playwright-core')>('playwright-core', '`--browser`');
  const executablePath =
    findProgram(program === undefined ? PROGRAMS : [program]) ?? installedChromium(chromium, program);
  if (executablePath === null) {
    const what = program === undefined ? 'there is no Chromium on the PATH' : `there is no program ${program}`;
    const hint =
      'Install one (Debian: apt-get install chromium; elsewhere: npx playwright-core install chromium), or name it: ' +
      '--browser-program <path>.';
    throw new UsageError(`--browser needs a Chromium, and ${what}`, hint);
  }
  const hasSandbox = !flags.includes(NO_SANDBOX);
  if (hasSandbox && process.getuid?.() === 0) {
    const hint = `Run as another user or, in a dedicated container, add --browser-flag=${NO_SANDBOX}.`;
    throw new UsageError('Chromium does not start as root with its sandbox', hint);
  }
  const { browserFetcher } = await import('../browser/browser-fetcher.js');
  const isRendered = readPatterns('browser.for', patterns);
  return browserFetcher({
    ...rest,
    ...(isRendered === null ? {} : { renders: ({ url }) => isRendered(parseUrlParts(url)!) }),
    fetcher: fetcherOf({ network: proxy === undefined ? {} : { proxy } }, systemClock()),
    launch: (sealed) =>
      chromium.launch({
        executablePath,
        // If a flag is given twice, the last one counts.
        args: [...flags, ...sealed],
        chromiumSandbox: hasSandbox,
        // Ctrl-C stops the crawl, which closes the browser.
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
      }),
  });
}

/** The first of these programs that exists; `null` if none does. @param searched - Folders, in the form of PATH. */
export function findProgram(names: readonly string[], searched: string = process.env['PATH'] ?? ''): string | null {
  const folders = searched.split(delimiter).filter((folder) => folder !== '');
  const paths = names.flatMap((name) => (name.includes(sep) ? [name] : folders.map((folder) => join(folder, name))));
  return paths.find((path) => existsSync(path)) ?? null;
}

/** The Chromium that playwright installed; `null` if another one is wanted, or if there is none. */
function installedChromium(chromium: { executablePath(): string }, program: string | undefined): string | null {
  const path = program === undefined ? chromium.executablePath() : '';
  return path !== '' && existsSync(path) ? path : null;
}
