// User functions that are called before a page's request, after its exchange, and for each excluded URL. A hook may
// refuse, never permit: scope, bounds and robots.txt come first, and anything but a timely answer `undefined` is a
// refusal. Only the URL's own host waits for it.

import type { Clock, JsonValue, PageWork, Via } from '@mannerly/frontier';
import { formatValue, textOf } from '../errors.js';
import type { FetchOutcome, HeaderLines } from '../fetch/outcome.js';
import type { Journal } from '../journal/journal.js';
import { MAX_REASON_CHARS } from '../limits.js';
import { abortedByEither, unlessAborted } from '../on-abort.js';
import type { UrlDecision } from '../report/decision.js';

/** Made with {@link refuse}. */
interface HookRefusal {
  readonly kind: 'refuse';
  readonly reason: string;
}

/** The answer of a hook: nothing, which lets the URL pass, or a refusal. */
export type HookAnswer =
  | HookRefusal
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that returns nothing is the usual one.
  | void;

/** A page's request that is about to be sent. Robots.txt, scope and bounds have allowed it. */
export interface PlannedFetch {
  readonly url: string;
  /**
   * `handler`: a `page.fetch`; `subresource`: for a page in the browser; `requisite`: for a page in the archive;
   * `login`: the page or the form of `signIn`.
   */
  readonly purpose: 'page' | 'handler' | 'subresource' | 'requisite' | 'login';
  readonly depth: number;
  readonly via: Via;
  readonly from: string | null;
  readonly label: string | null;
  /** A copy of the data passed along by a handler, or by the sitemap that listed the URL (`lastmod` and the like). */
  readonly userData: JsonValue | null;
  /** 1 for the first exchange of this URL, more after retries. */
  readonly attempt: number;
  readonly visit: number;
  /** Aborted when the hook's time is up, or when the crawl is stopped at once. */
  readonly signal: AbortSignal;
}

/** A page's exchange that is over, before its outcome is processed. */
export interface EndedFetch extends Omit<PlannedFetch, 'purpose'> {
  /** `null`: no response was received. */
  readonly status: number | null;
  /** Why no response was received; `null`: there is one. */
  readonly failure: string | null;
  /** A copy; `[]` without a response. */
  readonly headers: HeaderLines;
  /** Decoded bytes of the body. */
  readonly bodyBytes: number;
}

/** Hooks of a crawl. */
export interface HookOptions {
  /**
   * Called before each request for a page, including retries, redirect targets, and requests of handlers and of pages
   * in a browser; not before robots.txt and its companion files. A refused URL is *dropped* as `hook-refused`, and
   * costs no request and no page.
   */
  readonly beforeFetch?: (planned: PlannedFetch) => HookAnswer | Promise<HookAnswer>;
  /**
   * Called after each exchange for a page, whatever its outcome, before a redirect, a retry or a handler. A refused URL
   * is *dropped* as `hook-refused`. It has cost its request, and a page if it was one.
   */
  readonly afterFetch?: (ended: EndedFetch) => HookAnswer | Promise<HookAnswer>;
  /** Called for every URL that is *excluded* by robots.txt or by signals of the page. The hook cannot change that. */
  readonly onExclusion?: (decision: UrlDecision) => unknown;
  /** Longest wait for an answer, 1 to 60,000 ms; then it is a refusal. Only the URL's host waits. @default 5_000 */
  readonly timeoutMs?: number;
}

export interface ResolvedHookOptions extends Omit<HookOptions, 'timeoutMs'> {
  readonly timeoutMs: number;
}

/** A refusal. @param reason - For people; at most 500 characters of it go to the decision log. */
export function refuse(reason: string): HookRefusal {
  return Object.freeze({ kind: 'refuse', reason: textOf(reason).slice(0, MAX_REASON_CHARS) });
}

/** The verdict of a hook; `null`: the URL passes. */
export type HookVerdict =
  | null
  | { readonly kind: 'refused'; readonly detail: string }
  /** The crawl was stopped at once, so there is no answer. */
  | { readonly kind: 'stopped' };

/** The hooks; `null`, also as the result of a call: the URL passes, or there is no such hook. */
export type Hooks = ReturnType<typeof createHooks>;

