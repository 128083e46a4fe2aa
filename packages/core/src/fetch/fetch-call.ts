// The calls of a user's fetcher: each has a bound, its answer is checked, and what comes after its end has no effect.

import { formatValue } from '../errors.js';
import { onAbort } from '../on-abort.js';
import { isObject } from '../parse-json.js';
import type { Fetcher, FetchLimits, FetchRequest } from './fetcher.js';
import { FETCHER_CLOSE_MS, FETCHER_EXTRA_MS, FETCHER_STOP_MS, MAX_TIME_ERROR_MS, RENDERER_STOP_MS } from './limits.js';
import type { FetchOutcome } from './outcome.js';
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
 * @throws What it rejects with, or that it was given up.
 */
export async function callFetcher(fetcher: Fetcher, request: FetchRequest): Promise<unknown> {
  const { limits, signal, mayStart, consumeBody, beforeDecoding } = request;
  const aborting = new AbortController();
  let hasEnded = false;
  let timer: NodeJS.Timeout | undefined;
  let reject = (_error: Error): void => undefined;
  const givenUp = new Promise<never>((_resolve, rejectCall) => {
    reject = rejectCall;
  });
  const giveUpIn = (ms: number, when: string): void => {
    timer = setTimeout(() => {
      const error = new Error(`\`fetch\` of the fetcher did not end ${when}`);
      reject(error);
      aborting.abort(error);
    }, ms);
  };
  const startTimer = (): void => {
    const ms = fetchCallMs(limits);
    // In two parts: if the whole process was suspended, an answer that is there by now still counts.
    timer = setTimeout(giveUpIn, ms - FETCHER_STOP_MS, FETCHER_STOP_MS, `within ${ms / 1_000} s`);
  };
  const onStop = (): void => {
    clearTimeout(timer);
    aborting.abort(signal.reason);
    giveUpIn(FETCHER_STOP_MS, `${FETCHER_STOP_MS / 1_000} s after its abort`);
  };
  /** A wait for the crawl is not the fetcher's time. A stop limits it too. */
  const withoutTimer = async (wait: () => Promise<void>): Promise<void> => {
    if (!signal.aborted) clearTimeout(timer);
    await wait();
    if (!signal.aborted && !hasEnded) startTimer();
  };
  const limited: FetchRequest = {
    ...request,
    signal: aborting.signal,
    mayStart: (localAddress) => !hasEnded && mayStart(localAddress),
    ...(consumeBody === undefined ? {} : { consumeBody: (head) => (hasEnded ? null : consumeBody(head)) }),
    ...(beforeDecoding === undefined ? {} : { beforeDecoding: () => withoutTimer(beforeDecoding) }),
  };
  const ignoreStop = onAbort(signal, onStop);
  if (signal.aborted) onStop();
  else startTimer();
  try {
    return await Promise.race([givenUp, (async () => fetcher.fetch(limited))()]);
  } finally {
    hasEnded = true;
    clearTimeout(timer);
    ignoreStop();
  }
}

/**
 * The answer of `fetch` as it is, if it is an outcome, as far as the crawl depends on it.
 *
 * The pauses of a host count from its times: those of another clock, such as `performance.now()`, would end them at
 * once. They may be in any order, since the clock may have been set.
 * @param calledAtMs - When the fetcher was called, and when it answered, epoch milliseconds.
 * @throws TypeError for an answer of another shape, RangeError for times outside the call.
 */
export function checkedOutcome(answer: unknown, calledAtMs: number, answeredAtMs: number): FetchOutcome | null {
  if (answer === null) return null;
  const fault = faultOf(answer, OUTCOMES);
  if (fault !== null) throw new TypeError(`\`fetch\` answered with neither a \`FetchOutcome\` nor \`null\`: ${fault}`);
  const outcome = answer as FetchOutcome;
  const { startedAtMs, endedAtMs } = outcome.timing;
  const firstMs = Math.min(calledAtMs, answeredAtMs) - MAX_TIME_ERROR_MS;
  const lastMs = Math.max(calledAtMs, answeredAtMs) + MAX_TIME_ERROR_MS;
  if ([startedAtMs, endedAtMs].every((ms) => ms >= firstMs && ms <= lastMs)) return outcome;
  throw new RangeError(
    `\`fetch\` answered with a \`timing\` from ${startedAtMs} to ${endedAtMs}, but ran from ${calledAtMs} to ` +
      `${answeredAtMs}: it takes epoch milliseconds, as from \`Date.now()\``,
  );
}

/** The fields of each kind of answer that the crawl depends on: a check, and what it expects. */
type Kinds = Readonly<Record<string, Readonly<Record<string, Field>>>>;
type Field = readonly [isValid: (value: unknown) => boolean, expected: string];

const TEXT: Field = [(value) => typeof value === 'string', 'text'];
const TIMING: Field = [
  (value) => isObject(value) && Number.isFinite(value['startedAtMs']) && Number.isFinite(value['endedAtMs']),
  '`startedAtMs` and `endedAtMs`, epoch milliseconds',
];
const OUTCOMES: Kinds = {
  response: {
    timing: TIMING,
    status: [Number.isInteger, 'a whole number'],
    headers: [Array.isArray, 'a list of names and values'],
    body: [ArrayBuffer.isView, 'the bytes of the body'],
    encodedBytes: [(value) => Number.isSafeInteger(value) && Number(value) >= 0, 'a whole number from 0'],
  },
  failed: { timing: TIMING, failure: TEXT, wasSent: [(value) => typeof value === 'boolean', 'true or false'] },
};
const RENDERINGS: Kinds = { rendered: { html: TEXT, url: TEXT }, failed: { failure: TEXT, detail: TEXT } };

/** What is wrong with an answer; `null`: nothing. */
function faultOf(answer: unknown, kinds: Kinds): string | null {
  if (!isObject(answer)) return `it is ${formatValue(answer)}`;
  const kind = String(answer['kind']);
  if (!Object.hasOwn(kinds, kind))
    return `\`kind\` is ${formatValue(answer['kind'])}, not one of ${Object.keys(kinds).join(', ')}`;
  const wrong = Object.entries(kinds[kind] ?? {}).find(([name, [isValid]]) => !isValid(answer[name]));
  if (wrong === undefined) return null;
  const [name, [, expected]] = wrong;
  return `\`${name}\` is ${formatValue(answer[name])}, not ${expected}`;
}

/** @param stopped - From then on it has less time. @throws What `close` rejects with, or that it was late. */
export async function closeFetcher(fetcher: Fetcher, stopped: AbortSignal): Promise<void> {
  await inTime('close', () => fetcher.close(), stopped, FETCHER_CLOSE_MS);
}

/** Ends soon after a stop at once. @throws What `render` rejects with, that it was late, or answered no rendering. */
export async function callRenderer(renderer: Renderer, request: RenderRequest): Promise<Rendering> {
  const answer: unknown = await inTime('render', () => renderer.render(request), request.signal, null);
  const fault = faultOf(answer, RENDERINGS);
  if (fault !== null) throw new TypeError(`\`render\` of the fetcher answered with no \`Rendering\`: ${fault}`);
  return answer as Rendering;
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
    if (stopped.aborted) giveUpIn(RENDERER_STOP_MS);
    else if (maxMs !== null) giveUpIn(maxMs);
    ignoreStop = onAbort(stopped, () => giveUpIn(RENDERER_STOP_MS));
  });
  try {
    return await Promise.race([timeout, (async () => call())()]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    ignoreStop();
  }
}
