// Functions that are run in a page, in a world of their own: its scripts cannot change what they find there.

import type { CDPSession } from 'playwright-core';

/** Runs a function in the main frame, apart from its scripts. @throws What the browser says. @param argument - JSON */
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
