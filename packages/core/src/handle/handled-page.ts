// What a handler gets: the fetched page, what it can do with it, and how the page differs from its last visit.

import type { JsonValue } from '@mannerly/frontier';
import type { FetchedPage } from '../page/page.js';
import type { PageFetch, PageFetchOptions } from '../page/page-fetch.js';
import type { SavedFile, SavedMedia } from './save.js';

/** Options for URLs that a handler follows or adds. */
export interface FollowOptions<UserData = JsonValue> {
  /** The route that handles them: `on('label:x', …)`. */
  readonly label?: string;
  /** Stored as JSON.stringify writes it, at most 16,384 bytes. */
  readonly userData?: UserData;
  /** Priority within the host, from 0 (first) to 7 (last); redirects have 1. @default 4 */
  readonly priority?: number;
  /** Queues a known URL once more. A page that is handled again after a crash adds it again. @default false */
  readonly allowDuplicate?: boolean;
  /**
   * `same`: the depth of this page, for the next page of a list. `deeper`: one link deeper. @default `same` for links
   * that `follow` finds with `rel=next`, otherwise `deeper`
   */
  readonly depth?: 'same' | 'deeper';
}

/** The result of `add`. */
export type AddResult = Awaited<ReturnType<HandledPage['add']>>;

/** Options of `save`. */
export interface SaveOptions {
  /** An existing or new folder to use instead of `files/` in the crawl directory. The file never leaves it. */
  readonly folder?: string;
}

/** Options of `saveAll`. */
export interface SaveAllOptions extends SaveOptions {
  /** Files to request, 1 to 100; each redirect counts as one more request towards a page's 100. @default 20 */
  readonly maxFiles?: number;
  /** Decoded bytes of all files, 1 to 64 GiB; at most `network.maxBodyBytes` for one. @default 104,857,600 */
  readonly maxBytes?: number;
}

/**
 * A page in its handler. The results of `emit` and `add` have no name of their own, so that declarations of a user's
 * handlers, which often return them, can spell them out.
 */
export interface HandledPage extends FetchedPage {
  /** How the page differs from its last visit; `null`: the crawl keeps no visits (`recrawl`). */
  readonly change: PageChange | null;
  /** Aborted when the handler times out or the crawl is stopped at once. */
  readonly signal: AbortSignal;
  /**
   * Stages one item. It reaches the sinks when the handler has succeeded, unless the page's signals exclude it. An item
   * that does not match the schema of its route is set aside, and the page continues. It is stored as JSON.stringify
   * writes it: a `Date` as its ISO text, and without fields that are `undefined`. Half a surrogate pair becomes U+FFFD.
   * @throws MannerlyError (rejects) `item-invalid` if it is not JSON; `page-over` when the handler has timed out. After
   *   the handler has ended nothing is staged: the answer is `rejected`, and the log has a `handler-error`.
   */
  emit<T>(data: T & JsonItem<T>): Promise<
    /** It goes to the sinks when the handler has succeeded. */
    | { readonly kind: 'staged' }
    /**
     * Its schema rejected it: it goes to `rejected.jsonl` instead, and the page continues. `issues`: at most 20, each
     * with a message of at most 500 characters and the path from the outside in.
     */
    | {
        readonly kind: 'rejected';
        readonly issues: readonly { readonly message: string; readonly path: readonly (string | number)[] }[];
      }
  >;
  /**
   * Stages links of the page: those that the selector finds (elements with `href` or `src`, or such elements inside),
   * or every link. Without `src`, the first candidate of `srcset` counts. Links with nofollow, from the page or their
   * `rel`, are not followed. Scope, bounds and robots.txt apply later. A link with `rel=next` keeps the depth of this
   * page; all others are one deeper.
   * @returns The number of URLs that it staged, without those that the handler had staged before; 0 after the handler
   *   has ended.
   * @throws MannerlyError (rejects) `page-not-markup` for a selector on a page that has no DOM; `option-invalid`;
   *   `item-invalid` for user data that is not JSON; `page-over`.
   * @see page-level §4
   */
  follow<T>(selector?: string, options?: FollowOptions<T & JsonItem<T>>): Promise<number>;
  /**
   * Stages any URL, resolved against the page's base. Scope, bounds and robots.txt apply as usual.
   * @throws MannerlyError (rejects) `option-invalid`; `item-invalid` for user data that is not JSON; `page-over`.
   */
  add<T>(
    url: string,
    options?: FollowOptions<T & JsonItem<T>>,
  ): Promise<
    /** `link-nofollow`: the page says not to follow this link. It is queued nevertheless, and reported. */
    | { readonly kind: 'staged'; readonly url: string; readonly note: 'link-nofollow' | null }
    /** Not an http(s) URL, or too long; `page-over`: the handler has ended. */
    | { readonly kind: 'refused'; readonly reason: 'url-invalid' | 'page-over' }
  >;
  /**
   * Stages one more visit to this page, at least `afterMs` after its last byte. The visit has a `visit` that is one
   * higher, the same label and user data unless given, and its own item ids. It counts towards the bounds.
   * @param afterMs - Milliseconds, 0 to ten years. If longer than `maxIdleMs`, a later run makes the visit.
   * @throws MannerlyError (rejects) `option-invalid`; `item-invalid` for user data that is not JSON; `page-over`.
   */
  revisit<T>(
    afterMs: number,
    options?: Omit<FollowOptions<T & JsonItem<T>>, 'allowDuplicate' | 'depth'>,
  ): Promise<void>;
  /**
   * Writes the page's bytes to a file immediately and atomically. An existing file is replaced. The file stays even if
   * the handler throws later. A page with `noarchive` or `noindex` is not saved, and none is after its handler has
   * ended (`page-over`, which the log reports).
   * @param name - Relative; it cannot leave its folder. @default host and path of the URL, and a mark for its query
   * @throws MannerlyError (rejects) `file-failed`; `file-folder-missing` without a crawl directory and a folder.
   */
  save(name?: string, options?: SaveOptions): Promise<SavedFile>;
  /**
   * Writes the screenshot that `inBrowser` took to a file, as `save` writes the page: a PNG. `left-alone`, reason
   * `no-screenshot`: none was taken. Throws as `save`.
   * @param name - As of `save`. @default host and path of the URL, and `.png`
   */
  screenshot(name?: string, options?: SaveOptions): Promise<SavedFile>;
  /**
   * Requests the files that a selector finds (elements with `href` or `src`, or such elements inside), one at a time
   * like `fetch`, and writes each to `media/` in the folder under its SHA-256: one copy of each content, whatever its
   * URL. Redirects are followed, and each hop is checked. Each file waits until its host is due while the handler's
   * timeout runs. For many files, `follow` them and save them in their own handler.
   * @returns One entry for each URL, in page order, with the reason if it was not saved.
   * @throws MannerlyError (rejects) `page-not-markup`; `option-invalid`; `file-failed`; `file-folder-missing`.
   */
  saveAll(selector: string, options?: SaveAllOptions): Promise<readonly SavedMedia[]>;
  /**
   * Requests one more file and waits for it, ahead of the queue of its host. Scope, robots.txt, spacing, address guard
   * and logs apply. It counts as a request, not as a page. GET only, no retries, no redirects, at most 100 per page.
   * @param url - Resolved against the page's base.
   * @throws MannerlyError (rejects) `option-invalid`, `option-unknown`; never for the result of the request.
   */
  fetch(url: string, options?: PageFetchOptions): Promise<PageFetch>;
}

