// What a handler gets: the fetched page, and what it can do with it. Everything it does is staged; nothing leaves here.

import type { JsonValue, NewUrl } from '@mannerly/frontier';
import { MannerlyError } from '../errors.js';
import { MAX_LINK_URL_CHARS } from '../limits.js';
import type { PageLink } from '../page/links.js';
import type { OwnFetch, OwnFetcher, OwnFetchOptions } from '../page/own-fetch.js';
import type { FetchedPage } from '../page/page.js';
import { linkBase, resolveHref } from '../page/resolve-href.js';
import { selectLinks } from '../page/select-links.js';
import { type EmittedItem, type ItemCheck, STAGED } from './item-check.js';
import { jsonCopy } from './json-copy.js';
import { MAX_PAGE_FETCHES, MAX_REVISIT_MS } from './limits.js';
import { type SavedFile, saveFile } from './save.js';
import type { Stage } from './staged.js';

/** What is said along with URLs that a handler follows or adds. */
export interface FollowOptions {
  /** The route that handles them: `on('label:x', …)`. */
  readonly label?: string;
  /** Handed to their handler as it is. */
  readonly userData?: JsonValue;
  /** Priority class within the host, 0 first, 7 last; redirects go at 1. @default 4 */
  readonly band?: number;
  /**
   * Queues the URL although it may be known, for one more visit. A page that is handled again after a crash adds it again.
   * @default false
   */
  readonly force?: boolean;
}

/** What became of a URL that a handler added. */
export type AddedUrl =
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
  add(url: string, options?: FollowOptions): Promise<AddedUrl>;
  /**
   * Stages one more visit of this page, not before `afterMs` from its last octet. The next visit has `visit` one higher,
   * the same label and user data unless others are given, and item ids of its own; it counts against the bounds like any page.
   *
   * @param afterMs - Milliseconds, 0 to ten years. A crawl with nothing else left ends in state `waiting` when that is
   *   longer than its patience, and goes on with the same command.
   * @throws MannerlyError (rejects) `option-invalid` for another number; `item-invalid` for user data that is no JSON; `page-over`.
   */
  revisit(afterMs: number, options?: Omit<FollowOptions, 'force'>): Promise<void>;
  /**
   * Writes the page's octets to a file, at once: it stays when the handler throws later. Whole or not at all; a file of
   * that name is replaced. A page that asks not to be kept is left alone.
   *
   * @param name - Relative; whatever it says, the file stays in its folder. @default host and path of the URL
   * @throws MannerlyError (rejects) `file-failed`; `file-folder-missing` without a crawl directory and a folder.
   */
  save(name?: string, options?: SaveOptions): Promise<SavedFile>;
  /**
   * Asks for one more file and waits for it, beside the queue: the same scope, robots.txt, spacing, address guard and log as
   * for any page. It goes before what is queued for its host. It counts as a request and its octets count, but as no page;
   * it is not tried again and redirects are not followed. At most 100 of one page. Never rejects.
   *
   * @param url - Resolved against the page's base.
   */
  fetch(url: string, options?: OwnFetchOptions): Promise<OwnFetch>;
}

/** What a handler's page is made of, beside the page. */
export interface PageTools {
  readonly stage: Stage;
  /** Aborted when the handler's time is over or the crawl is stopped at once. */
  readonly signal: AbortSignal;
  /** Where files go; `null`: nowhere by default. */
  readonly filesPath: string | null;
  readonly ownFetch: OwnFetcher;
  /** The schema of the route's items; `null`: none. */
  readonly check: ItemCheck | null;
  /** The page's user data as the schema of the route gives it; `null`: as it came. */
  readonly given: { readonly userData: unknown } | null;
}

/** Hands a page to a handler. @throws Never */
export function createPageContext(page: FetchedPage, tools: PageTools): HandledPage {
  return new PageInHand(page, tools);
}

/**
 * The page by delegation, so that what it makes at first touch stays unmade until the handler touches it. (An object with
 * the page as its prototype would be shorter; the engine keeps every prototype, and the page's text with it, far too long.)
 * What can be called may be taken off the page (`const { emit, follow } = page`), and is made when it is.
 */
class PageInHand implements HandledPage {
  readonly #page: FetchedPage;
  readonly #tools: PageTools;
  #fetches = 0;
  #leftAlone: ReadonlySet<string> | null = null;

