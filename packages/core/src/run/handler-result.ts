// The result of a handler apart from items and links: its errors, the signals that it threw, what it left out, and what
// it makes of an answer that is not a page.

import { type PageWork, retryUrl } from '@mannerly/frontier';
import { exchangeOf, type ResponseOutcome } from '../fetch/outcome.js';
import type { Handled } from '../handle/handler-pool.js';
import type { HandlerSignal } from '../handle/signals.js';
import { applyLicense } from '../licensing/licenses.js';
import { itemsOf } from '../output/items.js';
import type { Run } from './run.js';
import { decided, failed, RETURNED, requestAgain, type WorkResult } from './work-result.js';

type FailedHandling = Exclude<Handled, { readonly kind: 'handled' | 'stopped' | 'signal' }>;

/** The failure reason for each way in which a handler fails. */
const HANDLING_FAILURES: Readonly<Record<FailedHandling['kind'], string>> = {
  threw: 'handler-error',
  'timed-out': 'handler-timeout',
  'user-data-invalid': 'user-data-invalid',
};

/** The handler threw, timed out or was not called. A handler that threw may be called once more, after a while. */
export function failedHandling(
  { journal, options }: Run,
  { url, record }: PageWork,
  { status: httpStatus, timing }: ResponseOutcome,
  handled: FailedHandling,
): WorkResult {
  logFailure(journal, url, handled);
  const { handler, failureWaitsMs } = options.retries;
  if (handled.kind === 'threw' && record.tries < handler)
    return requestAgain(timing.endedAtMs + (failureWaitsMs[Math.min(record.tries, failureWaitsMs.length - 1)] ?? 0));
  return failed({ reason: HANDLING_FAILURES[handled.kind], layer: 'hook', httpStatus, detail: handled.detail });
}

function logFailure(journal: Run['journal'], url: string, handled: FailedHandling): void {
  const isInvalidUserData = handled.kind === 'user-data-invalid';
  const detail = isInvalidUserData
    ? `the user data does not fit the schema of the route: ${handled.detail}`
    : handled.detail;
  const error = handled.kind === 'threw' ? handled.error : detail;
  journal.handlerError(url, error, handled.kind === 'timed-out' ? 'handler-timeout' : 'handler-error');
}

/** The handler threw `RetryPage`, `RefusePage` or `StopCrawl`. Nothing that it staged is kept. */
export function signalResult(run: Run, work: PageWork, outcome: ResponseOutcome, signal: HandlerSignal): WorkResult {
  const { status: httpStatus } = outcome;
  const { reason } = signal;
  run.journal.emit('handler-signal', { url: work.url, signal: signal.kind, reason });
  if (signal.kind === 'refuse') {
    const decision = { status: 'dropped', reason: 'handler-refused', layer: 'hook', httpStatus } as const;
    return decided({ ...decision, detail: reason, isPage: true });
  }
  if (signal.kind === 'stop') run.stop.requestFor(reason);
  // Retried as often as a failed answer, and counted with them, whatever the reasons.
  const failure = { ...exchangeOf(outcome), status: 500, retryAfter: null, failure: null };
  const retry = retryUrl(failure, work.record.tries, run.options.retries);
  if (retry.kind === 'again') {
    const afterMs = signal.kind === 'stop' ? 0 : signal.afterMs;
    return requestAgain(afterMs === null ? retry.notBeforeMs : outcome.timing.endedAtMs + afterMs);
  }
  const detail = `handler-${signal.kind}: ${reason}, ${work.record.tries + 1} times`;
  return failed({ reason: 'retries-exhausted', layer: 'hook', httpStatus, detail });
}

/**
 * The result of an answer that is not a page, such as a 404. Its URL has failed, whatever its handler makes of it.
 *
 * @param failure - Why the URL has failed.
 */
export async function answeredResult(
  run: Run,
  work: PageWork,
  outcome: ResponseOutcome,
  failure: Parameters<typeof failed>[0],
): Promise<WorkResult> {
  const result = failed(failure);
  if (!run.handlerPool.takesStatus(outcome.status)) return result;
  const page = await run.reader.read(work, outcome);
  applyLicense(page, await run.licenses.forPage(work, page, outcome.body));
  const handled = await run.handlerPool.handleStatus(page);
  if (handled.kind === 'stopped') return RETURNED;
  if (handled.kind === 'signal') return signalResult(run, work, outcome, handled.signal);
  if (handled.kind !== 'handled') {
    logFailure(run.journal, work.url, handled);
    return result;
  }
  const { staged } = handled;
  run.journal.staged(work, page, staged);
  const items = page.exclusion.storesItems ? itemsOf(work.lease.host, page, staged.data, staged.processed) : [];
  return decided(result.decision, staged.links, items);
}
