// Items as JSON in POST requests to a server of the operator's. A page counts as done when the server has taken its
// items; until then it is held, and a run that ends before requests it again later.

import { invalidOption } from '../errors.js';
import { fill } from '../options/check.js';
import { WEBHOOK_ROWS } from '../options/sink-rows.js';
import { batchedSink } from '../output/page-batches.js';
import type { Item, Sink } from '../output/sink.js';
import { parseUrl } from '../parse-url.js';
import { itemBodies } from './encoded-items.js';
import { MAX_ANSWER_CHARS } from './limits.js';
import { readAnswer, sendWithRetries } from './send.js';

/** Options of a webhook sink. */
interface WebhookSinkOptions {
  /** The URL that items are posted to, http or https. Its path and query may be secret: messages name its origin. */
  readonly url: string;
  /** More header fields, such as `Authorization`. They appear in no log and no message. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Items of one request, and the longest wait for them. */
  readonly batch?: {
    /** 1 to 10,000; a larger page is also one request, unless it is longer than 8 Mi characters. @default 500 */
    readonly items?: number;
    /** Milliseconds that a page waits for others, 0 to 5,000. @default 500 */
    readonly waitMs?: number;
  };
  /** Timeout of one attempt, 1 to 600,000 ms. @default 30,000 */
  readonly timeoutMs?: number;
  /** Attempts after the first, 0 to 20: after 1, 2, 4 … seconds, and as `Retry-After` says. @default 8 */
  readonly retries?: number;
}

/**
 * A sink that posts `{"items": […]}`, each item like a line of `items.jsonl`. `Idempotency-Key` is the same for each
 * attempt of the same items. After a crash, items of pages that were in flight are sent again in other batches: the
 * receiver has to accept each `id` once. Redirects are not followed.
 * @throws MannerlyError `option-invalid`, `option-unknown`
 */
export function webhookSink(options: WebhookSinkOptions): Sink {
  const { url, headers, batch, timeoutMs, retries } = fill('webhookSink.', WEBHOOK_ROWS, options);
  const parsed = parseUrl(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || `${parsed.username}${parsed.password}` !== '') {
    // The value may be a secret.
    throw invalidOption('webhookSink.url', 'an absolute http(s) URL without name and password', typeof url);
  }
  const fields = fieldsOf(headers);

  const post = async (body: string, key: string, stop: AbortSignal): Promise<void> => {
    const sent = new Headers(fields);
    sent.set('idempotency-key', `"${key}"`);
    const what = `POST ${parsed.origin}`;
    const send = async (signal: AbortSignal) =>
      readAnswer(
        await fetch(parsed, { method: 'POST', headers: sent, body, redirect: 'manual', signal }),
        MAX_ANSWER_CHARS,
      );
    const { status } = await sendWithRetries(what, send, { timeoutMs, retries }, stop);
    if (status < 200 || status > 299) throw new Error(`${what}: status ${status}`);
  };

  return batchedSink(`webhook ${parsed.origin}`, `the webhook ${parsed.origin}`, async (stop) => {
    const write = async (items: readonly Item[]): Promise<void> => {
      for (const { lines, key } of itemBodies(items))
        await post(`{"items":[${lines.map((line) => line.trimEnd()).join(',')}]}`, key, stop);
    };
    return { write, limits: batch };
  });
}

/** @throws MannerlyError `option-invalid`, which shows no value: it may be a secret */
function fieldsOf(headers: unknown): Headers {
  try {
    const fields = new Headers({ 'user-agent': 'mannerly', ...(headers as object) });
    fields.set('content-type', 'application/json');
    return fields;
  } catch {
    throw invalidOption('webhookSink.headers', 'header fields by name, each a text', 'another value');
  }
}
