// Reads stored requests for a verifier: text in the form of HTTP/1.1, or HAR. Pure.

import type { SignedMessage } from '../signatures/signed-message.js';

/** A request and the time when it was sent, epoch milliseconds; `null` if the file does not say. */
export interface RecordedRequest {
  readonly request: SignedMessage;
  readonly atMs: number | null;
}

/** The requests of a text; `null` if it has neither form. Hosts are assumed to use https, where signatures are sent. */
export function readRequestTexts(text: string): readonly RecordedRequest[] | null {
  return text.trimStart().startsWith('{') ? parseHar(text) : parseHttp(text);
}

/** Several requests are separated by a blank line. */
function parseHttp(text: string): readonly RecordedRequest[] | null {
  const blocks = text.trim().split(/\r?\n\r?\n/);
  const read = blocks.map((block) => {
    const [first = '', ...lines] = block.split(/\r?\n/);
    const [, method, target = ''] = /^([A-Z]{1,20}) (\S+)(?: HTTP\/[\d.]+)?$/.exec(first) ?? [];
    const headers = lines.flatMap((line): [string, string][] => {
      const [, name, value = ''] = /^([\w-]+):[ \t]*(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value]];
    });
    const host = headers.find(([name]) => name.toLowerCase() === 'host')?.[1];
    if (method === undefined || (host === undefined && !/^https?:/.test(target))) return null;
    const url = /^https?:/.test(target) ? target : `https://${host}${target}`;
    return { request: { method, url, headers }, atMs: null };
  });
  return read.every((each) => each !== null) ? read : null;
}

function parseHar(text: string): readonly RecordedRequest[] | null {
  try {
    const { log } = JSON.parse(text) as { log?: { entries?: HarEntry[] } };
    return (log?.entries ?? []).map(({ startedDateTime, request: { method, url, headers } }) => ({
      request: {
        method: String(method),
        url: String(url),
        headers: headers.map(({ name, value }) => [String(name), String(value)] as const),
      },
      atMs: Date.parse(startedDateTime ?? '') || null,
    }));
  } catch {
    // Not JSON, or not of that shape.
    return null;
  }
}

/** From another program: any member may have the wrong type. */
interface HarEntry {
  readonly startedDateTime?: string;
  readonly request: {
    readonly method: unknown;
    readonly url: unknown;
    readonly headers: readonly { readonly name: unknown; readonly value: unknown }[];
  };
}
