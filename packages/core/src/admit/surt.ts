// SURT prefixes, the web archives' way of naming a part of the web: the host's labels from the right, so that a domain
// and everything below it share a beginning. `(org,example,` is example.org with all its hosts,
// `http://(org,example,www,)/a` is /a on one of them.

import type { UrlParts } from '@mannerly/frontier/internal';
import { invalidOption } from '../errors.js';
import { MAX_URL_PATTERN_CHARS, MAX_URL_PATTERNS } from './limits.js';

/**
 * A URL as SURT: `http://(org,example,www,:8080)/path?query`. Addresses are not turned round: `http://(127.0.0.1)/`.
 *
 * @throws Never.
 */
export function surtOf({ scheme, host, port, path, query }: UrlParts): string {
  const isAddress = host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host);
  const labels = isAddress ? host : `${host.replace(/\.$/, '').split('.').reverse().join(',')},`;
  return `${scheme}://(${labels}${port === '' ? '' : `:${port}`})${path}${query === null ? '' : `?${query}`}`;
}

/**
 * Reads SURT prefixes. One without a scheme stands for both; one that ends within the host must end with a comma, or
 * `(org,example` would take in example-shop.org too.
 *
 * @returns Whether a URL begins with any of them.
 * @throws MannerlyError `option-invalid`.
 */
export function readSurts(option: string, given: readonly string[] | undefined): (url: UrlParts) => boolean {
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_URL_PATTERNS) {
    throw invalidOption(option, `1 to ${MAX_URL_PATTERNS} SURT prefixes`, given);
  }
  const prefixes = given.flatMap((prefix: unknown) => {
    const [, scheme = '', rest = ''] = (typeof prefix === 'string' && /^(https?:\/\/)?(\(.*)$/.exec(prefix)) || [];
    const isWhole = rest.includes(')') || rest.endsWith(',') || rest === '(';
    if (rest === '' || !isWhole || rest.length > MAX_URL_PATTERN_CHARS) {
      throw invalidOption(option, 'SURT prefixes such as (org,example, or https://(org,example,www,)/docs/', prefix);
    }
    const host = rest.split(')', 1)[0] ?? '';
    const lower = host.toLowerCase() + rest.slice(host.length);
    return scheme === '' ? [`http://${lower}`, `https://${lower}`] : [scheme + lower];
  });
  return (url) => {
    const surt = surtOf(url);
    return prefixes.some((prefix) => surt.startsWith(prefix));
  };
}
