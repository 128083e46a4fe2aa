// Fields for all crawlers, anywhere in the file: Sitemap, Host, Clean-param, PleaseVisit (robots §9.6–9.9). Each
// reader says what the value means, or that it means nothing.

import type { CleanParam } from './document.js';
import { MAX_CLEAN_PARAM_CHARS } from './limits.js';
import { readUrl } from './target.js';

/** Reads a Sitemap value, absolute or relative to the file; `null`: to be ignored (robots §9.6). */
export function readSitemap(value: string, robotsUrl: string | null): string | null {
  return webUrl(value, isAbsoluteUrl(value) ? null : robotsUrl)?.href ?? null;
}

/** Whether a value has a scheme. */
export function isAbsoluteUrl(value: string): boolean {
  return /^[a-z][a-z\d+.-]*:/i.test(value);
}

/** Reads a PleaseVisit value, a URL of the file's own authority; `null`: to be ignored (robots §9.9, R48). */
export function readPleaseVisit(value: string, robotsUrl: string | null): string | null {
  const url = webUrl(value, robotsUrl);
  return url !== null && robotsUrl !== null && url.origin === webUrl(robotsUrl, null)?.origin ? url.href : null;
}

/** Whether a Host value is `[scheme "://"] host [":" port]` (robots §9.7). */
export function isHostValue(value: string): boolean {
  const match = /^(?:https?:\/\/)?([^\s/?#@:]+|\[[0-9a-f:.]+\])(?::\d{1,5})?\/?$/i.exec(value);
  return match !== null && webUrl(`http://${match[1]}/`, null) !== null;
}

/** Reads a Clean-param value, `param&param path`; `null`: `clean-param-invalid` (robots §9.8). */
export function parseCleanParam(value: string): CleanParam | null {
  if (value.length > MAX_CLEAN_PARAM_CHARS) return null;
  const [names = '', path = '/', ...more] = value.split(/[ \t]+/);
  const params = names.split('&').filter((name) => name !== '');
  return params.length === 0 || more.length > 0 ? null : { params, path };
}

function webUrl(value: string, base: string | null): URL | null {
  const url = readUrl(value, base);
  if (url !== null) url.hash = '';
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
}
