// What came of a piece of work, once its exchange is over: read, excluded, handled and written, and said as a value. The
// loop then tells the frontier; nothing of the page itself is left by then.

import { type NewUrl, type PageWork, type RobotsWork, retryUrl, type Settlement } from '@mannerly/frontier';
import type { Refusal } from '../admit/admit.js';
import { exchangeOf } from '../fetch/exchange.js';
import { type FetchOutcome, isRefusedByGuard, type ResponseOutcome, releaseBody } from '../fetch/outcome.js';
import { toRobotsAnswer } from '../fetch/robots-request.js';
import type { Handled } from '../handle/handler-pool.js';
import type { HandlerSignal } from '../handle/words.js';
import { itemsOf } from '../output/items.js';
import { redirectTarget } from '../page/redirect.js';
import type { PageOutcome } from '../record/url-decisions.js';
import { archivedPage } from './archived-page.js';
import type { HookVerdict } from './hooks.js';
import type { Stages } from './stages.js';

/** Redirect targets go before a host's other pages: what led to them has been asked for already. */
const REDIRECT_PRIORITY = 1;

/** The end of a page: its word, the links that go in with it, and those that were refused at the door. */
export interface PageEnding {
  readonly kind: 'page';
  readonly work: PageWork;
  readonly word: PageOutcome & { readonly isPage: boolean };
  readonly links: readonly NewUrl[];
  readonly refused: readonly Refusal[];
}

/** An end of which only the frontier is told. */
export interface SilentEnding {
  readonly kind: 'settlement';
  readonly settlement: Settlement;
}

/** The end of a piece of work: a page's, or what the frontier alone is told. */
export type Ending = PageEnding | SilentEnding;

/** An end of which only the frontier is told. @throws Never */
export function settled(settlement: Settlement): SilentEnding {
  return { kind: 'settlement', settlement };
}

/**
 * The end of a page, its candidates through the door. Nearly all of them end there: what waits for the commit, and hangs on
 * promises as old as the request, is little.
 */
function ended(
  { admit, record }: Stages,
  work: PageWork,
  word: PageEnding['word'],
  candidates: readonly NewUrl[] = [],
): PageEnding {
  const { admitted, refused, known } = admit(candidates);
  record.admitted(admitted);
  record.admitted(known);
  return { kind: 'page', work, word, links: admitted, refused };
}

/** What robots.txt came to. */
export async function robotsEnding(stages: Stages, work: RobotsWork, outcome: FetchOutcome): Promise<Ending> {
  // Before its rules are used: a process that is killed now leaves a copy of what it went by.
  await stages.record.robots(work, outcome);
  await stages.archive?.keep(outcome);
  // Before the authority's pages are let go: they come after the files that list them.
  await stages.offer(stages.sitemaps.named(work.authority, outcome));
  const refused = outcome.kind === 'failed' && isRefusedByGuard(outcome) ? outcome.failure : null;
  return settled(
    refused === null ? { kind: 'robots', answer: toRobotsAnswer(outcome) } : { kind: 'refused', reason: refused },
  );
}

/** What a page's exchange came to: a retry, an end, a redirect, a companion file, or a page for the handlers. */
export async function pageEnding(stages: Stages, work: PageWork, outcome: FetchOutcome): Promise<Ending> {
  try {
    return await endingOf(stages, work, outcome);
  } finally {
    try {
      // What is no page for handlers; pages are in the archive by now.
      await stages.archive?.keep(outcome);
    } finally {
      if (outcome.kind === 'response') {
        releaseBody(outcome);
        await outcome.file?.remove();
      }
    }
  }
}

