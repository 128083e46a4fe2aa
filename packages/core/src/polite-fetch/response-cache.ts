// Responses that a polite fetch keeps, by RFC 9111: undici's cache interceptor over one of its stores, as a private
// cache. Below it every request is made politely; above it a kept response costs neither a request nor a turn. An error
// of the store never makes a request fail.

import { isBuiltin } from 'node:module';
import type { Dispatcher } from 'undici';
import { crawlPaths } from '../directory/crawl-paths.js';
import type { ResponseOutcome } from '../fetch/outcome.js';
import type { PageFetch } from '../page/page-fetch.js';
import { MAX_CACHE_BYTES, MAX_CACHED_BODY_BYTES, MAX_CACHED_RESPONSES } from './limits.js';
import { controllerOf, deliver, requestFields } from './undici-dispatch.js';

/** A GET request as it would be sent. */
interface CacheableRequest {
  readonly url: string;
  /** All fields that a response may vary by. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a kept response may be returned without a request to the site. */
  readonly isAllowed: boolean;
}

/** Makes a request politely. Never rejects. */
type Send = (headers: Readonly<Record<string, string>>) => Promise<PageFetch>;

export interface ResponseCache {
  /** A kept response, or the result of the request. Never rejects. */
  fetch(request: CacheableRequest, send: Send): Promise<PageFetch>;
  close(): void;
}

/** In memory, or in `cache.sqlite` of a directory if Node.js has `node:sqlite`. @throws The platform's error. */
export async function openResponseCache(directory: string | null, nowMs: () => number): Promise<ResponseCache> {
  const { cacheStores, interceptors } = await import('undici');
  const bounds = { maxCount: MAX_CACHED_RESPONSES, maxEntrySize: MAX_CACHED_BODY_BYTES };
  const sqliteStore =
    directory !== null && isBuiltin('node:sqlite')
      ? new cacheStores.SqliteCacheStore({ ...bounds, location: crawlPaths(directory).cachePath })
      : null;
  const store = sqliteStore ?? new cacheStores.MemoryCacheStore({ ...bounds, maxSize: MAX_CACHE_BYTES });
  const cached = interceptors.cache({ store, methods: ['GET'], type: 'private' });
  return {
    fetch: (request, send) => throughCache(cached, request, send, nowMs),
    close: () => sqliteStore?.close(),
  };
}

function throughCache(
  cached: Dispatcher.DispatcherComposeInterceptor,
  { url, headers, isAllowed }: CacheableRequest,
  send: Send,
  nowMs: () => number,
): Promise<PageFetch> {
  const cacheControl = new Headers(headers).get('cache-control');
  // The interceptor would answer it without calling us.
  if (cacheControl?.includes('only-if-cached') === true) return send(headers);
  return new Promise((resolve) => {
    let answer: PageFetch | null = null;
    const perform = async (fields: Headers, handler: Dispatcher.DispatchHandler): Promise<void> => {
      if (!isAllowed) fields.delete('cache-control');
      if (!isAllowed && cacheControl !== null) fields.set('cache-control', cacheControl);
      const controller = controllerOf(new AbortController());
      handler.onRequestStart?.(controller, {});
      answer = await send(Object.fromEntries(fields));
      if (answer.kind !== 'response' || answer.truncated !== null) throw new Error('no response to keep');
      deliver(handler, controller, answer, answer.body);
    };
    const dispatch = cached((options, handler) => {
      perform(requestFields(options.headers), handler).catch((error: Error) =>
        handler.onResponseError?.(controllerOf(new AbortController()), error),
      );
      return true;
    });
    const fallBack = (): void => void (answer === null ? send(headers) : Promise.resolve(answer)).then(resolve);
    const { origin, pathname, search } = new URL(url);
    const requestHeaders = isAllowed ? headers : { ...headers, 'cache-control': 'no-cache' };
    try {
      dispatch(
        { origin, path: pathname + search, method: 'GET', headers: requestHeaders },
        collector(url, nowMs, resolve, fallBack),
      );
    } catch {
      // A store that cannot be read.
      fallBack();
    }
  });
}

/** Collects a response, kept or new. */
function collector(
  url: string,
  nowMs: () => number,
  resolve: (outcome: ResponseOutcome) => void,
  failed: () => void,
): Dispatcher.DispatchHandler {
  const chunks: Uint8Array[] = [];
  let head: Pick<ResponseOutcome, 'status' | 'statusText' | 'headers'> = { status: 0, statusText: '', headers: [] };
  const startedAtMs = nowMs();
  return {
    onRequestStart: () => undefined,
    onResponseStart(_controller, status, headers, statusText = '') {
      const lines = Object.entries(headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((each): [string, string] => [name, each]),
      );
      head = { status, statusText, headers: lines };
    },
    onResponseData: (_controller, chunk) => void chunks.push(chunk),
    onResponseEnd() {
      const body = Buffer.concat(chunks);
      const timing = { startedAtMs, headersAtMs: nowMs(), endedAtMs: nowMs() };
      const encodedBytes = body.length;
      resolve({ kind: 'response', url, ...head, body, truncated: null, encodedBytes, remoteAddress: null, timing });
    },
    onResponseError: failed,
  };
}
