// Any program on undici becomes polite by one line: requests that it dispatches are made by a polite fetch instead.

import type { Dispatcher } from 'undici';
import { createPoliteFetch, type PoliteFetchOptions } from './polite-fetch.js';
import { controllerOf, deliver, requestFields } from './undici-dispatch.js';

/** An interceptor for `dispatcher.compose`. */
export interface PoliteInterceptor extends Dispatcher.DispatcherComposeInterceptor {
  /** As `close` of a polite fetch. */
  close(): Promise<void>;
}

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
