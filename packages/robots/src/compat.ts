/**
 * The interface of the npm package robots-parser over this package, for programs that use robots-parser. This package's
 * README lists the intended differences.
 */

import { robotsUrl } from './access/robots-url.js';
import { MAX_COMPAT_AGENTS, MAX_USER_AGENT_CHARS } from './limits.js';
import { parseRobots } from './parse.js';
import { readUrl } from './read-url.js';
import { createRulesCompiler, type RobotsRules } from './rules.js';
import { siteFields } from './site-fields.js';

/** A parsed robots.txt, with the methods of robots-parser. None of them throws. */
export interface CompatRobots {
  /** Whether a crawler may fetch a URL; `undefined` if the URL is not of this file's authority. @default ua `*` */
  isAllowed(url: string, ua?: string): boolean | undefined;
  /** The opposite; `undefined` in the same case. */
  isDisallowed(url: string, ua?: string): boolean | undefined;
  /** Whether a group that names the crawler disallows the URL; `*` does not count. */
  isExplicitlyDisallowed(url: string, ua: string): boolean | undefined;
  /** The number of the deciding line, from 1; -1 if none decides. */
  getMatchingLineNumber(url: string, ua?: string): number;
  /** The Crawl-delay for a crawler in seconds; `undefined` if there is none. */
  getCrawlDelay(ua?: string): number | undefined;
  /** The URLs of the Sitemap lines. */
  getSitemaps(): string[];
  /** The value of the Host line; `null` if there is none. */
  getPreferredHost(): string | null;
}

/**
 * Reads a robots.txt.
 * @param url - The URL of the file; if it is relative, such as `/robots.txt`, the methods take relative URLs.
 * @param contents - The text of the file.
 * @throws RobotsError `invalid-input` if the contents are not text
 */
export function robotsParser(url: string, contents: string): CompatRobots {
  const own = robotsUrl(url);
  const document = parseRobots(contents, own === null ? {} : { robotsUrl: own });
  const compiled = new Map<string, RobotsRules>();
  const rulesFor = (ua: string): RobotsRules => {
    const token = productTokenOf(ua);
    const known = compiled.get(token) ?? createRulesCompiler({ tokens: token })(document);
    if (compiled.size >= MAX_COMPAT_AGENTS) compiled.clear();
    compiled.set(token, known);
    return known;
  };
  const isOwn = (given: string): boolean => (own === null ? readUrl(given) === null : robotsUrl(given) === own);
  const pathOf = (given: string): string => {
    // Programs in JavaScript also pass a URL object.
    const text = String(given);
    return text.startsWith('/') || readUrl(text) !== null ? text : `/${text}`;
  };
  const isAllowed = (given: string, ua = '*'): boolean | undefined =>
    isOwn(given) ? rulesFor(ua).isAllowed(pathOf(given)) : undefined;
  return {
    isAllowed,
    isDisallowed(given, ua) {
      const allowed = isAllowed(given, ua);
      return allowed === undefined ? undefined : !allowed;
    },
    isExplicitlyDisallowed(given, ua) {
      if (!isOwn(given)) return undefined;
      const { allowed, agent } = rulesFor(ua).decide(pathOf(given));
      return !allowed && agent !== '*';
    },
    getMatchingLineNumber: (given, ua = '*') => (isOwn(given) && rulesFor(ua).decide(pathOf(given)).line) || -1,
    getCrawlDelay(ua = '*') {
      const { crawlDelayMs } = rulesFor(ua);
      return crawlDelayMs === null ? undefined : crawlDelayMs / 1_000;
    },
    getSitemaps: () => [...document.sitemaps],
    getPreferredHost: () => siteFields(document).host,
  };
}

/**
 * The product token in a User-Agent: the first one, or in a browser's User-Agent the one after `compatible;`.
 * @param userAgent - For example `examplebot/1.0 (+https://example.org/bot)`.
 * @returns For example `examplebot`; if there is no token, a name that no file addresses, so that `*` counts.
 */
export function productTokenOf(userAgent: string): string {
  const text = String(userAgent ?? '').slice(0, MAX_USER_AGENT_CHARS);
  const [, disguised] = /^mozilla\/.*?compatible; *([a-z\d_-]+)/i.exec(text) ?? [];
  return disguised ?? /^[a-z\d_-]+/i.exec(text)?.[0] ?? 'unnamed-crawler';
}
