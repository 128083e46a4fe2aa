/**
 * Host, Clean-param and PleaseVisit: what a file says to all crawlers about its URLs, besides Sitemap and License
 * (robots §9.7 to 9.9). No decision depends on it, so a program that does not use it need not load it.
 */

import type { RobotsDocument } from './document.js';
import { type CleanParam, isHostValue, parseCleanParam, readPleaseVisit, urlsOf } from './file-fields.js';
import { valuesOf } from './groups.js';
import { MAX_CLEAN_PARAM_LINES } from './limits.js';

interface SiteFields {
  /** The first valid `Host`, as written, or `null`. */
  readonly host: string | null;
  /** The readable Clean-param lines, at most 1,000. */
  readonly cleanParams: readonly CleanParam[];
  /** Absolute URLs of the file's own authority, in file order, without duplicates. */
  readonly pleaseVisit: readonly string[];
}

/** Reads the fields, anew for each call. */
export function siteFields({ fields, robotsUrl }: RobotsDocument): SiteFields {
  return {
    host: valuesOf(fields, 'host', (value) => (isHostValue(value) ? value : null))[0] ?? null,
    cleanParams: valuesOf(fields, 'clean-param', parseCleanParam).slice(0, MAX_CLEAN_PARAM_LINES),
    pleaseVisit: urlsOf(fields, 'pleasevisit', robotsUrl, readPleaseVisit),
  };
}
