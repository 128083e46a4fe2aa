// The interface between undici's interceptors and a polite fetch: header fields, and a controller for a response that
// is already in memory.

import type { Dispatcher } from 'undici';
import type { HeaderLines, ResponseOutcome } from '../fetch/outcome.js';

/** Bodies arrive decoded. */
const CODING = new Set(['content-encoding', 'content-length', 'transfer-encoding']);

/**
 * Passes a response to a handler. undici 8 (Node.js 26) reads the fields from the controller, undici 7 from its
 * argument.
 */
export function deliver(
  handler: Dispatcher.DispatchHandler,
  controller: Dispatcher.DispatchController,
  { status, headers, statusText }: Pick<ResponseOutcome, 'status' | 'headers' | 'statusText'>,
  body: Uint8Array,
): void {
  const fields = responseFields(headers);
  handler.onResponseStart?.(Object.assign(controller, { rawHeaders: fields }), status, fields, statusText);
  if (body.length > 0) handler.onResponseData?.(controller, Buffer.from(body));
  handler.onResponseEnd?.(controller, {});
}

/** Fields of a response, by name in lower case. @throws Never */
function responseFields(lines: HeaderLines): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = {};
  for (const [name, value] of lines) {
    const lower = name.toLowerCase();
    if (CODING.has(lower)) continue;
    const existing = fields[lower];
    fields[lower] = existing === undefined ? value : [existing, value].flat();
  }
  return fields;
}

/** Fields of a request in the platform's form: undici takes objects, pairs, and alternating names and values. */
export function requestFields(given: Dispatcher.DispatchOptions['headers']): Headers {
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

export function controllerOf(aborting: AbortController): Dispatcher.DispatchController {
  return {
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
}
