// Fields for all crawlers, anywhere in the file: Sitemap, Host, Clean-param, PleaseVisit (robots §9.6–9.9), and License
// if it applies to the file (licensing §2). Each reader returns the meaning of a value, or null if it has none.

import { textOf } from './bytes.js';
import { plainKind } from './dialects.js';
import type { FieldRecord, RobotsDocument } from './document.js';
import { ALLOW, DISALLOW, LICENSE, USER_AGENT } from './fields.js';
import { valuesOf } from './groups.js';
import { MAX_CLEAN_PARAM_CHARS } from './limits.js';
import { records } from './packed-records.js';
import { readUrl, readWebUrl } from './read-url.js';

/** One `Clean-param` line (robots §9.8). */
export interface CleanParam {
  /** Names of the query parameters, case-sensitive. */
  readonly params: readonly string[];
  /** The prefix pattern of the paths concerned. */
  readonly path: string;
}

/** Reads a Sitemap value, absolute or relative to the file; `null` if it is ignored (robots §9.6). */
export function readSitemap(value: string, robotsUrl: string | null): string | null {
  return webUrl(value, isAbsoluteUrl(value) ? null : robotsUrl)?.href ?? null;
}

/** Whether a value has a scheme. */
export function isAbsoluteUrl(value: string): boolean {
  return /^[a-z][a-z\d+.-]*:/i.test(value);
}

/** Reads a PleaseVisit value, a URL of the file's own authority; `null` if it is ignored (robots §9.9, R48). */
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

/** Reads a License value: an absolute URL, or the value as written, which still stands for terms (C2). */
export function readLicense(value: string, robotsUrl: string | null): string {
  return readUrl(value, robotsUrl)?.href ?? value;
}

/** Whether a licence may be fetched: https, or http on the same authority if its file came over http (C2). */
export function isLicenseUrl(license: string, robotsUrl: string | null): boolean {
  const url = readUrl(license);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && url.origin === readUrl(robotsUrl ?? '')?.origin);
}

/** The URLs in the lines of a field, without duplicates. */
export function urlsOf(
  fields: readonly FieldRecord[],
  name: string,
  robotsUrl: string | null,
  read: (value: string, robotsUrl: string | null) => string | null,
): string[] {
  return [...new Set(valuesOf(fields, name, (value) => (value === '' ? null : read(value, robotsUrl))))];
}

/**
 * The License lines for all crawlers: those before the first group, and those that a blank line separates from the last
 * rule of their group. Authors of the latter mean the whole file, as they do with Sitemap (licensing C3).
 */
export function fileLicenses({ packed, robotsUrl }: RobotsDocument): string[] {
  const found = new Set<string>();
  let isInGroup = false;
  let hasRule = false;
  let isSeparated = true;
  for (const record of records(packed)) {
    const kind = plainKind(record);
    if (kind === USER_AGENT || kind === DISALLOW || kind === ALLOW) {
      hasRule = kind !== USER_AGENT;
      isInGroup ||= !hasRule;
      isSeparated = !isInGroup;
    } else isSeparated ||= hasRule && record.isAfterBlank;
    if (kind === LICENSE && isSeparated && record.value !== '') found.add(readLicense(textOf(record.value), robotsUrl));
  }
  return [...found];
}

function webUrl(value: string, base: string | null): URL | null {
  const url = readWebUrl(value, base);
  if (url !== null) url.hash = '';
  return url;
}
