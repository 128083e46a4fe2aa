// The result of an answer that is no page, such as a 404: its URL has failed, whatever its handler makes of it.

import type { PageWork } from '@mannerly/frontier';
import type { ResponseOutcome } from '../fetch/outcome.js';
import { applyLicense } from '../licensing/apply-license.js';
import { itemsOf } from '../output/items.js';
import { signalResult, tellFailure, tellStaged } from './handler-result.js';
import type { Run } from './run.js';
import { admittedInSlices, failed, RETURNED, type WorkResult } from './work-result.js';

/** @param failure - Why the URL has failed. */
export async function answeredResult(
  run: Run,
  work: PageWork,
  outcome: ResponseOutcome,
  failure: Parameters<typeof failed>[2],
): Promise<WorkResult> {
  if (!run.handlers.takesStatus(outcome.status)) return failed(run, work, failure);
  const page = await run.reader.read(work, outcome);
  applyLicense(page, await run.licenses.ofPage(work, page, outcome.body));
  const handled = await run.handlers.handleStatus(page);
  if (handled.kind === 'stopped') return RETURNED;
  if (handled.kind === 'signal') return signalResult(run, work, outcome, handled.signal);
  const result = failed(run, work, failure);
  if (handled.kind !== 'handled') {
    tellFailure(run, work, handled);
    return result;
  }
  const { staged } = handled;
  tellStaged(run, work, page, staged);
  const items = page.exclusion.storesItems ? itemsOf(work.lease.host, page, staged.data, staged.kept) : [];
  return { ...result, items, ...(await admittedInSlices(run, staged.links)) };
}
