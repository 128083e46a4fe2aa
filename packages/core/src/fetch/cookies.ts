// Cookies, off by default. Each origin has its own jar, so that nothing one origin sets reaches another, whatever its
// Domain attribute says. Jars are bounded in number and size, and cookies are never sent for robots.txt and its
// companions.

import { keepLatest } from '../keep-latest.js';
import type { RequestPurpose } from './egress-request.js';
import { MAX_COOKIE_HEADER_CHARS, MAX_COOKIE_LINE_CHARS, MAX_COOKIE_ORIGINS, MAX_ORIGIN_COOKIES } from './limits.js';
import { type HeaderLines, headerValues } from './outcome.js';

/** A cookie jar, like `CookieJar` of tough-cookie. It implements the rules of cookies itself (RFC 6265). */
export interface CookieJar {
  /** Stores a Set-Cookie line, or refuses it, possibly by rejecting. */
  setCookie(line: string, url: string): unknown;
  /** The value of Cookie for a URL; empty if there is none. */
  getCookieString(url: string): string | Promise<string>;
}

/** What an operator chose: no cookies, jars of tough-cookie, or their own jars. */
export type CookieOption = null | 'usual' | (() => CookieJar);

/**
 * The function that makes an origin's jar; `null` if no cookies are wanted. Loads tough-cookie if needed.
 * @param loginOrigin - Gets a jar even if no cookies are wanted; `null`: none does.
 * @throws What the platform throws when the package cannot be loaded.
 */
export async function createJarFactory(choice: CookieOption, loginOrigin: string | null): Promise<JarFactory | null> {
  if (choice === null && loginOrigin === null) return null;
  if (typeof choice === 'function') return choice;
  const { CookieJar: Jar } = await import('tough-cookie');
  return (origin) => (choice === 'usual' || origin === loginOrigin ? new Jar() : null);
}

/** Makes the jar of an origin that sets a cookie; `null`: its cookies are not kept. */
export type JarFactory = (origin: string) => CookieJar | null;

/** Requested alike for everyone (access §2): these files say how to crawl, and get no cookie and no credential. */
export const ANONYMOUS_PURPOSES: ReadonlySet<RequestPurpose> = new Set(['robots', 'data-txt', 'well-known', 'license']);

export class Cookies {
  readonly #createJar: JarFactory;
  /** Each origin's jar, and the names of the cookies it was given. The least recently used origin comes first. */
  readonly #origins = new Map<string, { readonly jar: CookieJar; readonly names: Set<string> }>();

  constructor(createJar: JarFactory) {
    this.#createJar = createJar;
  }

  /** The value of Cookie for a request, or `null`. Never rejects. */
  async valueFor({ origin, href }: URL, purpose: RequestPurpose): Promise<string | null> {
    const known = ANONYMOUS_PURPOSES.has(purpose) ? undefined : this.#origins.get(origin);
    if (known === undefined) return null;
    keepLatest(this.#origins, origin, known, MAX_COOKIE_ORIGINS);
    const value = await nullOnError(() => known.jar.getCookieString(href));
    return typeof value === 'string' && value.length <= MAX_COOKIE_HEADER_CHARS && FIELD_VALUE.test(value)
      ? value
      : null;
  }

  /** Keeps the cookies that a response sets. Never rejects: if a jar throws, the cookie is not kept. */
  async storeFrom({ origin, href }: URL, purpose: RequestPurpose, headers: HeaderLines): Promise<void> {
    const lines = ANONYMOUS_PURPOSES.has(purpose)
      ? []
      : headerValues(headers, 'set-cookie').slice(0, MAX_ORIGIN_COOKIES);
    for (const line of lines) {
      const name = line.slice(0, Math.max(0, line.indexOf('='))).trim();
      if (name === '' || line.length > MAX_COOKIE_LINE_CHARS) continue;
      const jar = this.#origins.get(origin)?.jar ?? this.#createJar(origin);
      if (jar === null) return;
      const known = this.#origins.get(origin) ?? { jar, names: new Set() };
      if (!known.names.has(name) && known.names.size >= MAX_ORIGIN_COOKIES) continue;
      known.names.add(name);
      keepLatest(this.#origins, origin, known, MAX_COOKIE_ORIGINS);
      await nullOnError(() => known.jar.setCookie(line, href));
    }
  }
}

/** Not empty, and without characters that would end the field line and begin another (RFC 9110 §5.5). */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]+$/;

/** A jar refuses a cookie by throwing. */
async function nullOnError(call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch {
    return null;
  }
}
