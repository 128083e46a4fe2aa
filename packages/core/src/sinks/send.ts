// Sends a request to the operator's server until it is accepted: a bounded number of attempts, each with a timeout,
// observing the server's Retry-After. It is not a request of the crawl: it goes to no site, so robots.txt and the
// address guard do not apply. The body, and header fields with secrets, appear in no message.

import { parseRetryAfter } from '@mannerly/robots/access';
import { isError } from '../errors.js';
import { onAbort } from '../on-abort.js';
import { ATTEMPTS_BEFORE_WARNING, FIRST_RETRY_MS, MAX_RETRY_MS } from './limits.js';

export interface SendLimits {
  /** Of one attempt, the answer's body included, milliseconds. */
  readonly timeoutMs: number;
  /** Attempts after the first. */
  readonly retries: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The first characters of the body, as many as were requested. */
  readonly text: string;
}

/**
 * Sends until it gets an answer that another attempt would not change. @param what - `POST https://example.org`.
 * @param stop - Ends the wait for the next attempt, and lets the last one end.
 * @throws Error naming the last answer, if no attempt is left or the server requires a wait of more than ten minutes.
 */
export async function sendWithRetries(
  what: string,
  send: (signal: AbortSignal) => Promise<Answer>,
  { timeoutMs, retries }: SendLimits,
  stop: AbortSignal,
): Promise<Answer> {
  for (let attempt = 0; ; attempt += 1) {
    const result = await send(AbortSignal.timeout(timeoutMs)).catch((error: unknown) => errorText(error, timeoutMs));
    if (typeof result !== 'string' && !isTransient(result.status)) return result;
    const problem = typeof result === 'string' ? result : `status ${result.status}`;
    const retryAfter = typeof result === 'string' ? null : result.headers.get('retry-after');
    const requestedMs = parseRetryAfter(retryAfter ?? '', Date.now()) ?? 0;
    if (attempt >= retries || requestedMs > MAX_RETRY_MS || stop.aborted) {
      throw new Error(`${what}: ${problem}, ${attempt + 1} ${attempt === 0 ? 'attempt' : 'attempts'}`);
    }
    if (attempt + 1 === ATTEMPTS_BEFORE_WARNING)
      process.emitWarning(
        `${what}: ${problem}, ${ATTEMPTS_BEFORE_WARNING} attempts: it is tried again`,
        'MannerlyWarning',
      );
    const waitMs = Math.max(requestedMs, Math.min(FIRST_RETRY_MS * 2 ** attempt, MAX_RETRY_MS));
    await wait(waitMs, stop);
  }
}

/** Resolves after this time, or when the stop comes. Never rejects. */
export function wait(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => end(), ms);
    const ignoreStop = onAbort(stop, () => end());
    const end = (): void => {
      clearTimeout(timer);
      ignoreStop();
      resolve();
    };
  });
}

/** Reads an answer; what is longer than `maxChars` is not read. */
export async function readAnswer(response: Response, maxChars: number): Promise<Answer> {
  const { status, headers, body } = response;
  let text = '';
  if (body !== null) {
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      // Leaving the loop cancels the body.
      if (text.length > maxChars) break;
    }
  }
  return { status, headers, text: text.slice(0, maxChars) };
}

/** Whether a server may answer otherwise soon. */
function isTransient(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** The code of a connection that failed; the platform's own message is "fetch failed". */
function errorText(error: unknown, timeoutMs: number): string {
  if (!isError(error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs} ms`;
  const { cause } = error;
  return isError(cause) && 'code' in cause ? String(cause.code) : error.message;
}
