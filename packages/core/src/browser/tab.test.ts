// A misspelt option of a step must not be ignored: a wait for an element would take 30 seconds instead of one.

import type { CDPSession, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createTab } from './tab.js';

function tabForTest() {
  const requests = { hasEnded: () => false, untilQuiet: async () => undefined };
  const page = { waitForSelector: async () => null } as unknown as Page;
  return createTab(page, {} as CDPSession, requests, { steps: 9 }, performance.now() + 60_000).tab;
}

it('a step takes its options by their names', async () => {
  const tab = tabForTest();
  expect(await tab.waitFor('.price')).toBe('done');
  expect(await tab.waitFor('.price', { timeoutMs: 500 })).toBe('done');
  const wrong = [
    [tab.waitFor('.price', { timeout: 500 } as never), 'unknown option `waitFor.timeout`; known: timeoutMs'],
    [tab.waitFor('.price', 500 as never), 'expected `waitFor` to be an object of timeoutMs, got 500'],
    [tab.waitFor('.price', { timeoutMs: -1 }), 'expected `timeoutMs` to be a number from 0 to 600000, got -1'],
    [tab.screenshot({ path: 'a.png' } as never), 'unknown option `screenshot.path`; known: fullPage'],
    [tab.screenshot('a.png' as never), 'expected `screenshot` to be an object of fullPage, got "a.png"'],
  ] as const;
  for (const [step, message] of wrong) await expect(step).rejects.toThrow(message);
});
