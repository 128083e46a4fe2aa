// The page as its handler gets it. What the handler does with it is staged; only `page.fetch` and `page.saveAll` make
// requests.

import type { JsonValue, NewUrl } from '@mannerly/frontier';
import type { CheerioAPI } from 'cheerio';
import { type CallOptions, checkCount, checkOptions, checkPriority } from '../call-options.js';
import { invalidOption, MannerlyError } from '../errors.js';
import { MAX_LINK_URL_CHARS } from '../limits.js';
import type { PageAlternate } from '../page/alternates.js';
import { linkBase, type PageLink, resolveHref, selectLinks } from '../page/links.js';
import type { FetchedPage, PageInCrawl } from '../page/page.js';
import type { FetchForPage, PageFetch, PageFetchOptions } from '../page/page-fetch.js';
import { present } from '../present.js';
import { checkRequestFields } from '../reserved-headers.js';
import type { AddResult, FollowOptions, HandledPage, PageChange, SaveAllOptions, SaveOptions } from './handled-page.js';
import type { Handlers } from './handlers.js';
import {
  DEFAULT_MEDIA_BYTES,
  DEFAULT_MEDIA_FILES,
  MAX_LARGE_BODY_BYTES,
  MAX_PAGE_FETCHES,
  MAX_REVISIT_MS,
} from './limits.js';
import {
  nameOf,
  type ReadMedia,
  type SavedFile,
  type SavedMedia,
  saveAllMedia,
  saveExclusion,
  saveFile,
} from './save.js';
import { type EmittedItem, jsonCopy, type LateAnswer, type Stage } from './staged.js';

export interface PageTools {
  readonly stage: Stage;
  /** Where `page.save` writes; `null`: nowhere by default. */
  readonly filesPath: string | null;
  readonly fetch: FetchForPage;
  /** Reads what `page.saveAll` requests. */
  readonly read: ReadMedia;
  /** Says which links a handler may want, and records followed selectors. */
  readonly handlers: Pick<Handlers, 'wantsLink' | 'recordSelector'>;
  /** Whether every page goes into an archive, so that all links are wanted. */
  readonly isArchived: boolean;
  readonly change: PageChange | null;
  /** Aborted when the handler's time is up. Its signal is created on first use, since few handlers use it. */
  readonly abort: AbortController;
}

/** @param userData - As returned by the route's schema, or as received. @throws Never */
export function createPageContext(page: PageInCrawl, tools: PageTools, userData: unknown): HandledPage {
  return new PageContext(page, tools, userData) as unknown as HandledPage;
}

/**
 * Has the facts of the page, and forwards what the page creates on first use. (Using the page as its prototype would be
 * shorter, but engines keep prototypes, and the page's text with them, far too long.) Its methods may be taken off it:
 * `const { emit, follow } = page`.
 */
class PageContext implements Partial<HandledPage> {
  readonly #page: PageInCrawl;
  readonly #tools: PageTools;
  #fetches = 0;
  #excludedUrls: ReadonlySet<string> | null = null;

  constructor(page: PageInCrawl, tools: PageTools, userData: unknown) {
    this.#page = page;
    this.#tools = tools;
    Object.assign(this, page, { userData, change: tools.change });
  }

  get links(): readonly PageLink[] {
    return this.#page.links;
  }

  get alternates(): readonly PageAlternate[] {
    return this.#page.alternates;
  }

  get language(): string | null {
    return this.#page.language;
  }

  get body(): ReadableStream<Uint8Array> {
    return this.#page.body;
  }

  get $(): CheerioAPI {
    try {
      return this.#page.$;
    } catch (error) {
      // A stack that begins in the parser of HTML is too long to reach the user's line.
      if (error instanceof MannerlyError) Error.captureStackTrace(error);
      throw error;
    }
  }

  get signal(): AbortSignal {
    return this.#tools.abort.signal;
  }

