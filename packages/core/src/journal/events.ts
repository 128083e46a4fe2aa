// The events of a crawl. Listeners only observe: nothing that they return or throw changes the crawl.

import type { HostWarning } from '@mannerly/frontier';
import type { ScopeMove } from '../admit/scope.js';
import type { TrapFinding } from '../admit/trap-rules.js';
import { invalidOption } from '../errors.js';
import type { RejectedItem } from '../handle/staged.js';
import type { Item } from '../output/sink.js';
import type { DatasetFound } from '../page/datasets.js';
import type { RequestRecord, UrlDecision } from '../report/decision.js';

/** What a store reports about itself. */
export interface StoreNotice {
  /**
   * `holding`: its server, or one of its verbs, does not answer, and the crawl waits. `resumed`: the crawl continues.
   * `weak-durability`: its settings may lose data. `rolled-back`: a different server answers, which may have lost the
   * last seconds of writes.
   */
  readonly kind: 'holding' | 'resumed' | 'weak-durability' | 'rolled-back';
  readonly message: string;
}

/** Event names and what each carries. */
export interface CrawlEventMap {
  /** A URL gets its status, exactly once per URL and run. */
  readonly decision: UrlDecision;
  /** A request has ended, including those for robots.txt and companions. */
  readonly request: RequestRecord;
  /** Something an operator should know about a host, once each time it occurs. */
  readonly 'host-warning': HostWarning;
  /** A seed redirected to another host of its domain, and its scope moved there. */
  readonly 'scope-moved': ScopeMove;
  /** A space turned out to be endless. Links that its own pages add are now deferred or dropped. */
  readonly trap: TrapFinding;
  /** A site names a dataset in its data.txt. */
  readonly dataset: DatasetFound;
  /** A handler added a URL that the page wants left alone. This is allowed, and reported. */
  readonly 'nofollow-overridden': { readonly url: string; readonly from: string };
  /** An item was written to every sink. */
  readonly item: Item;
  /** The store became unreachable and the crawl waits, or the store is reachable again. */
  readonly store: StoreNotice;
  /** A handler threw, took too long, or emitted or followed something after its end; the crawl goes on. */
  readonly 'handler-error': { readonly url: string; readonly error: unknown };
  /** A handler threw `RetryPage`, `RefusePage` or `StopCrawl`. */
  readonly 'handler-signal': {
    readonly url: string;
    readonly signal: 'retry' | 'refuse' | 'stop';
    readonly reason: string;
  };
  /** An item did not match the schema of its route; it is in `rejected.jsonl`. For each page, the first hundred. */
  readonly 'item-rejected': RejectedItem;
  /**
   * A hook or `scope.allows` threw, took too long, or returned an invalid answer, which counts as a refusal. Or the
   * `fetcher` did, which counts as a failure.
   */
  readonly 'hook-error': { readonly hook: string; readonly url: string; readonly error: unknown };
}

export interface CrawlEmitter {
  /** As `on` of the events of a crawler. */
  on<K extends keyof CrawlEventMap>(name: K, listener: (event: CrawlEventMap[K]) => void): () => void;
  emit<K extends keyof CrawlEventMap>(name: K, event: CrawlEventMap[K]): void;
  /** Whether an event has a listener. */
  hasListener(name: keyof CrawlEventMap): boolean;
}

/** Makes an emitter. What a listener throws goes to `onListenerError`. */
export function createCrawlEmitter(onListenerError: (error: unknown) => void): CrawlEmitter {
  const listeners: Readonly<Record<keyof CrawlEventMap, Set<(event: never) => void>>> = {
    decision: new Set(),
    request: new Set(),
    'host-warning': new Set(),
    'scope-moved': new Set(),
    trap: new Set(),
    dataset: new Set(),
    'nofollow-overridden': new Set(),
    item: new Set(),
    store: new Set(),
    'handler-error': new Set(),
    'handler-signal': new Set(),
    'item-rejected': new Set(),
    'hook-error': new Set(),
  };
  return {
    on(name, listener) {
      const known = Object.keys(listeners).join(', ');
      if (!Object.hasOwn(listeners, name)) throw invalidOption('event', `one of ${known}`, name);
      if (typeof listener !== 'function') throw invalidOption(`listener of ${name}`, 'a function', listener);
      listeners[name].add(listener);
      return () => {
        listeners[name].delete(listener);
      };
    },
    hasListener: (name) => listeners[name].size > 0,
    emit(name, event) {
      for (const listener of listeners[name]) {
        try {
          // A listener may be an async function, whose rejection would end the process.
          const returned: unknown = listener(event as never);
          if (returned instanceof Promise) returned.catch(onListenerError);
        } catch (error) {
          onListenerError(error);
        }
      }
    },
  };
}
