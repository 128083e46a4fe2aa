// What pages in a browser have loaded before: scripts, style and their like are asked for once and not for every page of a
// site, for as long as a robots.txt would be used. What pages ask for as data is asked for each time. In memory, for one run.

import { robotsLifetimeMs } from '@mannerly/robots/access';
import type { ResponseOutcome } from '../fetch/outcome.js';
import type { Subresource } from '../fetch/renderer.js';
import { MAX_LOADED_BEFORE, MAX_LOADED_BEFORE_BYTES } from './limits.js';

/** The memory of one run. */
export interface LoadedBefore {
  /** What came for it, where that may be used again; `null`: it is to be asked for. */
  find(wanted: Pick<Subresource, 'url' | 'type' | 'maxBodyBytes'>): ResponseOutcome | null;
  /** Takes a copy of an answer that may be used again. */
  keep(wanted: Pick<Subresource, 'url' | 'type'>, answer: ResponseOutcome): void;
}

/** Kinds whose answer is a file, and the same whoever asks. */
const FILES: ReadonlySet<string> = new Set(['script', 'stylesheet', 'font', 'image']);

/**
 * Makes an empty memory; what was used longest ago goes first.
 *
 * The lifetime is that of a robots.txt (access §6): what the cache fields say, ten minutes at least, a day at most. A field that
 * asks for none is heard as ten minutes for the same reason (DECISION A9): asking before every page helps nobody.
 *
 * @throws Never
 */
export function createLoadedBefore(nowMs: () => number): LoadedBefore {
  const kept = new Map<string, { readonly answer: ResponseOutcome; readonly untilMs: number }>();
  let bytes = 0;
  const forget = (key: string): void => {
    bytes -= kept.get(key)?.answer.body.length ?? 0;
    kept.delete(key);
  };
  return {
    find({ url, type, maxBodyBytes }) {
      const key = `${type} ${url}`;
      const found = kept.get(key);
      if (found === undefined) return null;
      if (found.untilMs <= nowMs()) {
        forget(key);
        return null;
      }
      kept.delete(key);
      kept.set(key, found);
      return found.answer.body.length > maxBodyBytes ? null : found.answer;
    },
    keep({ url, type }, answer) {
      const { status, truncated, body } = answer;
      if (!FILES.has(type) || status !== 200 || truncated !== null || body.length > MAX_LOADED_BEFORE_BYTES) return;
      const headers = lookup(answer);
      // What varies by more than its coding is not the same whoever asks.
      if (!/^(accept-encoding)?$/i.test(headers['vary']?.trim() ?? '')) return;
      const key = `${type} ${url}`;
      forget(key);
      const { encodedBody: _, ...rest } = answer;
      const untilMs = answer.timing.endedAtMs + robotsLifetimeMs(headers, answer.timing.endedAtMs, 'rfc9309');
      kept.set(key, { answer: { ...rest, body: body.slice() }, untilMs });
      bytes += body.length;
      for (const oldest of kept.keys()) {
        if (kept.size <= MAX_LOADED_BEFORE && bytes <= MAX_LOADED_BEFORE_BYTES) break;
        forget(oldest);
      }
    },
  };
}

function lookup({ headers }: ResponseOutcome): Record<string, string> {
  const found: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    found[key] = found[key] === undefined ? value : `${found[key]}, ${value}`;
  }
  return found;
}