  readonly text = () => ignoreRejection(this.#page.text());
  readonly json = <T = JsonValue>() => ignoreRejection(this.#page.json<T>());
  readonly bytes = () => ignoreRejection(this.#page.bytes());
  readonly structured = () => ignoreRejection(this.#page.structured());
  readonly mainText = () => ignoreRejection(this.#page.mainText());
  readonly pdfText = () => ignoreRejection(this.#page.pdfText());
  readonly excerpt = (text: string, maxChars: number) => this.#page.excerpt(text, maxChars);

  readonly emit = (data: unknown): Promise<EmittedItem> =>
    this.#tools.stage.call(this.emit, REJECTED_ITEM, () => this.#tools.stage.emit(data));

  readonly follow = (selector?: string, options: FollowOptions<unknown> = {}): Promise<number> =>
    this.#tools.stage.call(this.follow, NO_LINKS, () => followLinks(this.#page, this.#tools, selector, options));

  readonly add = (url: string, options: FollowOptions<unknown> = {}): Promise<AddResult> =>
    this.#tools.stage.call(this.add, REFUSED_URL, () => {
      this.#excludedUrls ??= findExcludedUrls(this.#page);
      return addUrl(this.#page, this.#tools.stage, this.#excludedUrls, url, options);
    });

  readonly fetch = (text: string, options: PageFetchOptions = {}): Promise<PageFetch> =>
    this.#tools.stage.call<PageFetch>(this.fetch, { late: { kind: 'dropped', url: text, reason: 'page-over' } }, () => {
      checkOptions('fetch', options, FETCH_OPTIONS, 'It sends GET.');
      checkRequestFields('fetch.headers', options.headers ?? {});
      const url = resolveUrl(this.#page, text);
      if (url === null) return { kind: 'dropped', url: text.slice(0, MAX_LINK_URL_CHARS), reason: 'url-invalid' };
      this.#fetches += 1;
      if (this.#fetches > MAX_PAGE_FETCHES) return { kind: 'dropped', url, reason: 'page-fetch-limit' };
      return this.#tools.fetch(this.#page, url, options, this.signal);
    });

  readonly revisit = (
    afterMs: number,
    options: Omit<FollowOptions<unknown>, 'allowDuplicate' | 'depth'> = {},
  ): Promise<void> =>
    this.#tools.stage.call(this.revisit, NO_VISIT, () => {
      this.#tools.stage.link(nextVisit(this.#page, afterMs, options));
    });

  readonly save = (name?: string, options: SaveOptions = {}): Promise<SavedFile> =>
    this.#tools.stage.call(this.save, UNSAVED_FILE, () =>
      savePage(this.#page, this.#folder('save', options), name ?? nameOf(this.#page.url), this.#page.body),
    );

  readonly saveAll = (selector: string, options: SaveAllOptions = {}): Promise<SavedMedia[]> =>
    this.#tools.stage.call(this.saveAll, null, () => {
      checkOptions('saveAll', options, { folder: 'string', maxFiles: 'number', maxBytes: 'number' });
      const { maxFiles = DEFAULT_MEDIA_FILES, maxBytes = DEFAULT_MEDIA_BYTES } = options;
      checkCount('saveAll.maxFiles', maxFiles, MAX_PAGE_FETCHES);
      checkCount('saveAll.maxBytes', maxBytes, MAX_LARGE_BODY_BYTES);
      const folder = requireFolder(this.#page, options.folder ?? this.#tools.filesPath);
      const { fetch } = this;
      return saveAllMedia(this.#page, selector, { folder, fetch, read: this.#tools.read, maxFiles, maxBytes });
    });

  readonly screenshot = (name?: string, options: SaveOptions = {}): Promise<SavedFile> =>
    this.#tools.stage.call(this.screenshot, null, () => {
      const folder = this.#folder('screenshot', options);
      const png = this.#page.screenshot();
      if (png === null) return { kind: 'left-alone', reason: 'no-screenshot' };
      return savePage(this.#page, folder, name ?? `${nameOf(this.#page.url)}.png`, [png]);
    });

  #folder(call: string, options: SaveOptions): string | null {
    checkOptions(call, options, { folder: 'string' });
    return options.folder ?? this.#tools.filesPath;
  }
}

/** Reading has no other effect, so its failure may be lost if nothing awaits it. */
function ignoreRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

// The answers after the end of the handler.
const ENDED = 'the handler has ended: await everything that it starts';
const REJECTED_ITEM: LateAnswer<EmittedItem> = { late: { kind: 'rejected', issues: [{ message: ENDED, path: [] }] } };
const NO_LINKS: LateAnswer<number> = { late: 0 };
const NO_VISIT: LateAnswer<void> = { late: undefined };
const UNSAVED_FILE: LateAnswer<SavedFile> = { late: { kind: 'left-alone', reason: 'page-over' } };
const REFUSED_URL: LateAnswer<AddResult> = { late: { kind: 'refused', reason: 'page-over' } };

/** Saves the page or a part of it, unless its signals forbid that. */
async function savePage(
  page: FetchedPage,
  given: string | null,
  name: string,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<SavedFile> {
  const reason = saveExclusion(page.exclusion);
  if (reason !== null) return { kind: 'left-alone', reason };
  const written = await saveFile(requireFolder(page, given), name, content);
  return { kind: 'saved', ...written, truncated: page.truncated };
}

function requireFolder(page: FetchedPage, folder: string | null): string {
  if (folder !== null) return folder;
  throw new MannerlyError('file-folder-missing', `\`save\` needs a folder for ${page.url}`, {
    hint: 'Run the crawl with a crawl directory, or name a folder: `page.save(name, { folder })`.',
  });
}

/**
 * Stages links of the page. Links that the page wants left alone, or that no handler wants, are recorded as such. The
 * next page of a list keeps the depth, since a list may have any number of pages.
 * @returns The number of URLs that are staged for the first time.
 * @throws MannerlyError `page-not-markup`, `option-invalid`, `item-invalid`
 */
export function followLinks(
  page: FetchedPage,
  { stage, handlers, isArchived }: Pick<PageTools, 'stage' | 'handlers' | 'isArchived'>,
  selector: string | undefined,
  options: FollowOptions<unknown>,
): number {
  let staged = 0;
  const links = selector === undefined ? page.links : selectLinks(page, selector);
  if (selector !== undefined) handlers.recordSelector(selector, links.length > 0);
  const candidate = createCandidate(page, 'follow', options);
  let next: typeof candidate | null = null;
  for (const link of links) {
    const excluded = page.exclusion.linkExclusion(link);
    const reason = excluded ?? (isArchived || handlers.wantsLink(link.url, options.label ?? null) ? null : 'unwanted');
    if (reason !== null) stage.skip({ url: link.url, reason });
    else if (!link.rel.includes('next')) staged += Number(stage.link(candidate(link.url)));
    else {
      next ??= createCandidate(page, 'follow', { ...options, depth: options.depth ?? 'same' });
      staged += Number(stage.link(next(link.url)));
    }
  }
  return staged;
}

/** Stages a URL of the handler's own. @throws MannerlyError `option-invalid`, `item-invalid` */
export function addUrl(
  page: FetchedPage,
  stage: Stage,
  excludedUrls: ReadonlySet<string>,
  text: string,
  options: FollowOptions<unknown>,
): AddResult {
  const url = resolveUrl(page, text);
  if (url === null) return { kind: 'refused', reason: 'url-invalid' };
  stage.link(createCandidate(page, 'add', options)(url));
  if (!excludedUrls.has(url)) return { kind: 'staged', url, note: null };
  stage.nofollow(url);
  return { kind: 'staged', url, note: 'link-nofollow' };
}

function resolveUrl(page: FetchedPage, text: unknown): string | null {
  if (typeof text !== 'string') {
    const hint = text instanceof URL ? 'Pass its `href`.' : Array.isArray(text) ? 'Call it for each URL.' : undefined;
    throw invalidOption('url', 'a string, absolute or relative to the page', text, hint);
  }
  return resolveHref(text.trim(), linkBase(page.url, page.html?.baseHref ?? null));
}

const FETCH_OPTIONS: CallOptions<PageFetchOptions> = { waitMs: 'number', headers: 'object', maxBodyBytes: 'number' };

const LINK_OPTIONS: CallOptions<LinkOptions> = {
  label: 'string',
  userData: 'any',
  priority: 'number',
  allowDuplicate: 'boolean',
  depth: 'string',
};

type LinkOptions = { readonly [Name in keyof FollowOptions]?: FollowOptions<unknown>[Name] | undefined };

/** What candidates carry is copied once, since the handler may change its own later. Throws as `addUrl`. */
function createCandidate(page: FetchedPage, call: 'follow' | 'add' | 'revisit', options: LinkOptions) {
  const isOfRequest = ['method', 'body', 'payload', 'headers'].some((name) => Object.hasOwn(options, name));
  const hint = isOfRequest ? 'Every URL is requested with GET and the fields of `network.headers`.' : undefined;
  checkOptions(call, options, LINK_OPTIONS, hint);
  const { label, userData, priority, allowDuplicate = false } = options;
  checkPriority(`${call}.priority`, priority);
  if (options.depth !== undefined && options.depth !== 'same' && options.depth !== 'deeper') {
    throw invalidOption(`${call}.depth`, "'same' or 'deeper'", options.depth);
  }
  const via = call === 'follow' ? 'link' : 'handler';
  const depth = options.depth === 'same' ? page.depth : page.depth + 1;
  const from = page.url;
  if (label === undefined && userData === undefined && priority === undefined && !allowDuplicate)
    return (url: string): NewUrl => ({ url, depth, via, from });
  const linkOptions = {
    ...present({ label, priority }),
    ...(userData === undefined ? {} : { userData: jsonCopy(userData, `user data on ${from}`) }),
    // The time of the page distinguishes this visit from others.
    ...(allowDuplicate ? { visit: Math.max(1, Math.ceil(page.fetchedAtMs)) } : {}),
  };
  return (url: string): NewUrl => ({ url, depth, via, from, ...linkOptions });
}

/** One more visit of the page. @throws MannerlyError `option-invalid`, `item-invalid` */
export function nextVisit(
  page: FetchedPage,
  afterMs: number,
  options: Omit<FollowOptions<unknown>, 'allowDuplicate' | 'depth'>,
): NewUrl {
  if (!(typeof afterMs === 'number' && afterMs >= 0 && afterMs <= MAX_REVISIT_MS)) {
    throw invalidOption('revisit.afterMs', `a number from 0 to ${MAX_REVISIT_MS}`, afterMs);
  }
  const { label = page.label, userData = page.userData } = options;
  const { url, depth, via, from, visit, fetchedAtMs } = page;
  const linkOptions = { ...options, label: label ?? undefined, userData: userData ?? undefined };
  // The page stays where it was, not one link further.
  const { from: _page, ...next } = createCandidate(page, 'revisit', linkOptions)(url);
  const origin = from === null ? {} : { from };
  return { ...next, ...origin, depth, via, visit: visit + 1, notBeforeMs: Math.ceil(fetchedAtMs + afterMs) };
}

/** URLs that the page has only in links to be left alone. Computed once, since a handler may add thousands of URLs. */
function findExcludedUrls(page: FetchedPage): Set<string> {
  const isExcluded = (link: PageLink): boolean => page.exclusion.linkExclusion(link) !== null;
  const urls = new Set(page.links.filter(isExcluded).map(({ url }) => url));
  for (const link of page.links) if (!isExcluded(link)) urls.delete(link.url);
  return urls;
}
