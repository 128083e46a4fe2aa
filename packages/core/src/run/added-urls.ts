// URLs that a program adds to a running crawl from outside its handlers. They are checked here and admitted like
// others.

import type { AddAnswer, JsonValue, NewUrl } from '@mannerly/frontier';
import { checkOptions, checkPriority } from '../call-options.js';
import { invalidOption } from '../errors.js';
import { jsonCopy } from '../handle/staged.js';
import { MAX_ADDED_URLS } from './limits.js';

/** Options for adding URLs to a running crawl. */
export interface AddOptions<UserData = JsonValue> {
  /** Selects the handler, as in `on('label:x', …)`. */
  readonly label?: string;
  /** Passed to the handler. */
  readonly userData?: UserData;
  /** Priority class within the host: 0 is first, 7 is last. @default 2, like seeds */
  readonly priority?: number;
  /** Number of links from a seed, as `bounds.depth` counts. @default 0 */
  readonly depth?: number;
  /** Queues a known URL for one more visit. @default false */
  readonly allowDuplicate?: boolean;
}

/** The result for one added URL. */
export interface AddedUrl {
  /** The URL as it was given. */
  readonly url: string;
  /** `queued`: its decision follows. `known`: the crawl already has it. `refused`: `reason` is its decision. */
  readonly kind: 'queued' | 'known' | 'refused';
  /** A reason from the table of reasons, such as `out-of-scope` or `robots-rule`; `null` unless refused. */
  readonly reason: string | null;
}

const ADDED_PRIORITY = 2;

/** The candidates for these URLs. @throws MannerlyError `option-invalid`; `item-invalid`: user data is not JSON */
export function candidatesOf(urls: string | readonly string[], options: AddOptions<unknown>, nowMs: number): NewUrl[] {
  const list: readonly unknown[] = typeof urls === 'string' ? [urls] : urls;
  if (!Array.isArray(list) || list.length > MAX_ADDED_URLS || !list.every((url) => typeof url === 'string')) {
    const hint = 'A URL is a text. `label` and `userData` are options of the call.';
    throw invalidOption('urls', `a URL or a list of at most ${MAX_ADDED_URLS} URLs`, urls, hint);
  }
  checkOptions('add', options, {
    label: 'string',
    userData: 'any',
    priority: 'number',
    depth: 'number',
    allowDuplicate: 'boolean',
  });
  const { label, userData, priority = ADDED_PRIORITY, depth = 0, allowDuplicate = false } = options;
  checkPriority('add.priority', priority);
  if (!(Number.isInteger(depth) && depth >= 0)) throw invalidOption('depth', 'a whole number from 0', depth);
  const carried = {
    depth,
    priority,
    via: 'handler' as const,
    ...(label === undefined ? {} : { label }),
    ...(userData === undefined ? {} : { userData: jsonCopy(userData, 'user data') }),
    ...(allowDuplicate ? { visit: Math.max(1, Math.ceil(nowMs)) } : {}),
  };
  return (list as readonly string[]).map((url) => ({ url, ...carried }));
}

/** The result for each candidate. `answers` has the frontier's answer to each admitted candidate, in order. */
export function addedUrls(
  candidates: readonly NewUrl[],
  refused: readonly { readonly candidate: NewUrl; readonly reason: string }[],
  answers: readonly AddAnswer[],
): AddedUrl[] {
  const reasons = new Map(refused.map(({ candidate, reason }) => [candidate, reason]));
  const answered = answers.values();
  return candidates.map((candidate) => {
    const { url } = candidate;
    const reason = reasons.get(candidate);
    if (reason !== undefined) return { url, kind: 'refused', reason };
    const answer: AddAnswer = answered.next().value ?? { kind: 'full' };
    if (answer.kind === 'new') return { url, kind: 'queued', reason: null };
    if (answer.kind === 'known') return { url, kind: 'known', reason: null };
    return { url, kind: 'refused', reason: answer.kind === 'full' ? 'frontier-full' : answer.reason };
  });
}
