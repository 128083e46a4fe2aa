// A web that closes with its test.

import { onTestFinished } from 'vitest';
import { startWeb, type Web, type WebOptions } from './web.js';

/** Starts a web and closes it when the running test has finished, whether it passed or failed. */
export async function webForTest(options: WebOptions): Promise<Web> {
  const web = await startWeb(options);
  onTestFinished(() => web.close());
  return web;
}
