// Requests for a file of a page, and for what its redirects lead to: each hop is judged and spaced like the first.

import type { PageFetch } from '../page/own-fetch.js';
import { redirectTarget } from '../page/redirect.js';
import { MAX_SUBRESOURCE_HOPS } from './limits.js';

/**
 * @param page - The URL of the page.
 * @param ask - Requests one URL, which the page, or the redirect of `from`, names. Its answer is the last one where it
 *   does not redirect.
 */
export async function followRedirects(
  first: string,
  page: string,
  ask: (url: string, from: string) => Promise<PageFetch>,
  nowMs: () => number,
): Promise<PageFetch> {
  let url = first;
  let from = page;
  for (let hops = 0; ; hops += 1) {
    const answer = await ask(url, from);
    const target = answer.kind === 'response' ? redirectTarget(answer) : null;
    // A Refresh field leads people on, but not what a page loads.
    if (target?.kind !== 'to' || target.by !== 'location') return answer;
    if (hops >= MAX_SUBRESOURCE_HOPS) return { kind: 'dropped', url: target.url, reason: 'redirect-limit' };
    const { notBeforeMs } = target;
    if (notBeforeMs !== null && notBeforeMs > nowMs())
      return { kind: 'held', url: target.url, reason: 'not-before', untilMs: notBeforeMs };
    from = url;
    url = target.url;
  }
}