/**
 * `T` if JSON.stringify accepts it, including interfaces, optional fields and values with `toJSON`, such as `Date`.
 * Functions, symbols and bigints become `never` and do not compile.
 */
type Jsonable<T> = unknown extends T
  ? T
  : T extends JsonValue | undefined
    ? T
    : T extends bigint | symbol | ((...args: never) => unknown)
      ? never
      : T extends { toJSON(key?: string): infer Json }
        ? [Jsonable<Json>] extends [never]
          ? never
          : T
        : T extends PromiseLike<unknown>
          ? 'a promise: await it'
          : { readonly [Key in keyof T]: Jsonable<T[Key]> };

/** What `page.emit` and `userData` accept: anything that JSON.stringify can write, so not `undefined` itself. */
export type JsonItem<T> = T extends undefined ? never : Jsonable<T>;

/** How a page differs from its last visit. */
export interface PageChange {
  /** `unchanged`: a handler asked for this visit (`page.revisit`); a recrawl calls no handler for such a page. */
  readonly kind: 'new' | 'changed' | 'unchanged';
  /** When it was visited before, epoch milliseconds; `null`: never. */
  readonly lastVisitMs: number | null;
  /** The digest of what counted as its content then (`recrawl.change`); `null`: there is none. */
  readonly lastDigest: string | null;
  /** The digest of its content now; `null`: the body is in a file. */
  readonly digest: string | null;
}

/** A known page that was visited again and is unchanged. There is no body. Times are epoch milliseconds. */
export interface UnchangedPage {
  /** As requested. */
  readonly url: string;
  /** 304, or the status of a response whose content is the same as before. */
  readonly status: number;
  readonly label: string | null;
  readonly userData: JsonValue | null;
  readonly depth: number;
  readonly fetchedAtMs: number;
  readonly lastVisitMs: number;
  /** When its last change was seen; the first visit counts. */
  readonly changedAtMs: number;
  /** Its visits, including this one, and those that found a change. */
  readonly visits: number;
  readonly changes: number;
  readonly digest: string | null;
}

/** Your code for unchanged pages. It writes no items: those of the last visit stay. */
export type UnchangedHandler = (page: UnchangedPage) => unknown;