async function endingOf(stages: Stages, work: PageWork, outcome: FetchOutcome): Promise<Ending> {
  if (stages.hooks !== null && work.record.via !== 'companion' && !isPage(outcome)) {
    const said = await stages.hooks.afterFetch(work, outcome);
    if (said !== null) return refusedByHook(stages, work, said, outcome);
  }
  // What our own guard forbids was never asked of the host, so there is nothing to try again.
  const retry = isRefusedByGuard(outcome) ? null : retryUrl(exchangeOf(outcome), work.record.tries);
  if (retry?.kind === 'again') return settled({ kind: 'again', notBeforeMs: retry.notBeforeMs });
  const isCompanion = work.record.via === 'companion';
  if (retry?.kind === 'exhausted' && !isCompanion) {
    const said = outcome.kind === 'failed' ? { detail: outcome.detail } : { httpStatus: outcome.status, detail: '' };
    const detail = `${retry.last}${said.detail === '' ? '' : `: ${said.detail}`}, ${work.record.tries + 1} times`;
    return ended(stages, work, {
      status: 'failed',
      reason: 'retries-exhausted',
      layer: 'fetch',
      ...said,
      detail,
      isPage: true,
    });
  }
  if (outcome.kind === 'failed') {
    const { failure: reason, detail } = outcome;
    const status = retry === null ? 'dropped' : 'failed';
    return ended(stages, work, { status, reason, layer: 'fetch', detail, isPage: retry !== null && !isCompanion });
  }
  const { status: httpStatus } = outcome;
  const redirect = redirectTarget(outcome);
  if (redirect.kind === 'to') {
    if (!isCompanion) await stages.learned.redirected(work, redirect.url);
    const target = isCompanion ? await stages.companions.redirected(work, redirect.url) : redirected(work, redirect);
    const fetched = {
      status: 'fetched',
      reason: 'redirect',
      layer: 'fetch',
      httpStatus,
      detail: redirect.url,
      isPage: false,
    } as const;
    return ended(stages, work, fetched, target === null ? [] : [target]);
  }
  if (isCompanion) {
    const { links, word } = await stages.companions.read(work, outcome, stages.offer);
    return ended(stages, work, { ...word, httpStatus, isPage: false }, links);
  }
  if (redirect.kind === 'redirect-invalid') {
    const { kind: reason, detail } = redirect;
    return ended(stages, work, { status: 'failed', reason, layer: 'fetch', httpStatus, detail, isPage: true });
  }
  if (httpStatus < 200 || httpStatus > 299) {
    return ended(stages, work, {
      status: 'failed',
      reason: `status-${httpStatus}`,
      layer: 'fetch',
      httpStatus,
      isPage: true,
    });
  }
  return handledPage(stages, work, outcome);
}

const AS_IT_CAME = { kind: 'as-it-came' } as const;

/** Whether handlers may get to see it, once what it asks for has been read. */
function isPage(outcome: FetchOutcome): outcome is ResponseOutcome {
  return (
    outcome.kind === 'response' && outcome.status >= 200 && outcome.status <= 299 && outcome.truncated !== 'connection'
  );
}

/** A hook refused, before the request (`outcome` is `null`) or after: the URL's last word, whatever came. */
export function refusedByHook(
  stages: Stages,
  work: PageWork,
  said: NonNullable<HookVerdict>,
  outcome: FetchOutcome | null,
): Ending {
  if (said.kind === 'stopped') return settled({ kind: 'returned', untilMs: null });
  const answered = outcome?.kind === 'response' ? { httpStatus: outcome.status } : {};
  const isCounted = outcome?.kind === 'response' && redirectTarget(outcome).kind !== 'to';
  const dropped = {
    status: 'dropped',
    reason: 'hook-refused',
    layer: 'hook',
    ...answered,
    detail: said.detail,
  } as const;
  return ended(stages, work, { ...dropped, isPage: isCounted });
}

/** The target of a redirect as a candidate of its own: scope, bounds, robots, spacing and the address guard apply to every hop. */
function redirected(work: PageWork, redirect: { readonly url: string; readonly notBeforeMs: number | null }): NewUrl {
  const { depth, hops, label, userData, visit } = work.record;
  return {
    url: redirect.url,
    depth,
    priority: REDIRECT_PRIORITY,
    via: 'redirect',
    from: work.url,
    hops: hops + 1,
    ...(label === null ? {} : { label }),
    ...(userData === null ? {} : { userData }),
    ...(visit === undefined ? {} : { visit }),
    ...(redirect.notBeforeMs === null ? {} : { notBeforeMs: redirect.notBeforeMs }),
  };
}

