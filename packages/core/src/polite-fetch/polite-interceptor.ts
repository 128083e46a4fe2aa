// Any program on undici becomes polite by one line: requests that it dispatches are made by a polite fetch instead.

import type { Dispatcher } from 'undici';
import { createPoliteFetch, type PoliteFetchOptions } from './polite-fetch.js';

/** An interceptor for `dispatcher.compose`. */
export interface PoliteInterceptor extends Dispatcher.DispatcherComposeInterceptor {
  /** As `close` of a polite fetch. */
  close(): Promise<void>;
}

/** Bodies arrive decoded. */
const CODING = new Set(['content-encoding', 'content-length', 'transfer-encoding']);

/**
 * Makes an interceptor whose requests are those of a polite fetch: GET only, no redirect followed by itself, since the
 * program that follows one dispatches again. The dispatcher below is not used: addresses are judged and connected to
 * here.
 *
 * @example
 * ```ts
 * setGlobalDispatcher(new Agent().compose(polite({ identity })));
 * ```
 * @throws As `createPoliteFetch`. A request that is refused fails with its PoliteFetchError.
 */
export function polite(options: PoliteFetchOptions): PoliteInterceptor {
  const fetch = createPoliteFetch(options);
  const intercept: Dispatcher.DispatcherComposeInterceptor = () => (request, handler) => {
    const aborting = new AbortController();
    const controller = controllerOf(aborting);
    const perform = async (): Promise<void> => {
      handler.onRequestStart?.(controller, {});
      const url = new URL(request.path, request.origin);
      const { method, headers } = { method: request.method, headers: fieldsOf(request.headers) };
      const response = await fetch(url, { method, headers, redirect: 'manual', signal: aborting.signal });
      const body = Buffer.from(await response.arrayBuffer());
      const fields = [...response.headers].filter(([name]) => !CODING.has(name));
      handler.onResponseStart?.(controller, response.status, Object.fromEntries(fields), response.statusText);
      if (body.length > 0) handler.onResponseData?.(controller, body);
      handler.onResponseEnd?.(controller, {});
    };
    perform().catch((error: Error) => handler.onResponseError?.(controller, error));
    return true;
  };
  return Object.assign(intercept, { close: () => fetch.close() });
}

function controllerOf(aborting: AbortController): Dispatcher.DispatchController {
  return {
    get aborted() {
      return aborting.signal.aborted;
    },
    get reason() {
      return (aborting.signal.reason as Error | undefined) ?? null;
    },
    abort: (reason) => aborting.abort(reason),
    // The body is held already, and has its limit.
    paused: false,
    pause: () => undefined,
    resume: () => undefined,
  };
}

/** Fields as the platform has them: undici takes objects, pairs, and names and values in turn. */
function fieldsOf(given: Dispatcher.DispatchOptions['headers']): Headers {
  const headers = new Headers();
  if (given === null || given === undefined) return headers;
  const pairs: Iterable<readonly [unknown, unknown]> = Array.isArray(given)
    ? inPairs(given)
    : Symbol.iterator in given
      ? (given as Iterable<[string, string]>)
      : Object.entries(given);
  for (const [name, value] of pairs) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) headers.append(String(name), String(each));
  }
  return headers;
}

function inPairs(flat: readonly unknown[]): [unknown, unknown][] {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1]] as [unknown, unknown]] : []));
}
