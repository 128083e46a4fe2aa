// A URL → the path and query that rules are compared with. A usual URL, as a URL parser writes it, is spelt the same in
// every form; anything else takes the slow path, which may call the platform's URL parser.

import { bytesOf } from './bytes.js';

/** The path and query of a URL. */
export interface Target {
  /** In bytes. */
  readonly path: string;
  /** Whether every form of normalize.ts spells it the same. */
  readonly isUsual: boolean;
}

// Scheme and authority; segments that are not dot segments; a query in which `n0` and `n1` agree.
const USUAL =
  /^(?:[a-z][a-z\d+.-]*:\/\/[^/?#\\]+)?((?:\/(?!\.\.?(?:[/?#]|$))[\w\-.~:[\]@!&'()+,;=]*)+(?:\?[\w\-.~!&'()+,;=]*)?)(?:#|$)/i;

/** The path and query of any URL or path, with dot segments resolved (robots §6, R26). */
export function targetOf(url: string): Target {
  const usual = USUAL.exec(url);
  if (usual !== null) return { path: usual[1] as string, isUsual: true };
  let path = url.replace(/#.*$/s, '').replace(/^[a-z][a-z\d+.-]*:\/\/[^/?\\]*/i, '');
  if (!path.startsWith('/')) path = `/${path}`;
  if (/[\\\t\n\r]|\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(path)) {
    // Not even a path of a known authority: then it is compared as it is.
    const { pathname, search } = readUrl(`http://a${path.replace(/^[/\\]+/, '/')}`) ?? { pathname: path, search: '' };
    path = pathname + search;
  }
  return { path: bytesOf(path), isUsual: false };
}

/** Reads a URL. @returns `null` for anything else, an empty value included. */
export function readUrl(value: string, base: string | null = null): URL | null {
  try {
    return value === '' ? null : new URL(value, base ?? undefined);
  } catch {
    // A TypeError: not a URL.
    return null;
  }
}

/** As `readUrl`; `null` also for a scheme other than http and https. */
export function readWebUrl(value: string, base: string | null = null): URL | null {
  const url = readUrl(value, base);
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
}

let known: { readonly url: string; readonly host: string | undefined } = { url: '', host: undefined };

/** The host and port of a file's URL, which is needed again and again; `undefined` if the value is not a URL. */
export function hostOf(robotsUrl: string): string | undefined {
  if (known.url !== robotsUrl) known = { url: robotsUrl, host: readHost(robotsUrl) };
  return known.host;
}

/** The host and port of a URL, without the dot of a fully qualified name (access §1, A2). */
export function readHost(url: string): string | undefined {
  return readUrl(url.replace(/\.(?=[:/])/, ''))?.host;
}
