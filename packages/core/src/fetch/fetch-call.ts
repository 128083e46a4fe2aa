// The calls of a user's fetcher: each has a bound, its answer is checked, and what comes after its end has no effect.

import { onAbort } from '../on-abort.js';
import { isObject } from '../parse-json.js';
import { checkedOutcome } from './checked-outcome.js';
import type { Fetcher, FetchLimits, FetchRequest } from './fetcher.js';
import { FETCHER_BROWSER_STOP_MS, FETCHER_CLOSE_MS, FETCHER_EXTRA_MS, FETCHER_STOP_MS } from './limits.js';
import type { Renderer, Rendering, RenderRequest } from './renderer.js';

/** The longest time that `fetch` may take, milliseconds. A fetcher that keeps to its limits ends earlier. */
export function fetchCallMs({ connectTimeoutMs, requestTimeoutMs }: FetchLimits): number {
  return connectTimeoutMs + requestTimeoutMs + FETCHER_EXTRA_MS;
}

/** A user's fetcher, which rejects instead of answering too late, or with anything that is no outcome. */
export function checkedFetcher(fetcher: Fetcher, nowMs: () => number): Fetcher {
  const { capabilities, renderer } = fetcher;
  return {
    capabilities,
    ...(renderer === undefined ? {} : { renderer }),
    async fetch(request) {
      const calledAtMs = nowMs();
      return checkedOutcome(await callFetcher(fetcher, request), calledAtMs, nowMs());
    },
    close: () => fetcher.close(),
  };
}

/**
 * What `fetch` answers. It is given up after `fetchCallMs`, and `FETCHER_STOP_MS` after a stop. From then on its signal
 * is aborted, and it may neither start its request nor pass on a body.
 *
 * @throws What it rejects with, or that it was given up.
 */
export function callFetcher(fetcher: Fetcher, request: FetchRequest): Promise<unknown> {
  return new FetchCall(request).answerOf(fetcher);
}

/**
 * Closes a fetcher.
 *
 * @param stopped - Aborted when nothing may wait any longer: then the fetcher has less time.
 * @throws What `close` rejects with, or that it did not end in time.
 */
export async function closeFetcher(fetcher: Fetcher, stopped: AbortSignal): Promise<void> {
  await inTime('close', () => fetcher.close(), stopped, FETCHER_CLOSE_MS);
}

/**
 * Opens a page. It may take long, since pages wait for others, but ends soon after a stop at once.
 *
 * @throws What `render` rejects with, or that it did not end in time, or what it answered if that is no rendering.
 */
export async function callRenderer(renderer: Renderer, request: RenderRequest): Promise<Rendering> {
  const answer: unknown = await inTime('render', () => renderer.render(request), request.signal, null);
  if (!isRendering(answer)) throw new TypeError('`render` of the fetcher answered with no `Rendering`');
  return answer;
}

function isRendering(answer: unknown): answer is Rendering {
  if (!isObject(answer)) return false;
  const { kind, html, url, failure, detail } = answer;
  if (kind === 'failed') return typeof failure === 'string' && typeof detail === 'string';
  return kind === 'rendered' && typeof html === 'string' && typeof url === 'string';
}

/** @param maxMs - The longest time; `null`: any, until a stop. @throws What it rejects with, or that it was late. */
async function inTime<T>(
  method: 'close' | 'render',
  call: () => Promise<T>,
  stopped: AbortSignal,
  maxMs: number | null,
): Promise<T> {
  const timers: NodeJS.Timeout[] = [];
  let ignoreStop = (): void => undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const giveUpIn = (ms: number): void => {
      const error = new Error(`\`${method}\` of the fetcher did not end within ${ms / 1_000} s`);
      timers.push(setTimeout(reject, ms, error));
    };
    if (stopped.aborted) giveUpIn(FETCHER_BROWSER_STOP_MS);
    else if (maxMs !== null) giveUpIn(maxMs);
    ignoreStop = onAbort(stopped, () => giveUpIn(FETCHER_BROWSER_STOP_MS));
  });
  try {
    return await Promise.race([timeout, (async () => call())()]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    ignoreStop();
  }
}

class FetchCall {
  readonly #request: FetchRequest;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  #reject = (_error: Error): void => undefined;

  constructor(request: FetchRequest) {
    this.#request = request;
  }

  async answerOf(fetcher: Fetcher): Promise<unknown> {
    const { signal } = this.#request;
    const ignoreStop = onAbort(signal, () => this.#stopped());
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.#reject = reject;
        if (signal.aborted) this.#stopped();
        else this.#startTimer();
        (async () => fetcher.fetch(this.#limitedRequest()))().then(resolve, reject);
      });
    } finally {
      this.#hasEnded = true;
      clearTimeout(this.#timer);
      ignoreStop();
    }
  }

  #limitedRequest(): FetchRequest {
    const { mayStart, consumeBody, beforeDecoding } = this.#request;
    return {
      ...this.#request,
      signal: this.#controller.signal,
      mayStart: (localAddress) => !this.#hasEnded && mayStart(localAddress),
      ...(consumeBody === undefined ? {} : { consumeBody: (head) => (this.#hasEnded ? null : consumeBody(head)) }),
      ...(beforeDecoding === undefined ? {} : { beforeDecoding: () => this.#withoutTimer(beforeDecoding) }),
    };
  }

  #startTimer(): void {
    const ms = fetchCallMs(this.#request.limits);
    // In two parts: if the whole process was suspended, an answer that is there by now still counts.
    this.#timer = setTimeout(() => this.#giveUpIn(FETCHER_STOP_MS, `within ${ms / 1_000} s`), ms - FETCHER_STOP_MS);
  }

  #stopped(): void {
    clearTimeout(this.#timer);
    this.#controller.abort(this.#request.signal.reason);
    this.#giveUpIn(FETCHER_STOP_MS, `${FETCHER_STOP_MS / 1_000} s after its abort`);
  }

  #giveUpIn(ms: number, when: string): void {
    this.#timer = setTimeout(() => {
      const error = new Error(`\`fetch\` of the fetcher did not end ${when}`);
      this.#reject(error);
      this.#controller.abort(error);
    }, ms);
  }

  /** A wait for the crawl is not the fetcher's time. A stop limits it too. */
  async #withoutTimer(wait: () => Promise<void>): Promise<void> {
    if (!this.#request.signal.aborted) clearTimeout(this.#timer);
    await wait();
    if (!this.#request.signal.aborted && !this.#hasEnded) this.#startTimer();
  }
}
