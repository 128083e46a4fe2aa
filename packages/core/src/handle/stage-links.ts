// The URLs that a handler follows, adds and visits again, as candidates for admission.

import type { NewUrl } from '@mannerly/frontier';
import { invalidOption } from '../errors.js';
import { type PageLink, selectLinks } from '../page/links.js';
import type { FetchedPage } from '../page/page.js';
import { linkBase, resolveHref } from '../page/resolve-href.js';
import type { AddResult, FollowOptions } from './handled-page.js';
import { MAX_REVISIT_MS } from './limits.js';
import { jsonCopy, type Stage } from './staged.js';

/**
 * Stages links of the page; those that it wants left alone are noted as such. The next page of a list, by its `rel`,
 * keeps the depth unless `options` say otherwise: a list has as many pages as it has.
 *
 * @throws MannerlyError `page-not-markup`, `option-invalid`, `item-invalid`
 */
export function followLinks(
  page: FetchedPage,
  stage: Stage,
  selector: string | undefined,
  options: FollowOptions,
): void {
  const links = selector === undefined ? page.links : selectLinks(page, selector);
  const candidate = candidates(page, 'link', options);
  const next = candidates(page, 'link', { ...options, depth: options.depth ?? 'same' });
  for (const link of links) {
    const reason = page.exclusion.whyLeaveAlone(link);
    if (reason === null) stage.link(link.rel.includes('next') ? next(link.url) : candidate(link.url));
    else stage.leaveAlone({ url: link.url, reason });
  }
}

/**
 * Stages a URL of the handler's own. @param leftAlone - As `leftAloneUrls` has it. @throws MannerlyError
 * `option-invalid`, `item-invalid`
 */
export function addUrl(
  page: FetchedPage,
  stage: Stage,
  leftAlone: ReadonlySet<string>,
  text: string,
  options: FollowOptions,
): AddResult {
  const url = resolveHref(text.trim(), linkBase(page.url, page.html?.baseHref ?? null));
  if (url === null) return { kind: 'refused', reason: 'url-invalid' };
  stage.link(candidates(page, 'handler', options)(url));
  if (!leftAlone.has(url)) return { kind: 'staged', url, note: null };
  stage.nofollow(url);
  return { kind: 'staged', url, note: 'link-nofollow' };
}

type Carried = { readonly [Name in keyof FollowOptions]?: FollowOptions[Name] | undefined };

/**
 * Makes candidates of URLs found on a page. What they carry is copied once: the handler may change its own later.
 * @throws MannerlyError `option-invalid`, `item-invalid`
 */
function candidates(page: FetchedPage, via: 'link' | 'handler', options: Carried): (url: string) => NewUrl {
  const { label, userData, priority, allowDuplicate = false } = options;
  if (options.depth !== undefined && options.depth !== 'same' && options.depth !== 'deeper') {
    throw invalidOption('depth', "'same' or 'deeper'", options.depth);
  }
  const depth = options.depth === 'same' ? page.depth : page.depth + 1;
  const from = page.url;
  if (label === undefined && userData === undefined && priority === undefined && !allowDuplicate)
    return (url) => ({ url, depth, via, from });
  const carried = {
    ...(label === undefined ? {} : { label }),
    ...(userData === undefined ? {} : { userData: jsonCopy(userData, `user data on ${from}`) }),
    ...(priority === undefined ? {} : { priority }),
    // The time of the page tells this visit from others.
    ...(allowDuplicate ? { visit: Math.max(1, Math.ceil(page.fetchedAtMs)) } : {}),
  };
  return (url) => ({ url, depth, via, from, ...carried });
}

/** One more visit of the page. @throws MannerlyError `option-invalid`, `item-invalid` */
export function nextVisit(
  page: FetchedPage,
  afterMs: number,
  options: Omit<FollowOptions, 'allowDuplicate' | 'depth'>,
): NewUrl {
  if (!(typeof afterMs === 'number' && afterMs >= 0 && afterMs <= MAX_REVISIT_MS)) {
    throw invalidOption('afterMs` of `revisit', `a number from 0 to ${MAX_REVISIT_MS}`, afterMs);
  }
  const { label = page.label, userData = page.userData, priority } = options;
  const { url, depth, via, from, visit, fetchedAtMs } = page;
  const carried = { label: label ?? undefined, userData: userData ?? undefined, priority };
  // The page is where it was, not one link further.
  const { from: _page, ...next } = candidates(page, 'handler', carried)(url);
  const origin = from === null ? {} : { from };
  return { ...next, ...origin, depth, via, visit: visit + 1, notBeforeMs: Math.ceil(fetchedAtMs + afterMs) };
}

/**
 * URLs that the page shows only in links that it wants left alone. Computed once: a handler may add thousands of URLs.
 */
export function leftAloneUrls(page: FetchedPage): Set<string> {
  const isAlone = (link: PageLink): boolean => page.exclusion.whyLeaveAlone(link) !== null;
  const urls = new Set(page.links.filter(isAlone).map(({ url }) => url));
  for (const link of page.links) if (!isAlone(link)) urls.delete(link.url);
  return urls;
}