  constructor(page: FetchedPage, tools: PageTools) {
    this.#page = page;
    this.#tools = tools;
  }

  get url() {
    return this.#page.url;
  }
  get status() {
    return this.#page.status;
  }
  get headers() {
    return this.#page.headers;
  }
  get kind() {
    return this.#page.kind;
  }
  get sniffed() {
    return this.#page.sniffed;
  }
  get mime() {
    return this.#page.mime;
  }
  get title() {
    return this.#page.title;
  }
  get links() {
    return this.#page.links;
  }
  get facts() {
    return this.#page.facts;
  }
  get exclusion() {
    return this.#page.exclusion;
  }
  get depth() {
    return this.#page.depth;
  }
  get from() {
    return this.#page.from;
  }
  get via() {
    return this.#page.via;
  }
  get label() {
    return this.#page.label;
  }
  get userData() {
    const { given } = this.#tools;
    return given === null ? this.#page.userData : (given.userData as JsonValue);
  }
  get attempt() {
    return this.#page.attempt;
  }
  get visit() {
    return this.#page.visit;
  }
  get truncated() {
    return this.#page.truncated;
  }
  get fetchedAtMs() {
    return this.#page.fetchedAtMs;
  }
  get bodyBytes() {
    return this.#page.bodyBytes;
  }
  get body() {
    return this.#page.body;
  }
  get rendering() {
    return this.#page.rendering;
  }
  get $() {
    return this.#page.$;
  }

  get signal() {
    return this.#tools.signal;
  }

  get text() {
    return () => this.#page.text();
  }
  get json() {
    return () => this.#page.json();
  }
  get bytes() {
    return () => this.#page.bytes();
  }
  get excerpt() {
    return (text: string, maxChars: number) => this.#page.excerpt(text, maxChars);
  }

  get emit() {
    return (data: JsonValue): Promise<EmittedItem> => {
      const { check, stage } = this.#tools;
      if (check === null) return settled(() => stageItem(stage, data));
      const emitted = check.emit(data);
      emitted.catch(ignore);
      return emitted;
    };
  }

