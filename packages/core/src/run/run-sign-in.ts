// The login of one run, put together: the form of its account, and what it is sent by.

import type { PageRequests } from '../crawl/page-requests.js';
import { SignIn } from '../crawl/sign-in.js';
import type { PageReader } from '../page/read-page.js';
import type { Wakeup } from '../wakeup.js';
import type { RunSetup } from './run-setup.js';

/** Makes the login of a run; `null`: it sends no form. */
export function createRunSignIn(
  { options, handlers, clock, stop }: Pick<RunSetup, 'options' | 'handlers' | 'clock' | 'stop'>,
  { pageRequests, reader, wakeup }: Readonly<{ pageRequests: PageRequests; reader: PageReader; wakeup: Wakeup }>,
): SignIn | null {
  const credential = options.signIn;
  const form = credential?.form ?? null;
  if (credential === null || form === null) return null;
  return new SignIn({
    credential,
    form,
    handler: handlers.login,
    requests: pageRequests,
    read: (work, outcome) => reader.read(work, outcome),
    handlerTimeoutMs: options.handlerTimeoutMs,
    clock,
    signal: stop.signal,
    ended: () => wakeup.wake(),
    stop: (reason) => stop.requestFor(reason),
  });
}
