// Items that the operator's server cannot accept now are sent again: after growing waits, or after its Retry-After, and
// not for ever. In virtual time.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MAX_RETRY_MS } from './limits.js';
import { type Answer, readAnswer, sendWithRetries } from './send.js';

const answer = (status: number, fields: Record<string, string> = {}): Answer => ({
  status,
  headers: new Headers(fields),
  text: '',
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 0, 1) });
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Sends to a server that gives these answers in turn, and then repeats the last one. */
function sending(answers: readonly (Answer | Error)[], retries = 8, stop = new AbortController().signal) {
  const atMs: number[] = [];
  const startMs = Date.now();
  const send = async (): Promise<Answer> => {
    const next = answers[Math.min(atMs.length, answers.length - 1)] as Answer | Error;
    atMs.push(Date.now() - startMs);
    if (next instanceof Error) throw next;
    return next;
  };
  const ended = sendWithRetries('POST https://a.test', send, { timeoutMs: 1_000, retries }, stop).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
  return { atMs, ended };
}

const refused = Object.assign(new TypeError('fetch failed'), {
  cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
});

describe('sendUntilTaken', () => {
  it.each([
    ['taken at once', [answer(204)], [0], 204],
    ['refused for good', [answer(400)], [0], 400],
    ['a redirect', [answer(302, { location: 'https://b.test/' })], [0], 302],
    ['busy, then taken', [answer(503), answer(500), answer(200)], [0, 1_000, 3_000], 200],
    ['not there, then taken', [refused, answer(200)], [0, 1_000], 200],
    ['told to wait', [answer(429, { 'retry-after': '7' }), answer(200)], [0, 7_000], 200],
    [
      'asked to wait less than we do',
      [answer(503), answer(429, { 'retry-after': '0' }), answer(200)],
      [0, 1_000, 3_000],
      200,
    ],
    ['told a date', [answer(503, { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }), answer(200)], [0, 60_000], 200],
    ['never taken', [answer(503)], [0, 1_000, 3_000], 'POST https://a.test: status 503, 3 attempts'],
    ['never there', [refused], [0, 1_000, 3_000], 'POST https://a.test: ECONNREFUSED, 3 attempts'],
    [
      'asked to wait for an hour',
      [answer(503, { 'retry-after': '3600' })],
      [0],
      'POST https://a.test: status 503, 1 attempt',
    ],
  ])('%s', async (_name, answers, times, result) => {
    const { atMs, ended } = sending(answers, 2);
    await vi.advanceTimersByTimeAsync(MAX_RETRY_MS);
    expect(await ended).toBe(result);
    expect(atMs).toEqual(times);
  });

  it.each([
    [2, 0],
    [3, 1],
    [8, 1],
  ])('after %i failures the operator has been informed %i times', async (failures, notices) => {
    const { ended } = sending([...Array.from({ length: failures }, () => answer(503)), answer(200)]);
    await vi.advanceTimersByTimeAsync(MAX_RETRY_MS);
    expect(await ended).toBe(200);
    expect(process.emitWarning).toHaveBeenCalledTimes(notices);
  });

  it('makes one more attempt if the run is stopped, and leaves no timer', async () => {
    const stop = new AbortController();
    const { atMs, ended } = sending([answer(503)], 8, stop.signal);
    await vi.advanceTimersByTimeAsync(1_500);
    stop.abort();
    expect(await ended).toBe('POST https://a.test: status 503, 3 attempts');
    expect(atMs).toEqual([0, 1_000, 1_500]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('reads only the needed part of an answer, and cancels the rest', async () => {
  let cancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('ü'.repeat(1_000))),
    cancel: () => {
      cancelled = true;
    },
  });
  const { text } = await readAnswer(new Response(endless), 2_500);
  expect(text).toBe('ü'.repeat(2_500));
  expect(cancelled).toBe(true);
});
