// What a handler gets: the fetched page, and what it can do with it.

import type { JsonValue } from '@mannerly/frontier';
import type { PageFetch, PageFetchOptions } from '../page/own-fetch.js';
import type { FetchedPage } from '../page/page.js';
import type { EmittedItem } from './item-check.js';
import type { SavedFile } from './save.js';

/** What is said along with URLs that a handler follows or adds. */
export interface FollowOptions {
  /** The route that handles them: `on('label:x', …)`. */
  readonly label?: string;
  /** Handed to their handler as it is. */
  readonly userData?: JsonValue;
  /** Priority class within the host, 0 first, 7 last; redirects go at 1. @default 4 */
  readonly priority?: number;
  /**
   * Queues the URL although it may be known, for one more visit. A page that is handled again after a crash adds it again.
   * @default false
   */
  readonly allowDuplicate?: boolean;
}

/** What became of a URL that a handler added. */
export type AddResult =
  /** `link-nofollow`: the page asks that this link be left alone; the handler takes it by itself, and it is noted. */
  | { readonly kind: 'staged'; readonly url: string; readonly note: 'link-nofollow' | null }
  /** No http(s) URL, or too long. */
  | { readonly kind: 'refused'; readonly reason: 'url-invalid' };

/** What is said along with a file. */
export interface SaveOptions {
  /** An existing or new folder instead of the crawl directory's `files/`. The name stays inside it. */
  readonly folder?: string;
}

/** A page in the hands of its handler. */
export interface HandledPage extends FetchedPage {
  /** Aborted when the handler's time is over or the crawl is stopped at once. */
  readonly signal: AbortSignal;
  /**
   * Stages one item. It reaches the sinks when the handler has ended well, unless the page asks not to be kept. Where its route
   * has a schema for items, one that does not meet it is kept aside instead, and the page goes on.
   *
   * @throws MannerlyError (rejects) `item-invalid` when it is no JSON; `page-over` after the handler has ended.
   */
  emit(data: JsonValue): Promise<EmittedItem>;
  /**
   * Stages links of the page: those that the selector finds (elements with `href` or `src`, or such elements inside),
   * by default every link. Links that the page or their `rel` asks to leave alone are left alone. Scope, bounds and
   * robots.txt are asked later, at the door.
   *
   * @throws MannerlyError (rejects) `page-not-markup` for a selector on a page that has no DOM; `item-invalid` for user
   *   data that is no JSON; `page-over`.
   * @see page-level §4
   */
  follow(selector?: string, options?: FollowOptions): Promise<void>;
  /**
   * Stages a URL of the handler's own, resolved against the page's base. It passes the same door as any link.
   *
   * @throws MannerlyError (rejects) `item-invalid` for user data that is no JSON; `page-over`.
   */
  add(url: string, options?: FollowOptions): Promise<AddResult>;
  /**
   * Stages one more visit of this page, not before `afterMs` from its last byte. The next visit has `visit` one higher,
   * the same label and user data unless others are given, and item ids of its own; it counts against the bounds like any page.
   *
   * @param afterMs - Milliseconds, 0 to ten years. A crawl with nothing else left ends in state `waiting` when that is
   *   longer than its patience, and goes on with the same command.
   * @throws MannerlyError (rejects) `option-invalid` for another number; `item-invalid` for user data that is no JSON; `page-over`.
   */
  revisit(afterMs: number, options?: Omit<FollowOptions, 'allowDuplicate'>): Promise<void>;
  /**
   * Writes the page's bytes to a file, at once: it stays when the handler throws later. Whole or not at all; a file of
   * that name is replaced. A page that asks not to be kept is left alone.
   *
   * @param name - Relative; whatever it says, the file stays in its folder. @default host and path of the URL
   * @throws MannerlyError (rejects) `file-failed`; `file-folder-missing` without a crawl directory and a folder.
   */
  save(name?: string, options?: SaveOptions): Promise<SavedFile>;
  /**
   * Asks for one more file and waits for it, beside the queue: the same scope, robots.txt, spacing, address guard and log as
   * for any page. It goes before what is queued for its host. It counts as a request and its bytes count, but as no page;
   * it is not tried again and redirects are not followed. At most 100 of one page. Never rejects.
   *
   * @param url - Resolved against the page's base.
   */
  fetch(url: string, options?: PageFetchOptions): Promise<PageFetch>;
}
