// Files that pages in a browser have loaded, in memory. Scripts, styles, fonts and images are requested once per run,
// for as long as a robots.txt would be used (access §6): what the cache fields say, between ten minutes and a day
// (DECISION A9). The least recently used file is removed first. Data that pages request is requested each time.

import { robotsLifetimeMs } from '@mannerly/robots/access';
import { headersByName, type ResponseOutcome } from '../fetch/outcome.js';
import type { Subresource } from '../fetch/renderer.js';
import { MAX_CACHED_FILES, MAX_CACHED_FILES_BYTES } from './limits.js';

/** Kinds of subresources whose answer is a file that is the same for every page. */
const CACHED_TYPES: ReadonlySet<string> = new Set(['script', 'stylesheet', 'font', 'image']);

/** The cache of one run. */
export class SubresourceCache {
  readonly #nowMs: () => number;
  readonly #entries = new Map<string, { readonly answer: ResponseOutcome; readonly untilMs: number }>();
  #bytes = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The answer that may be reused for a page; `null`: the file has to be requested. */
  find({ url, type, maxBodyBytes }: Pick<Subresource, 'url' | 'type' | 'maxBodyBytes'>, pageUrl: string) {
    const key = `${type} ${url}`;
    const found = this.#entries.get(key);
    if (found === undefined) return null;
    if (found.untilMs <= this.#nowMs()) {
      this.#forget(key);
      return null;
    }
    // An answer for an account is only for pages of its origin.
    if (found.answer.signedIn === true && new URL(pageUrl).origin !== new URL(url).origin) return null;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found.answer.body.length > maxBodyBytes ? null : found.answer;
  }

  /** Keeps a copy of an answer that may be reused. */
  store({ url, type }: Pick<Subresource, 'url' | 'type'>, answer: ResponseOutcome): void {
    const { status, truncated, body } = answer;
    if (!CACHED_TYPES.has(type) || status !== 200 || truncated !== null || body.length > MAX_CACHED_FILES_BYTES) return;
    const headers = headersByName(answer.headers);
    // An answer that varies by more than its coding is not the same for every page.
    if (!/^(accept-encoding)?$/i.test(headers['vary']?.trim() ?? '')) return;
    const key = `${type} ${url}`;
    this.#forget(key);
    const { encodedBody: _, ...rest } = answer;
    const untilMs = answer.timing.endedAtMs + robotsLifetimeMs(headers, answer.timing.endedAtMs, 'rfc9309');
    this.#entries.set(key, { answer: { ...rest, body: body.slice() }, untilMs });
    this.#bytes += body.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_CACHED_FILES && this.#bytes <= MAX_CACHED_FILES_BYTES) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#entries.get(key)?.answer.body.length ?? 0;
    this.#entries.delete(key);
  }
}
