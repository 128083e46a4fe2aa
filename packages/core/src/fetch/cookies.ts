// Cookies, off by default. One jar for each origin, so that nothing that one origin sets can reach another, whatever
// its Domain attribute says. Bounded in number and size, and never sent for robots.txt and its companions.

import { keepLatest } from '../keep-latest.js';
import type { RequestPurpose } from './identity.js';
import { MAX_COOKIE_HEADER_CHARS, MAX_COOKIE_LINE_CHARS, MAX_COOKIE_ORIGINS, MAX_ORIGIN_COOKIES } from './limits.js';
import { type HeaderLines, headerValues } from './outcome.js';

/** What a jar has to do, as `CookieJar` of tough-cookie does it: the rules of cookies are its own (RFC 6265). */
export interface CookieJar {
  /** Keeps what a Set-Cookie line says, or refuses it: by rejecting, if it likes. */
  setCookie(line: string, url: string): unknown;
  /** The value of Cookie for a URL; empty where there is none. */
  getCookieString(url: string): string | Promise<string>;
}

/** What an operator chose: none, jars of tough-cookie, or jars of their own. */
export type CookieChoice = null | 'usual' | (() => CookieJar);

/**
 * The function that makes the jar of an origin; `null` where no cookies are wanted. Loads tough-cookie if needed.
 *
 * @param loginOrigin - Gets a jar although no cookies are wanted. @default `null`: none does
 * @throws What the platform throws when the package cannot be loaded.
 */
export async function jarMaker(choice: CookieChoice, loginOrigin: string | null = null): Promise<MakeJar | null> {
  if (choice === null && loginOrigin === null) return null;
  if (typeof choice === 'function') return choice;
  const { CookieJar: Jar } = await import('tough-cookie');
  return (origin) => (choice === 'usual' || origin === loginOrigin ? new Jar() : null);
}

/** Makes the jar of an origin that sets a cookie; `null`: its cookies are not kept. */
export type MakeJar = (origin: string) => CookieJar | null;

/** What is requested for everyone alike (access §2): it says how to crawl, and gets no cookie and no credential. */
export const SAME_FOR_EVERYONE: ReadonlySet<RequestPurpose> = new Set(['robots', 'data-txt', 'well-known', 'license']);

export class Cookies {
  readonly #makeJar: MakeJar;
  /** The jar of each origin, and the names of the cookies it was given. The origin unused longest is the first. */
  readonly #origins = new Map<string, { readonly jar: CookieJar; readonly names: Set<string> }>();

  constructor(makeJar: MakeJar) {
    this.#makeJar = makeJar;
  }

  /** The value of Cookie for a request, or `null`. Never rejects. */
  async valueFor({ origin, href }: URL, purpose: RequestPurpose): Promise<string | null> {
    const known = SAME_FOR_EVERYONE.has(purpose) ? undefined : this.#origins.get(origin);
    if (known === undefined) return null;
    keepLatest(this.#origins, origin, known, MAX_COOKIE_ORIGINS);
    const value = await answerOf(() => known.jar.getCookieString(href));
    return typeof value === 'string' && value.length <= MAX_COOKIE_HEADER_CHARS && FIELD_VALUE.test(value)
      ? value
      : null;
  }

  /** Keeps what a response sets. Never rejects: what a jar throws is a cookie that is not kept. */
  async keep({ origin, href }: URL, purpose: RequestPurpose, headers: HeaderLines): Promise<void> {
    const lines = SAME_FOR_EVERYONE.has(purpose)
      ? []
      : headerValues(headers, 'set-cookie').slice(0, MAX_ORIGIN_COOKIES);
    for (const line of lines) {
      const name = line.slice(0, Math.max(0, line.indexOf('='))).trim();
      if (name === '' || line.length > MAX_COOKIE_LINE_CHARS) continue;
      const jar = this.#origins.get(origin)?.jar ?? this.#makeJar(origin);
      if (jar === null) return;
      const known = this.#origins.get(origin) ?? { jar, names: new Set() };
      if (!known.names.has(name) && known.names.size >= MAX_ORIGIN_COOKIES) continue;
      known.names.add(name);
      keepLatest(this.#origins, origin, known, MAX_COOKIE_ORIGINS);
      await answerOf(() => known.jar.setCookie(line, href));
    }
  }
}

/** Not empty, and nothing that would end a field line and begin another (RFC 9110 §5.5). */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]+$/;

/** A jar refuses by throwing: that is an answer, and it is no. */
async function answerOf(ask: () => unknown): Promise<unknown> {
  try {
    return await ask();
  } catch {
    return null;
  }
}
