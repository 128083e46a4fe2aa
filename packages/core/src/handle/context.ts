// The page as its handler gets it. What the handler does with it is staged; no request is made here but by
// `page.fetch`.

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

/** What a handler's page works with. */
export interface PageTools {
  readonly stage: Stage;
  /** Aborted when the handler's time is over or the crawl is stopped at once. */
  readonly signal: AbortSignal;
  /** Where files go; `null`: nowhere by default. */
  readonly filesPath: string | null;
  readonly fetch: OwnFetcher;
  /** The schema of the route's items; `null`: none. */
  readonly check: ItemCheck | null;
  /** The page's user data as the schema of the route gives it; `null`: as it came. */
  readonly given: { readonly userData: unknown } | null;
}

/** What the handler's page shows of the fetched page as it is. */
const SHOWN: readonly (keyof FetchedPage)[] = [
  'url',
  'status',
  'headers',
  'kind',
  'sniffedType',
  'mime',
  'title',
  'links',
  'html',
  'exclusion',
  'depth',
  'from',
  'via',
  'label',
  'attempt',
  'visit',
  'truncated',
  'fetchedAtMs',
  'bodyBytes',
  'body',
  'rendering',
  '$',
];

/** Hands a page to a handler. @throws Never */
export function createPageContext(page: FetchedPage, tools: PageTools): HandledPage {
  return new PageContext(page, tools) as unknown as HandledPage;
}

/**
 * The page by delegation, so that what it makes at first use stays unmade until the handler uses it. (With the page as
 * its prototype it would be shorter; but engines keep prototypes, and the page's text with them, far too long.) Its
 * methods may be taken off it: `const { emit, follow } = page`.
 */
class PageContext implements Omit<HandledPage, 'userData' | keyof FetchedPage> {
  readonly #page: FetchedPage;
  readonly #tools: PageTools;
  #fetches = 0;
  #leftAlone: ReadonlySet<string> | null = null;

  static {
    for (const name of SHOWN) {
      const get = function (this: PageContext): unknown {
        return this.#page[name];
      };
      Object.defineProperty(PageContext.prototype, name, { get, enumerable: true });
    }
  }

  constructor(page: FetchedPage, tools: PageTools) {
    this.#page = page;
    this.#tools = tools;
  }

  get userData(): JsonValue | null {
    const { given } = this.#tools;
    return given === null ? this.#page.userData : (given.userData as JsonValue);
  }

  get signal(): AbortSignal {
    return this.#tools.signal;
  }

  readonly text = () => this.#page.text();
  readonly json = () => this.#page.json();
  readonly bytes = () => this.#page.bytes();
  readonly excerpt = (text: string, maxChars: number) => this.#page.excerpt(text, maxChars);

  readonly emit = (data: unknown): Promise<EmittedItem> => {
    const { check, stage } = this.#tools;
    if (check !== null) return seen(check.emit(data));
    return settled(() => {
      stage.item(data);
      return STAGED;
    });
  };

  readonly follow = (selector?: string, options: FollowOptions = {}): Promise<void> =>
    settled(() => followLinks(this.#page, this.#tools.stage, selector, options));

  readonly add = (url: string, options: FollowOptions = {}): Promise<AddResult> =>
    settled(() => {
      this.#leftAlone ??= leftAloneUrls(this.#page);
      return addUrl(this.#page, this.#tools.stage, this.#leftAlone, url, options);
    });

  readonly fetch = async (text: string, options: PageFetchOptions = {}): Promise<PageFetch> => {
    const url = resolveHref(text.trim(), linkBase(this.#page.url, this.#page.html?.baseHref ?? null));
    if (url === null) return { kind: 'dropped', url: text.slice(0, MAX_LINK_URL_CHARS), reason: 'url-invalid' };
    this.#fetches += 1;
    if (this.#fetches > MAX_PAGE_FETCHES) return { kind: 'dropped', url, reason: 'page-fetch-limit' };
    return this.#tools.fetch(this.#page, url, options, this.signal);
  };

  readonly revisit = (afterMs: number, options: Omit<FollowOptions, 'allowDuplicate'> = {}): Promise<void> =>
    settled(() => this.#tools.stage.link(nextVisit(this.#page, afterMs, options)));

  readonly save = (name?: string, options: SaveOptions = {}): Promise<SavedFile> =>
    seen(savePage(this.#page, options.folder ?? this.#tools.filesPath, name));
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
  const path = name ?? `${host}${pathname.endsWith('/') ? `${pathname}index` : pathname}`;
  const written = await saveFile(folder, path, page.body);
  return { kind: 'saved', ...written, truncated: page.truncated };
}

/** Acts at once, so that a forgotten `await` loses nothing. */
function settled<T>(act: () => T): Promise<T> {
  return seen(new Promise<T>((resolve) => resolve(act())));
}

/** A rejection that no one awaits does not end the process. */
function seen<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
