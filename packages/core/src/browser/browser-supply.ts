// One browser at a time: started when the first page needs it, restarted within a bound after it has ended, and closed
// with the fetcher. A browser that the user passed in is used while it runs. Every wait for a browser is bounded.

import type { Browser } from 'playwright-core';
import { invalidOption, isError } from '../errors.js';
import { type BrowserSettings, isBrowser } from './browser-options.js';
import { BROWSER_ANSWER_MS, BROWSER_START_MS, MAX_BROWSER_TEXT } from './limits.js';
import { SEALED_FLAGS } from './seal.js';

type Supplied =
  | { readonly kind: 'browser'; readonly browser: Browser }
  | { readonly kind: 'none'; readonly detail: string };

/** The source of browsers for pages. Only `take` rejects, and only if `launch` resolves to something else. */
export type BrowserSupply = ReturnType<typeof createBrowserSupply>;

/** Makes the supply of one fetcher; nothing is started yet. @throws Never */
export function createBrowserSupply({ source, restarts }: Pick<BrowserSettings, 'source' | 'restarts'>) {
  /** The user's browser: it is neither closed nor restarted. */
  const own = source.kind === 'browser' ? source.browser : null;
  let starting: Promise<Supplied> | null = null;
  let current = own;
  let starts = 0;

  /** One that does not start counts as gone. */
  const start = async (): Promise<Supplied> => {
    if (source.kind === 'browser') return { kind: 'none', detail: 'the browser that was handed in is gone' };
    if (starts > restarts) return { kind: 'none', detail: `${starts} browsers are gone, and no other is started` };
    starts += 1;
    // A user's function may throw instead of rejecting.
    const launched = (async () => source.launch([...SEALED_FLAGS]))();
    let browser: Browser;
    try {
      browser = await within(launched, BROWSER_START_MS, `did not start within ${BROWSER_START_MS} ms`);
    } catch (error) {
      // One that starts late is closed.
      launched.then(end).catch(() => undefined);
      return starts > restarts ? { kind: 'none', detail: launchErrorText(error) } : start();
    }
    if (!isBrowser(browser)) {
      const hint = "Return playwright-core's `chromium.launch({ executablePath, args: flags })`.";
      throw invalidOption('browserFetcher.launch', 'a function that resolves to a Browser', browser, hint);
    }
    current = browser;
    return { kind: 'browser', browser };
  };

  return {
    /** Rejects with MannerlyError `option-invalid`. */
    async take(): Promise<Supplied> {
      if (current?.isConnected() === true) return { kind: 'browser', browser: current };
      starting ??= start().finally(() => {
        starting = null;
      });
      return starting;
    },
    /** Discards a browser that no longer answers: the next page gets another one. */
    async discard(browser: Browser): Promise<void> {
      if (browser === own) return;
      if (current === browser) current = null;
      await end(browser);
    },
    async close(): Promise<void> {
      await starting?.catch(() => undefined);
      if (current !== null && current !== own) await end(current);
      current = own;
      starts = 0;
    },
  };
}

/** A browser that does not close in time is abandoned: playwright kills its browsers when the process ends. */
async function end(browser: Browser): Promise<void> {
  await within(browser.close(), BROWSER_ANSWER_MS, 'it does not close').catch(() => undefined);
}

/** A browser did not answer in time. */
export class LateError extends Error {}

/** The result, if it comes in time. A later one is ignored. @throws LateError; what the promise rejects with. */
export function within<T>(promise: Promise<T>, ms: number, lateMessage: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new LateError(lateMessage)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** With the first line that the browser wrote: Playwright's first line only says that it has ended. */
function launchErrorText(error: unknown): string {
  const [, written] = /\[err\] (.*)/.exec(isError(error) ? error.message : '') ?? [];
  return written === undefined ? firstLineOf(error) : `${firstLineOf(error)}: ${written.slice(0, MAX_BROWSER_TEXT)}`;
}

/** The first line of an error's message. Never throws. */
export function firstLineOf(error: unknown): string {
  const text = isError(error) ? error.message : String(error);
  return (text.split('\n', 1)[0] ?? '').slice(0, MAX_BROWSER_TEXT);
}
