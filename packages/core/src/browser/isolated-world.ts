// Functions that run in a page in an isolated world: scripts of the page cannot change what they read.

import type { CDPSession } from 'playwright-core';

/** Runs a function in the main frame, isolated from its scripts. @throws The browser's error. @param argument - JSON */
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
