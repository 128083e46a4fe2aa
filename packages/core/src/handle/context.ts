// A page in the hands of its handler: what it does with it is staged; nothing leaves here.

import type { JsonValue } from '@mannerly/frontier';
import { MannerlyError } from '../errors.js';
import { MAX_LINK_URL_CHARS } from '../limits.js';
import type { OwnFetcher, PageFetch, PageFetchOptions } from '../page/own-fetch.js';
import type { FetchedPage } from '../page/page.js';
import { linkBase, resolveHref } from '../page/resolve-href.js';
import type { AddResult, FollowOptions, HandledPage, SaveOptions } from './handled-page.js';
import { type EmittedItem, type ItemCheck, STAGED } from './item-check.js';
import { MAX_PAGE_FETCHES } from './limits.js';
import { type SavedFile, saveFile } from './save.js';
import { addUrl, followLinks, leftAloneUrls, nextVisit } from './stage-links.js';
import type { Stage } from './staged.js';

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
  get sniffedType() {
    return this.#page.sniffedType;
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
  get html() {
    return this.#page.html;
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
  get maxBodyBytes() {
    return this.#page.maxBodyBytes;
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
    return (url: string, options: FollowOptions = {}): Promise<AddResult> =>
      settled(() => {
        this.#leftAlone ??= leftAloneUrls(this.#page);
        return addUrl(this.#page, this.#tools.stage, this.#leftAlone, url, options);
      });
  }

  get fetch() {
    return async (text: string, options: PageFetchOptions = {}): Promise<PageFetch> => {
      const url = resolveHref(text.trim(), linkBase(this.#page.url, this.#page.html?.baseHref ?? null));
      if (url === null) return { kind: 'dropped', url: text.slice(0, MAX_LINK_URL_CHARS), reason: 'url-invalid' };
      this.#fetches += 1;
      if (this.#fetches > MAX_PAGE_FETCHES) return { kind: 'dropped', url, reason: 'page-fetch-limit' };
      return this.#tools.ownFetch(this.#page, url, options, this.signal);
    };
  }

  get revisit() {
    return (afterMs: number, options: Omit<FollowOptions, 'allowDuplicate'> = {}): Promise<void> =>
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
