// Functions of the user's own around a fetch: asked before a page's request and after its exchange, told of what the site
// excludes. A hook may refuse, never permit: it is asked after scope, bounds and robots.txt have said yes, and whatever it
// does but answer nothing, in time, is a refusal. Nothing waits for it but its own host, which is asked nothing meanwhile.

import type { JsonValue, PageWork, Via } from '@mannerly/frontier';
import type { FetchOutcome, HeaderLines } from '../fetch/outcome.js';
import { MAX_WORD_CHARS } from '../limits.js';
import { onAbort } from '../on-abort.js';
import type { UrlDecision } from '../report/decision.js';

/** A hook's no. Made by {@link refuse}. */
export interface HookRefusal {
  readonly kind: 'refuse';
  readonly reason: string;
}

/** What a hook answers: nothing, and what was going to happen goes on; or a refusal. There is no third answer. */
export type HookAnswer =
  | HookRefusal
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that returns nothing is the usual one.
  | void;

/** A page's request that is about to be made. Robots.txt, scope and bounds have let it through. */
export interface PlannedFetch {
  readonly url: string;
  /** `handler`: `page.fetch` of a handler asks for it; `subresource`: a page in the browser does. */
  readonly purpose: 'page' | 'handler' | 'subresource';
  readonly depth: number;
  readonly via: Via;
  readonly from: string | null;
  readonly label: string | null;
  /** A copy of what was handed along: by a handler, or by the sitemap that listed it (`lastmod` and its like). */
  readonly userData: JsonValue | null;
  /** 1 for the first exchange of this URL, more after retries. */
  readonly attempt: number;
  readonly visit: number;
  /** Aborted when the hook's time is over, or the crawl is stopped at once. */
  readonly signal: AbortSignal;
}

/** A page's exchange that is over, before anything is made of it. */
export interface EndedFetch extends Omit<PlannedFetch, 'purpose'> {
  /** `null`: no response came. */
  readonly status: number | null;
  /** The word for why not; `null`: one came. */
  readonly failure: string | null;
  /** A copy; `[]` without a response. */
  readonly headers: HeaderLines;
  /** Decoded bytes of the body. */
  readonly maxBodyBytes: number;
}

/** Hooks of a crawl. */
export interface HookOptions {
  /**
   * Asked before each request for a page, tries and redirect targets included, before those that handlers make by themselves, and those of pages in a browser;
   * not before robots.txt and the files beside it. A refused URL is *dropped* as `hook-refused`, and costs no request and no page.
   */
  readonly beforeFetch?: (planned: PlannedFetch) => HookAnswer | Promise<HookAnswer>;
  /**
   * Asked after each exchange for a page, whatever came: before a redirect is followed, before a try is made again, before a handler
   * sees the page. A refused URL is *dropped* as `hook-refused`; it has cost its request, and a page where it was one.
   */
  readonly afterFetch?: (ended: EndedFetch) => HookAnswer | Promise<HookAnswer>;
  /** Told of every URL whose final word is *excluded*: by robots.txt, or by what the page asks. Nothing it does changes that. */
  readonly onExclusion?: (decision: UrlDecision) => unknown;
  /** Time for an answer, 1 to 60,000 ms; then it is a refusal. The host is asked nothing meanwhile, other hosts are. @default 5_000 */
  readonly timeoutMs?: number;
}

/** Hooks that were checked. */
export interface ResolvedHookOptions extends Omit<HookOptions, 'limitMs'> {
  readonly timeoutMs: number;
}

/**
 * A hook's no.
 *
 * @param reason - For people; it stands in the decision log, at most 500 characters of it.
 * @throws Never
 */
export function refuse(reason: string): HookRefusal {
  return Object.freeze({ kind: 'refuse', reason: String(reason).slice(0, MAX_WORD_CHARS) });
}

/** What is made of a hook's answer; `null`: it goes on. */
export type HookVerdict =
  | null
  | { readonly kind: 'refused'; readonly detail: string }
  /** The crawl was stopped at once: there is no answer any more. */
  | { readonly kind: 'stopped' };

/** The hooks of one run. Neither call rejects. */
export interface Hooks {
  beforeFetch(work: Pick<PageWork, 'url' | 'record'>, purpose?: PlannedFetch['purpose']): Promise<HookVerdict>;
  afterFetch(work: Pick<PageWork, 'url' | 'record'>, outcome: FetchOutcome): Promise<HookVerdict>;
}

/** What hooks are run with. */
export interface HookGround {
  readonly after: (ms: number, fn: () => void) => () => void;
  /** Aborted when the crawl stops at once. */
  readonly signal: AbortSignal;
  /** Told when a hook broke its contract: threw, took too long, or answered what is no answer. */
  readonly failed: (hook: string, url: string, error: unknown) => void;
}

/**
 * Makes the hooks of one run; `null` where nothing is asked, so that a crawl without them does nothing for them.
 *
 * Never throws.
 */