  get follow() {
    return (selector?: string, options: FollowOptions = {}): Promise<void> =>
      settled(() => followLinks(this.#page, this.#tools.stage, selector, options));
  }

  get add() {
    return (url: string, options: FollowOptions = {}): Promise<AddedUrl> =>
      settled(() => {
        this.#leftAlone ??= leftAloneUrls(this.#page);
        return addUrl(this.#page, this.#tools.stage, this.#leftAlone, url, options);
      });
  }

  get fetch() {
    return async (text: string, options: OwnFetchOptions = {}): Promise<OwnFetch> => {
      const url = resolveHref(text.trim(), linkBase(this.#page.url, this.#page.facts?.baseHref ?? null));
      if (url === null) return { kind: 'dropped', url: text.slice(0, MAX_LINK_URL_CHARS), reason: 'url-invalid' };
      this.#fetches += 1;
      if (this.#fetches > MAX_PAGE_FETCHES) return { kind: 'dropped', url, reason: 'page-fetch-limit' };
      return this.#tools.ownFetch(this.#page, url, options, this.signal);
    };
  }

  get revisit() {
    return (afterMs: number, options: Omit<FollowOptions, 'force'> = {}): Promise<void> =>
      settled(() => this.#tools.stage.link(nextVisit(this.#page, afterMs, options)));
  }

  get save() {
    return (name?: string, options: SaveOptions = {}): Promise<SavedFile> => {
      const saved = savePage(this.#page, options.folder ?? this.#tools.filesPath, name);
      saved.catch(ignore);
      return saved;
    };
  }
}

function stageItem(stage: Stage, data: JsonValue): EmittedItem {
  stage.item(data);
  return STAGED;
}

function followLinks(page: FetchedPage, stage: Stage, selector: string | undefined, options: FollowOptions): void {
  const links = selector === undefined ? page.links : selectLinks(page, selector);
  const candidate = candidates(page, 'link', options);
  for (const link of links) {
    const reason = page.exclusion.whyLeaveAlone(link);
    if (reason === null) stage.link(candidate(link.url));
    else stage.leaveAlone({ url: link.url, reason, depth: page.depth + 1, from: page.url });
  }
}

function addUrl(
  page: FetchedPage,
  stage: Stage,
  leftAlone: ReadonlySet<string>,
  text: string,
  options: FollowOptions,
): AddedUrl {
  const url = resolveHref(text.trim(), linkBase(page.url, page.facts?.baseHref ?? null));
  if (url === null) return { kind: 'refused', reason: 'url-invalid' };
  const note = leftAlone.has(url) ? 'link-nofollow' : null;
  stage.link(candidates(page, 'handler', options)(url));
  if (note !== null) stage.note(url, note);
  return { kind: 'staged', url, note };
}

async function savePage(page: FetchedPage, folder: string | null, name: string | undefined): Promise<SavedFile> {
  const { exclusion } = page;
  if (!exclusion.storesItems) return { kind: 'left-alone', reason: exclusion.reason };
  if (!exclusion.keepsBody) return { kind: 'left-alone', reason: 'noarchive' };
  if (folder === null) {
    throw new MannerlyError('file-folder-missing', `\`save\` needs a folder for ${page.url}`, {
      hint: 'Run the crawl with a crawl directory, or name a folder: `page.save(name, { folder })`.',
    });
  }
  const { host, pathname } = new URL(page.url);
  const written = await saveFile(
    folder,
    name ?? `${host}${pathname.endsWith('/') ? `${pathname}index` : pathname}`,
    page.body,
  );
  return { kind: 'saved', ...written, truncated: page.truncated };
}

/** Makes candidates of URLs found on a page. What they carry is copied once: a handler may go on changing its own. */
function candidates(page: FetchedPage, via: 'link' | 'handler', options: FollowOptions): (url: string) => NewUrl {
  const { label, userData, band, force = false } = options;
  const depth = page.depth + 1;
  const from = page.url;
  if (label === undefined && userData === undefined && band === undefined && !force)
    return (url) => ({ url, depth, via, from });
  const carried = {
    ...(label === undefined ? {} : { label }),
    ...(userData === undefined ? {} : { userData: jsonCopy(userData, `user data on ${from}`) }),
    ...(band === undefined ? {} : { band }),
    // Told from other visits by the instant of the page that asks for it.
    ...(force ? { visit: Math.max(1, Math.ceil(page.fetchedAtMs)) } : {}),
  };
  return (url) => ({ url, depth, via, from, ...carried });
}

function nextVisit(page: FetchedPage, afterMs: number, options: Omit<FollowOptions, 'force'>): NewUrl {
  if (!(typeof afterMs === 'number' && afterMs >= 0 && afterMs <= MAX_REVISIT_MS)) {
    throw new MannerlyError(
      'option-invalid',
      `expected \`afterMs\` of revisit to be a number from 0 to ${MAX_REVISIT_MS}, got ${String(afterMs)}`,
    );
  }
  const { label = page.label, userData = page.userData } = options;
  const carried: FollowOptions = {
    ...(label === null ? {} : { label }),
    ...(userData === null ? {} : { userData }),
    ...(options.band === undefined ? {} : { band: options.band }),
  };
  const { url, depth, via, from, visit, fetchedAtMs } = page;
  const origin = from === null ? {} : { from };
  // A base without its origin: the page is where it was, not one link further.
  const { from: _page, ...next } = candidates(page, 'handler', carried)(url);
  return { ...next, ...origin, depth, via, visit: visit + 1, notBeforeMs: Math.ceil(fetchedAtMs + afterMs) };
}

/** URLs that the page shows only in links that it asks to leave alone: read once, a handler may add thousands. */
function leftAloneUrls(page: FetchedPage): Set<string> {
  const isAlone = (link: PageLink): boolean => page.exclusion.whyLeaveAlone(link) !== null;
  const urls = new Set(page.links.filter(isAlone).map(({ url }) => url));
  for (const link of page.links) if (!isAlone(link)) urls.delete(link.url);
  return urls;
}

/**
 * Staging happens at once, so that a forgotten `await` loses nothing. What it throws is a rejection that has been seen:
 * a handler that does not wait for it must not end the process.
 */
function settled<T>(act: () => T): Promise<T> {
  const promise = new Promise<T>((resolve) => resolve(act()));
  promise.catch(ignore);
  return promise;
}

function ignore(): void {
  // Whoever awaits the promise sees it.
}
