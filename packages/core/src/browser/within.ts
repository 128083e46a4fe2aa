// Waiting for a browser, for a bounded time and as a value: it may answer, refuse, or say nothing for ever.

import { MAX_BROWSER_TEXT } from './limits.js';

/** The outcome of a call to a browser. */
export type Within<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'late' };

/** Waits for at most `ms` milliseconds. What comes later is ignored. Never rejects. */
export function within<T>(asked: Promise<T>, ms: number): Promise<Within<T>> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ kind: 'late' }), ms);
    asked.then(
      (value) => {
        clearTimeout(timer);
        resolve({ kind: 'done', value });
      },
      (error: unknown) => {
        clearTimeout(timer);
        resolve({ kind: 'failed', error });
      },
    );
  });
}

/** The first line of what an error says. Never throws. */
export function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n', 1)[0] ?? '').slice(0, MAX_BROWSER_TEXT);
}
