// Why a polite fetch has no response: a refusal that names its rule, or a failure of the network.

import { MannerlyError } from '../errors.js';
import type { PageFetch } from '../page/own-fetch.js';

/** What came instead of a response, or a response that is not handed on. */
type Answer =
  | Exclude<PageFetch, { readonly kind: 'response' }>
  | { readonly kind: 'redirect' | 'limit'; readonly url: string; readonly reason: string };

/** What a polite fetch rejects with, `code` `fetch-refused` (nothing was requested from that URL) or `fetch-failed`. */
export class PoliteFetchError extends MannerlyError {
  /** As requested, behind redirects. */
  readonly url: string;
  /** A word of the table of reasons, such as `robots-rule`, or the code of a failure, such as `timeout-connect`. */
  readonly reason: string;
  /** The line of robots.txt that says so; `null`: none does. */
  readonly line: number | null;
  /** Its pattern. */
  readonly pattern: string | null;
  /** When it may be tried again, epoch milliseconds; `null`: not known. */
  readonly untilMs: number | null;

  constructor(answer: Answer) {
    super(answer.kind === 'failed' ? 'fetch-failed' : 'fetch-refused', messageOf(answer), { hint: hintOf(answer) });
    this.name = 'PoliteFetchError';
    this.url = answer.url;
    this.reason = answer.kind === 'failed' ? answer.failure : answer.reason;
    this.line = answer.kind === 'excluded' ? answer.line : null;
    this.pattern = answer.kind === 'excluded' ? answer.pattern : null;
    this.untilMs = answer.kind === 'held' ? answer.untilMs : null;
  }
}

function messageOf(answer: Answer): string {
  const { url } = answer;
  if (answer.kind === 'failed') return `${url} was not fetched: ${answer.failure}: ${answer.detail}`;
  if (answer.kind === 'excluded') {
    const rule = answer.line === null ? '' : `, line ${answer.line} of its robots.txt: ${answer.pattern}`;
    return `${url} may not be fetched: ${answer.reason}${rule}`;
  }
  return `${url} was not fetched: ${answer.reason}`;
}

function hintOf(answer: Answer): string {
  if (answer.kind === 'excluded') return 'The site says so. There is no option that overrides it for sites of others.';
  if (answer.kind === 'held') return 'Wait, or raise `waitMs`: the turn of its host did not come in time.';
  return 'docs/reference/reasons.md explains the reason.';
}
