// The steps that user code takes on a page before it is read: each counts, ends with the page's time, and waits until
// the page is quiet again. Requests that a step causes go through the page's requests like all others.

import type { CDPSession, ElementHandle, Page } from 'playwright-core';
import { checkOptions } from '../call-options.js';
import { invalidOption, isError } from '../errors.js';
import type { BrowserTab, StepResult } from '../fetch/renderer.js';
import type { BrowserSettings } from './browser-options.js';
import { CLICK_MS, MAX_PAGE_MS, MAX_SCREENSHOT_BYTES, MAX_SCREENSHOT_HEIGHT, WAIT_FOR_MS, WINDOW } from './limits.js';
import type { TabRequests } from './tab-requests.js';

/** `screenshot`: the last one, or `null`. @param untilMs - The page's deadline by `performance.now()`. @throws Never */
export function createTab(
  page: Page,
  session: CDPSession,
  requests: Pick<TabRequests, 'hasEnded' | 'untilQuiet'>,
  { steps }: Pick<BrowserSettings, 'steps'>,
  untilMs: number,
) {
  let stepCount = 0;
  let png: Buffer | null = null;
  const within = (ms: number): number => Math.max(1, Math.min(ms, Math.ceil(untilMs - performance.now())));

  /** @param timeoutResult - The result if the browser waited in vain. */
  const step = async (act: () => Promise<StepResult>, timeoutResult: StepResult): Promise<StepResult> => {
    if (requests.hasEnded()) return 'page-over';
    if (stepCount >= steps) return 'step-limit';
    stepCount += 1;
    try {
      const result = await act();
      if (result === 'done') await requests.untilQuiet();
      return requests.hasEnded() ? 'page-over' : result;
    } catch (error) {
      if (requests.hasEnded()) return 'page-over';
      if (isError(error) && error.name === 'TimeoutError') return timeoutResult;
      throw error;
    }
  };

  const tab: BrowserTab = {
    waitFor: (selector, options = {}) =>
      step(async () => {
        checkOptions('waitFor', options, { timeoutMs: 'number' });
        const { timeoutMs = WAIT_FOR_MS } = options;
        if (!(timeoutMs >= 0 && timeoutMs <= MAX_PAGE_MS))
          throw invalidOption('timeoutMs', `a number from 0 to ${MAX_PAGE_MS}`, timeoutMs);
        await page.waitForSelector(`css=${selector}`, { state: 'attached', timeout: within(timeoutMs) });
        return 'done';
      }, 'not-found'),
    scroll: () => step(async () => ((await runInPage(session, scrollDown, null)) ? 'done' : 'end'), 'end'),
    click: (selector) =>
      step(async () => {
        const element = await page.$(`css=${selector}`);
        if (element === null) return 'not-found';
        if (await submits(element)) return 'submits';
        await element.click({ timeout: within(CLICK_MS) });
        return 'done';
      }, 'not-clickable'),
    screenshot: (options = {}) =>
      step(async () => {
        checkOptions('screenshot', options, { fullPage: 'boolean' }, 'A file is written by `page.screenshot(name)`.');
        const image = await capture(session, options.fullPage === true);
        if (image.length > MAX_SCREENSHOT_BYTES) return 'too-large';
        png = image;
        return 'done';
      }, 'too-large'),
  };
  return { tab, screenshot: (): Buffer | null => png };
}

/**
 * Runs a function in the main frame, where the page's scripts cannot change what it reads.
 * @param argument - JSON.
 * @throws The browser's error.
 */
export async function runInPage<Argument, Result>(
  session: CDPSession,
  run: (argument: Argument) => Result,
  argument: Argument,
): Promise<Result> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'mannerly',
  });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: `(${run.toString()})(${JSON.stringify(argument)})`,
    contextId: executionContextId,
    returnByValue: true,
  });
  if (exceptionDetails === undefined) return result.value as Result;
  throw new Error(exceptionDetails.text);
}

async function capture(session: CDPSession, fullPage: boolean): Promise<Buffer> {
  const { cssVisualViewport, cssContentSize } = await session.send('Page.getLayoutMetrics');
  const height = fullPage ? Math.min(Math.ceil(cssContentSize.height), MAX_SCREENSHOT_HEIGHT) : WINDOW.height;
  const top = fullPage ? 0 : cssVisualViewport.pageY;
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'png',
    captureBeyondViewport: fullPage,
    clip: { x: 0, y: top, width: WINDOW.width, height: Math.max(1, height), scale: 1 },
  });
  return Buffer.from(data, 'base64');
}

/** The parts of a form control that are used here. */
interface FormControl {
  readonly form: unknown;
  readonly type: string;
}

/** The parts of an element that are used here. */
interface ClickedElement {
  closest(selector: string): (FormControl & { readonly control: FormControl | null }) | null;
}

/** Whether a click would submit a form. If other clicks make the page submit one, the seal prevents that. */
function submits(element: ElementHandle): Promise<boolean> {
  return element.evaluate((node) => {
    const clicked = node as unknown as ClickedElement;
    const control = clicked.closest('button, input') ?? clicked.closest('label')?.control ?? null;
    return control !== null && control.form !== null && /^(submit|image)$/.test(control.type);
  });
}

/** The parts of a window that are used here. */
interface ScrolledWindow {
  readonly scrollY: number;
  readonly innerHeight: number;
  scrollBy(how: { readonly top: number; readonly behavior: 'instant' }): void;
}

/** Runs in the browser. @returns Whether the page moved. */
function scrollDown(): boolean {
  const window = globalThis as unknown as ScrolledWindow;
  const before = window.scrollY;
  window.scrollBy({ top: window.innerHeight, behavior: 'instant' });
  return window.scrollY > before;
}
