// Makes any program on undici polite with one line: a polite fetch makes the requests that it dispatches.

import { type ParsedUrlQueryInput, stringify } from 'node:querystring';
import type { Dispatcher } from 'undici';
import { invalidOption } from '../errors.js';
import { createPoliteFetch, type PoliteFetchOptions } from './polite-fetch.js';
import { dispatchTo } from './undici-dispatch.js';

/** An interceptor for `dispatcher.compose`. */
export interface PoliteInterceptor extends Dispatcher.DispatcherComposeInterceptor {
  /** As `close` of a polite fetch. */
  close(): Promise<void>;
}

/**
 * Makes an interceptor whose requests are made by a polite fetch: GET and HEAD only, and no redirect is followed, since
 * a program that follows one dispatches again. The underlying dispatcher is not used: addresses are judged and
 * connected to here.
 *
 * @example
 * ```ts
 * setGlobalDispatcher(new Agent().compose(polite({ identity })));
 * ```
 * @throws As `createPoliteFetch`. A refused request fails with its PoliteFetchError.
 */
export function polite(options: PoliteFetchOptions): PoliteInterceptor {
  const fetch = createPoliteFetch(options);
  const dispatch = dispatchTo(async (request, headers, signal) => {
    const { method } = request;
    const response = await fetch(requestedUrl(request), { method, headers, redirect: 'manual', signal });
    const { status, statusText } = response;
    return { status, statusText, headers: [...response.headers], body: new Uint8Array(await response.arrayBuffer()) };
  });
  const intercept: Dispatcher.DispatcherComposeInterceptor = () => dispatch;
  return Object.assign(intercept, { close: () => fetch.close() });
}

/** With its `query`, which undici adds only below all interceptors. @throws MannerlyError `option-invalid` */
function requestedUrl({ origin, path, query }: Dispatcher.DispatchOptions): URL {
  if (origin === undefined) throw invalidOption('origin', 'the origin of the request', origin, MISSING_ORIGIN);
  const added = query === undefined || query === null ? '' : stringify(query as ParsedUrlQueryInput);
  if (added !== '' && /[?#]/.test(path)) throw invalidOption('path', 'without ? and # if `query` is given', path);
  const target = added === '' ? path : `${path}?${added}`;
  // Not resolved like a reference: a path that begins with `//` names no host.
  return new URL(target.startsWith('/') ? `${new URL(origin).origin}${target}` : target);
}

const MISSING_ORIGIN = 'The requests of a Client or a Pool do not name it: compose an Agent.';
