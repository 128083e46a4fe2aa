// An answer of the crawl as the browser takes it: its status, its body and its fields, without those that speak of the
// connection, of codings that are undone, or that would have the browser remember or report something.

import type { ResponseOutcome } from 'mannerly';

/** What `route.fulfill` is told. */
export interface AnswerParts {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

const LEFT_OUT: ReadonlySet<string> = new Set([
  'alt-svc',
  'clear-site-data',
  'connection',
  'content-encoding',
  'content-length',
  'content-security-policy-report-only',
  'keep-alive',
  'link',
  'nel',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'set-cookie',
  'speculation-rules',
  'strict-transport-security',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Makes the parts of an answer. @throws Never */
export function fulfilled({ status, headers, body }: ResponseOutcome): AnswerParts {
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    // What a browser cannot be handed is left out as well.
    if (LEFT_OUT.has(key) || !/^[!#$%&'*+.^_`|~\w-]+$/.test(key) || !/^[\t\x20-\x7e]*$/.test(value)) continue;
    fields[key] = fields[key] === undefined ? value : `${fields[key]}, ${value}`;
  }
  // Playwright lets every origin read an answer that does not say who may. What the site did not say stays unsaid.
  fields['access-control-allow-origin'] ??= 'none';
  return { status, headers: { ...fields }, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
}
