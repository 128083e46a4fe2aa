// Makes any program on undici polite with one line: a polite fetch makes the requests that it dispatches.

import type { Dispatcher } from 'undici';
import { createPoliteFetch, type PoliteFetchOptions } from './polite-fetch.js';
import { controllerOf, deliver, requestFields } from './undici-dispatch.js';

/** An interceptor for `dispatcher.compose`. */
export interface PoliteInterceptor extends Dispatcher.DispatcherComposeInterceptor {
  /** As `close` of a polite fetch. */
  close(): Promise<void>;
}

/**
 * Makes an interceptor whose requests are made by a polite fetch: GET only, and no redirect is followed, since a
 * program that follows one dispatches again. The underlying dispatcher is not used: addresses are judged and connected
 * to here.
 *
 * @example
 * ```ts
 * setGlobalDispatcher(new Agent().compose(polite({ identity })));
 * ```
 * @throws As `createPoliteFetch`. A refused request fails with its PoliteFetchError.
 */
export function polite(options: PoliteFetchOptions): PoliteInterceptor {
  const fetch = createPoliteFetch(options);
  const intercept: Dispatcher.DispatcherComposeInterceptor = () => (request, handler) => {
    const aborting = new AbortController();
    const controller = controllerOf(aborting);
    const perform = async (): Promise<void> => {
      handler.onRequestStart?.(controller, {});
      const url = new URL(request.path, request.origin);
      const { method, headers } = { method: request.method, headers: requestFields(request.headers) };
      const response = await fetch(url, { method, headers, redirect: 'manual', signal: aborting.signal });
      const { status, statusText } = response;
      const body = new Uint8Array(await response.arrayBuffer());
      deliver(handler, controller, { status, headers: [...response.headers], statusText }, body);
    };
    perform().catch((error: Error) => handler.onResponseError?.(controller, error));
    return true;
  };
  return Object.assign(intercept, { close: () => fetch.close() });
}
