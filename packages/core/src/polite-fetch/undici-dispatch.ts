// The interface between undici's interceptors and a polite fetch: a dispatch function whose responses are already in
// memory.

import type { Dispatcher } from 'undici';
import type { HeaderLines, ResponseOutcome } from '../fetch/outcome.js';

/** Makes a request. @throws (rejects) The error with which the dispatched request fails. */
type Respond = (
  request: Dispatcher.DispatchOptions,
  fields: Headers,
  signal: AbortSignal,
) => Promise<Pick<ResponseOutcome, 'status' | 'statusText' | 'headers' | 'body'>>;

/** Makes a dispatch function of one that responds. */
export function dispatchTo(respond: Respond): Dispatcher.Dispatch {
  return (request, handler) => {
    const aborting = new AbortController();
    const controller: Dispatcher.DispatchController = {
      get aborted() {
        return aborting.signal.aborted;
      },
      get reason() {
        return (aborting.signal.reason as Error | undefined) ?? null;
      },
      abort: (reason) => aborting.abort(reason),
      // The body is already in memory, and limited.
      paused: false,
      pause: () => undefined,
      resume: () => undefined,
    };
    const perform = async (): Promise<void> => {
      handler.onRequestStart?.(controller, {});
      const response = await respond(request, requestFields(request.headers), aborting.signal);
      const { status, statusText, body } = response;
      const fields = responseFields(response.headers);
      // undici 8 (Node.js 26) reads the fields from the controller, undici 7 from its argument.
      handler.onResponseStart?.(Object.assign(controller, { rawHeaders: fields }), status, fields, statusText);
      if (body.length > 0) handler.onResponseData?.(controller, Buffer.from(body));
      handler.onResponseEnd?.(controller, {});
    };
    perform().catch((error: Error) => handler.onResponseError?.(controller, error));
    return true;
  };
}

/** Bodies arrive decoded. */
const CODING = new Set(['content-encoding', 'content-length', 'transfer-encoding']);

/** Fields of a response, by name in lower case. @throws Never */
function responseFields(lines: HeaderLines): Record<string, string | string[]> {
  // A site may name a field `constructor`.
  const fields: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of lines) {
    const lower = name.toLowerCase();
    if (CODING.has(lower)) continue;
    const existing = fields[lower];
    fields[lower] = existing === undefined ? value : [existing, value].flat();
  }
  return fields;
}

/** Fields of a request in the platform's form: undici takes objects, pairs, and alternating names and values. */
function requestFields(given: Dispatcher.DispatchOptions['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of pairsOf(given ?? {})) {
    for (const each of [value].flat()) if (each !== undefined) headers.append(String(name), String(each));
  }
  return headers;
}

function pairsOf(given: object): Iterable<readonly unknown[]> {
  if (Array.isArray(given)) return given.flatMap((name, at) => (at % 2 === 0 ? [[name, given[at + 1]]] : []));
  return Symbol.iterator in given ? (given as Iterable<readonly unknown[]>) : Object.entries(given);
}