export function createHooks(options: ResolvedHookOptions | null, ground: HookGround): Hooks | null {
  if (options === null) return null;
  const { beforeFetch, afterFetch, timeoutMs } = options;
  if (beforeFetch === undefined && afterFetch === undefined) return null;
  return {
    async beforeFetch(work, purpose = 'page') {
      if (beforeFetch === undefined) return null;
      const ask = (signal: AbortSignal): unknown =>
        beforeFetch(Object.freeze({ ...known(work), purpose, signal }) as PlannedFetch);
      return asked('beforeFetch', work.url, ask, timeoutMs, ground);
    },
    async afterFetch(work, outcome) {
      if (afterFetch === undefined) return null;
      const ask = (signal: AbortSignal): unknown =>
        afterFetch(Object.freeze({ ...known(work), ...came(outcome), signal }) as EndedFetch);
      return asked('afterFetch', work.url, ask, timeoutMs, ground);
    },
  };
}

/**
 * Where `onExclusion` hears of final words; `[]` without one. Nothing waits for it, and what it answers is not looked at.
 *
 * Never throws.
 */
export function exclusionBook(
  options: ResolvedHookOptions | null,
  failed: HookGround['failed'],
): { decision(decision: UrlDecision): void }[] {
  const onExclusion = options?.onExclusion;
  if (onExclusion === undefined) return [];
  const tell = (decision: UrlDecision): void => {
    const broke = (error: unknown): void => failed('onExclusion', decision.url, error);
    try {
      // A copy: what a hook does to it reaches neither the log nor the report.
      const answer = onExclusion(structuredClone(decision));
      if (answer instanceof Promise) answer.catch(broke);
    } catch (error) {
      broke(error);
    }
  };
  return [{ decision: (decision) => (decision.status === 'excluded' ? tell(decision) : undefined) }];
}

/** What a hook is told of a URL, of its own, so that nothing it does to it reaches the crawl. */
function known({ url, record }: Pick<PageWork, 'url' | 'record'>): Omit<PlannedFetch, 'purpose' | 'signal'> {
  const { depth, via, from, label, tries, visit = 0 } = record;
  const userData = structuredClone(record.userData);
  return { url, depth, via, from, label, userData, attempt: tries + 1, visit };
}

function came(outcome: FetchOutcome): Pick<EndedFetch, 'status' | 'failure' | 'headers' | 'maxBodyBytes'> {
  if (outcome.kind === 'failed') return { status: null, failure: outcome.failure, headers: [], maxBodyBytes: 0 };
  const { status, headers, body, file } = outcome;
  const copies = headers.map(([name, value]) => [name, value] as const);
  return { status, failure: null, headers: copies, maxBodyBytes: file?.bytes ?? body.length };
}

/** Asks once. Only the answer `undefined`, in time, goes on. */
async function asked(
  hook: string,
  url: string,
  ask: (signal: AbortSignal) => unknown,
  limitMs: number,
  { after, signal, failed }: HookGround,
): Promise<HookVerdict> {
  if (signal.aborted) return { kind: 'stopped' };
  const controller = new AbortController();
  const broke = (detail: string, error: unknown): HookVerdict => {
    failed(hook, url, error);
    return { kind: 'refused', detail: `${hook} ${detail}` };
  };
  let cancel = (): void => undefined;
  let ignoreAbort = (): void => undefined;
  const over = new Promise<HookVerdict>((resolve) => {
    cancel = after(limitMs, () => {
      const detail = `did not answer within ${limitMs} ms`;
      resolve(broke(detail, new DOMException(`${hook} ${detail}`, 'TimeoutError')));
      controller.abort(new DOMException(detail, 'TimeoutError'));
    });
    ignoreAbort = onAbort(signal, () => {
      resolve({ kind: 'stopped' });
      controller.abort(signal.reason);
    });
  });
  const answered = (async (): Promise<HookVerdict> => {
    try {
      const answer = await ask(controller.signal);
      return answer === undefined ? null : refusalOf(answer, broke);
    } catch (error) {
      return controller.signal.aborted ? { kind: 'stopped' } : broke(`threw: ${textOf(error)}`, error);
    }
  })();
  try {
    return await Promise.race([answered, over]);
  } finally {
    cancel();
    ignoreAbort();
  }
}

function refusalOf(answer: unknown, broke: (detail: string, error: unknown) => HookVerdict): HookVerdict {
  if (typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'refuse') {
    return { kind: 'refused', detail: textOf('reason' in answer ? answer.reason : '') };
  }
  const detail = `answered ${textOf(answer)}, which is neither nothing nor refuse(reason)`;
  return broke(detail, new TypeError(detail));
}

/** A text of something that may well resist being one. */
function textOf(value: unknown): string {
  try {
    return String(value).slice(0, MAX_WORD_CHARS);
  } catch {
    // No prototype, or a `toString` of the user's own that throws.
    return typeof value;
  }
}