/** @param stop - Its signal is that of a stop at once. @param journal - Receives their errors */
export function createHooks(
  { beforeFetch, afterFetch, onExclusion, timeoutMs }: ResolvedHookOptions,
  clock: Pick<Clock, 'after'>,
  stop: { readonly signal: AbortSignal },
  journal: Pick<Journal, 'hookError'>,
) {
  /** Calls a hook once. Only the answer `undefined`, in time, lets the URL pass. */
  const verdictOf = async (hook: string, url: string, call: (signal: AbortSignal) => unknown): Promise<HookVerdict> => {
    if (stop.signal.aborted) return { kind: 'stopped' };
    const failed = (detail: string, error: unknown): HookVerdict => {
      journal.hookError(hook, url, error);
      return { kind: 'refused', detail: `${hook} ${detail}` };
    };
    const answered = async (signal: AbortSignal): Promise<unknown> => call(signal);
    const late = `did not answer within ${timeoutMs} ms`;
    const timeout = new AbortController();
    const cancel = clock.after(timeoutMs, () => timeout.abort(new DOMException(late, 'TimeoutError')));
    const { signal, release } = abortedByEither(stop.signal, timeout.signal);
    try {
      const answer = await unlessAborted(answered(signal), signal);
      if (!signal.aborted) return answer === undefined ? null : refusalOf(answer, failed);
    } catch (error) {
      if (!signal.aborted) return failed(`threw: ${shortText(error)}`, error);
    } finally {
      cancel();
      release();
    }
    if (stop.signal.aborted) return { kind: 'stopped' };
    return failed(late, new DOMException(`${hook} ${late}`, 'TimeoutError'));
  };
  return {
    beforeFetch(work: HookedWork, purpose: PlannedFetch['purpose'] = 'page'): Promise<HookVerdict> | null {
      if (beforeFetch === undefined) return null;
      return verdictOf('beforeFetch', work.url, (signal) =>
        beforeFetch(Object.freeze({ ...detailsOf(work), purpose, signal })),
      );
    },
    afterFetch(work: HookedWork, outcome: FetchOutcome): Promise<HookVerdict> | null {
      if (afterFetch === undefined) return null;
      return verdictOf('afterFetch', work.url, (signal) =>
        afterFetch(Object.freeze({ ...detailsOf(work), ...resultOf(outcome), signal })),
      );
    },
    /** Passes exclusions to `onExclusion`. Nothing waits for it, and its answer is ignored. */
    decision(decision: UrlDecision): void {
      if (onExclusion === undefined || decision.status !== 'excluded') return;
      const failed = (error: unknown): void => journal.hookError('onExclusion', decision.url, error);
      try {
        // A copy, so that a hook's changes reach neither the log nor the report.
        const answer = onExclusion(structuredClone(decision));
        if (answer instanceof Promise) answer.catch(failed);
      } catch (error) {
        failed(error);
      }
    },
  };
}

type HookedWork = Pick<PageWork, 'url' | 'record'>;

const shortText = (value: unknown): string => textOf(value).slice(0, MAX_REASON_CHARS);

/** What a hook sees of a URL: a copy, so that its changes do not reach the crawl. */
function detailsOf({ url, record }: HookedWork): Omit<PlannedFetch, 'purpose' | 'signal'> {
  const { depth, via, from, label, tries, visit = 0 } = record;
  const userData = structuredClone(record.userData);
  return { url, depth, via, from, label, userData, attempt: tries + 1, visit };
}

function resultOf(outcome: FetchOutcome): Pick<EndedFetch, 'status' | 'failure' | 'headers' | 'bodyBytes'> {
  if (outcome.kind === 'failed') return { status: null, failure: outcome.failure, headers: [], bodyBytes: 0 };
  const { status, headers, body, file } = outcome;
  const copies = headers.map(([name, value]) => [name, value] as const);
  return { status, failure: null, headers: copies, bodyBytes: file?.bytes ?? body.length };
}

function refusalOf(answer: unknown, failed: (detail: string, error: unknown) => HookVerdict): HookVerdict {
  if (typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'refuse') {
    return { kind: 'refused', detail: shortText('reason' in answer ? answer.reason : '') };
  }
  const detail = `answered ${shortText(formatValue(answer))}, which is neither nothing nor refuse(reason)`;
  return failed(detail, new TypeError(detail));
}