/** A page that came: what it asks for, what a handler makes of it, its items out and its links back to the door. */
async function handledPage(stages: Stages, work: PageWork, outcome: ResponseOutcome): Promise<Ending> {
  const { status: httpStatus } = outcome;
  const came = await stages.reader.read(work, outcome);
  const said = stages.hooks === null ? null : await stages.hooks.afterFetch(work, outcome);
  // Before a browser asks for more on the page's account.
  const rendering = said === null ? await stages.renderings.render(work, outcome, came) : AS_IT_CAME;
  if (rendering.kind === 'stopped') return settled({ kind: 'returned', untilMs: null });
  const page = rendering.kind === 'rendered' ? await stages.reader.read(work, outcome, rendering) : came;
  await stages.learned.read(work, page);
  if (stages.archive !== null) {
    const isForBrowser = rendering.kind !== 'as-it-came';
    await stages.archive.keep(outcome, await archivedPage(stages, work, page, isForBrowser));
  }
  if (said !== null) return refusedByHook(stages, work, said, outcome);
  if (rendering.kind === 'failed') {
    const detail = `${rendering.failure}: ${rendering.detail}`;
    const failed = { status: 'failed', reason: 'render-failed', layer: 'page', httpStatus, detail } as const;
    return ended(stages, work, { ...failed, isPage: true });
  }
  const handled = await stages.handlers.handle(page);
  if (handled.kind === 'stopped') return settled({ kind: 'returned', untilMs: null });
  if (handled.kind === 'said') return signalEnding(stages, work, outcome, handled.word);
  if (handled.kind !== 'handled') {
    const reason = FAILED_HANDLING[handled.kind];
    stages.record.handlerFailed(work.url, handled.kind === 'threw' ? handled.error : handled.detail);
    return ended(stages, work, {
      status: 'failed',
      reason,
      layer: 'hook',
      httpStatus,
      detail: handled.detail,
      isPage: true,
    });
  }
  const { staged, route } = handled;
  const { exclusion } = page;
  const items = exclusion.storesItems ? itemsOf(work.lease.host, page, staged.data) : [];
  await stages.items.write(items);
  stages.record.items(items);
  // What asks not to be kept is not kept aside either.
  if (staged.rejectedCount > 0 && exclusion.storesItems) stages.record.rejected(staged.rejected, staged.rejectedCount);
  stages.record.leftAlone(work, staged.leftAlone);
  stages.record.nofollowTaken(
    work,
    staged.notes.map(({ url }) => url),
  );
  const word: PageOutcome = exclusion.storesItems
    ? { status: 'fetched', reason: route === null ? 'no-handler' : 'fetched', layer: 'page' }
    : { status: 'excluded', reason: exclusion.reason, layer: 'page', detail: exclusion.detail };
  return ended(stages, work, { ...word, httpStatus, isPage: true }, [...exclusion.links, ...staged.links]);
}

/** Why a page that its handler did not end well has failed. */
const FAILED_HANDLING: Readonly<Record<Exclude<Handled['kind'], 'handled' | 'stopped' | 'said'>, string>> = {
  threw: 'handler-error',
  'timed-out': 'handler-timeout',
  'user-data-invalid': 'user-data-invalid',
};

/** What a handler threw to say. Nothing that it staged is kept. */
function signalEnding(stages: Stages, work: PageWork, outcome: ResponseOutcome, said: HandlerSignal): Ending {
  const { status: httpStatus } = outcome;
  stages.record.handlerSaid(work.url, said);
  if (said.kind === 'refuse') {
    const refused = {
      status: 'dropped',
      reason: 'handler-refused',
      layer: 'hook',
      httpStatus,
      detail: said.reason,
    } as const;
    return ended(stages, work, { ...refused, isPage: true });
  }
  if (said.kind === 'stop') stages.stopFor(said.reason);
  const { endedAtMs } = outcome.timing;
  // Counted like an answer that asks for another try, and as often: whoever says it, the site is asked four times at most.
  const retry = retryUrl({ ...exchangeOf(outcome), status: 500, retryAfter: null, failure: null }, work.record.tries);
  if (retry.kind === 'again') {
    const afterMs = said.kind === 'stop' ? 0 : said.afterMs;
    return settled({ kind: 'again', notBeforeMs: afterMs === null ? retry.notBeforeMs : endedAtMs + afterMs });
  }
  const detail = `handler-${said.kind}: ${said.reason}, ${work.record.tries + 1} times`;
  return ended(stages, work, {
    status: 'failed',
    reason: 'retries-exhausted',
    layer: 'hook',
    httpStatus,
    detail,
    isPage: true,
  });
}
