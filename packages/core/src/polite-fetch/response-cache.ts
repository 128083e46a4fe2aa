// Responses that a polite fetch keeps, by RFC 9111: undici's cache interceptor over one of its stores, as a private
// cache. Below it every request is made politely; above it a kept response costs neither a request nor a turn. An error
// of the store never makes a request fail.

import { isBuiltin } from 'node:module';
import { crawlPaths } from '../directory/crawl-paths.js';
import type { PageFetch } from '../page/page-fetch.js';
import { MAX_CACHE_BYTES, MAX_CACHED_BODY_BYTES, MAX_CACHED_RESPONSES } from './limits.js';
import { dispatchTo } from './undici-dispatch.js';

type Fields = Readonly<Record<string, string>>;

/** A GET request as it would be sent. */
interface CacheableRequest {
  readonly url: string;
  /** All fields that a response may vary by. */
  readonly headers: Fields;
  /** Whether a kept response may be returned without a request to the site. */
  readonly isAllowed: boolean;
}

/** Makes a request politely. Never rejects. */
type Send = (headers: Fields) => Promise<PageFetch>;

export interface ResponseCache {
  /** A kept response, or the result of the request. Never rejects. */
  fetch(request: CacheableRequest, send: Send): Promise<PageFetch>;
  close(): void;
}

/** In memory, or in `cache.sqlite` of a directory if Node.js has `node:sqlite`. @throws The platform's error. */
export async function openResponseCache(directory: string | null, nowMs: () => number): Promise<ResponseCache> {
  const { cacheStores, Dispatcher, interceptors } = await import('undici');
  const bounds = { maxCount: MAX_CACHED_RESPONSES, maxEntrySize: MAX_CACHED_BODY_BYTES };
  const sqliteStore =
    directory !== null && isBuiltin('node:sqlite')
      ? new cacheStores.SqliteCacheStore({ ...bounds, location: crawlPaths(directory).cachePath })
      : null;
  const store = sqliteStore ?? new cacheStores.MemoryCacheStore({ ...bounds, maxSize: MAX_CACHE_BYTES });
  const cache = interceptors.cache({ store, methods: ['GET'], type: 'private' });
  return {
    async fetch({ url, headers, isAllowed }, send) {
      const cacheControl = new Headers(headers).get('cache-control');
      // The interceptor would answer it without calling us.
      if (cacheControl?.includes('only-if-cached') === true) return send(headers);
      const made: { answer: PageFetch | null } = { answer: null };
      const dispatcher = new Dispatcher();
      dispatcher.dispatch = dispatchTo(async (_request, fields) => {
        if (!isAllowed) fields.delete('cache-control');
        if (!isAllowed && cacheControl !== null) fields.set('cache-control', cacheControl);
        const answer = await send(Object.fromEntries(fields));
        made.answer = answer;
        if (answer.kind !== 'response' || answer.truncated !== null) throw new Error('no response to keep');
        return answer;
      });
      const { origin, pathname, search } = new URL(url);
      const fields = isAllowed ? headers : { ...headers, 'cache-control': 'no-cache' };
      const startedAtMs = nowMs();
      try {
        const received = await dispatcher
          .compose(cache)
          .request({ origin, path: pathname + search, method: 'GET', headers: fields });
        const body = new Uint8Array(await received.body.arrayBuffer());
        const lines = Object.entries(received.headers).flatMap(([name, value]) =>
          [value ?? []].flat().map((each) => [name, each] as const),
        );
        return {
          kind: 'response',
          url,
          status: received.statusCode,
          statusText: received.statusText,
          headers: lines,
          body,
          truncated: null,
          encodedBytes: body.length,
          remoteAddress: null,
          timing: { startedAtMs, headersAtMs: nowMs(), endedAtMs: nowMs() },
        };
      } catch {
        // There is no response to keep, or the store cannot be read.
        return made.answer ?? send(headers);
      }
    },
    close: () => sqliteStore?.close(),
  };
}
