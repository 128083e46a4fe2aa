// Whether a URL that an earlier run queued is still wanted: an operator who narrows the scope and runs the crawl again
// means what is queued too. Asked right before a URL is handed out, and only of crawls that go on with earlier runs.

import type { UrlRecord } from '@mannerly/frontier';
import { parseUrlParts } from '@mannerly/frontier/internal';
import { withinBounds } from '../admit/bounds.js';
import type { Scope } from '../admit/scope.js';

/** Why a queued URL is left where it is. */
export interface Unwanted {
  readonly word: 'dropped';
  readonly reason: string;
  readonly detail: string;
}

/**
 * Makes the question from the scope and the bounds of this run. What the crawl asks for by itself (companion files) is no
 * matter of scope.
 *
 * @throws Never
 */
export function createStillWanted(
  scope: Pick<Scope, 'judge'>,
  bounds: { readonly depth: number },
): (record: UrlRecord) => Unwanted | null {
  return ({ url, via, depth, hops }) => {
    const parts = via === 'companion' ? null : parseUrlParts(url);
    if (parts === null) return null;
    const scoped = scope.judge(parts, via);
    const answer = scoped.kind === 'out' ? scoped : withinBounds({ depth, hops }, bounds);
    if (answer.kind === 'in') return null;
    return { word: 'dropped', reason: answer.reason, detail: 'queued by an earlier run' };
  };
}
