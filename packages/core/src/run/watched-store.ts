// The store of a user: the crawl says which verb it waits for, and waits no longer than a while after a stop at once. A
// store that is only slow is never failed: those on a server have time limits of their own.

import { FrontierError, type FrontierStore } from '@mannerly/frontier';
import { aroundStoreVerbs } from '@mannerly/frontier/internal';
import type { StoreNotice } from '../journal/events.js';
import { onAbort } from '../on-abort.js';
import { isObject } from '../parse-json.js';
import { STORE_SILENCE_MS, STORE_STOP_MS } from './limits.js';

interface StoreWatch {
  readonly notify: (notice: StoreNotice) => void;
  /** Whether it is already known that the crawl waits for the store. */
  readonly isHolding: () => boolean;
  /** Aborted when nothing may wait any longer. */
  readonly stopped: AbortSignal;
}

/** Verbs reject `STORE_STOP_MS` after a stop at once. One that is silent for `STORE_SILENCE_MS` is reported. */
export function watchedStore(store: FrontierStore, { notify, isHolding, stopped }: StoreWatch): FrontierStore {
  /** The verbs that have not answered for long. */
  const unanswered = new Set<object>();
  let isReported = false;
  const watched = (answer: Promise<unknown>, verb: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const silence = setTimeout(() => {
        unanswered.add(answer);
        if (isHolding()) return;
        isReported = true;
        const message = `\`${verb}\` of the store has not answered for ${STORE_SILENCE_MS / 1_000} s; waiting for it`;
        notify({ kind: 'holding', message });
      }, STORE_SILENCE_MS);
      let end: NodeJS.Timeout | undefined;
      const onStop = (): void => {
        const message = `\`${verb}\` of the store had not answered ${STORE_STOP_MS / 1_000} s after a stop at once`;
        end = setTimeout(() => reject(new FrontierError('store-failed', message)), STORE_STOP_MS);
      };
      const ignoreStop = onAbort(stopped, onStop);
      if (stopped.aborted) onStop();
      const endWait = (): void => {
        clearTimeout(silence);
        clearTimeout(end);
        ignoreStop();
        unanswered.delete(answer);
        if (!isReported || unanswered.size > 0 || stopped.aborted) return;
        isReported = false;
        notify({ kind: 'resumed', message: 'the store answers again; the crawl continues' });
      };
      answer.finally(endWait).then(resolve, reject);
    });
  return aroundStoreVerbs(store, (call, verb) => {
    const answer: unknown = call();
    const isPromise = isObject(answer) && typeof answer['then'] === 'function';
    // The frontier refuses anything else, by the verb's name.
    return isPromise ? watched(Promise.resolve(answer), verb) : (answer as Promise<unknown>);
  });
}
