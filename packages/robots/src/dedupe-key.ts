/**
 * Clean-param and Host: which query parameters a site says do not change a page, and which of its names it prefers.
 * They change the key under which a URL is known, never the URL that is requested (robots §9.7, §9.8, R47): a wrong
 * statement costs nothing that anybody could see.
 */

import { bytesOf } from './bytes.js';
import type { RobotsDocument } from './document.js';
import { matchesBytes } from './pattern.js';
import { readUrl, targetOf } from './target.js';

/** Which statements of the file change the key. */
interface DedupeOptions {
  /** Whether parameters that `Clean-param` names leave the key. @default 'dedupe' */
  readonly cleanParam?: 'dedupe' | 'expose';
  /**
   * Whether the key stands on the preferred mirror that `Host` names. Two names of a site are one then; the field is
   * retired, so a stale one makes two sites one.
   * @default 'expose'
   */
  readonly host?: 'expose' | 'canonicalize';
}

/** The key under which a URL is known: without the named parameters, on the preferred mirror (robots §9.7, §9.8). */
export function dedupeKey(document: RobotsDocument, url: string, options: DedupeOptions = {}): string {
  const key = options.cleanParam === 'expose' ? url : withoutParams(document, url);
  return options.host === 'canonicalize' ? onMirror(document.host, key) : key;
}

function withoutParams(document: RobotsDocument, url: string): string {
  const hash = url.indexOf('#');
  const queryEnd = hash < 0 ? url.length : hash;
  const question = url.indexOf('?');
  if (question < 0 || question > queryEnd || document.cleanParams.length === 0) return url;
  const { path } = targetOf(url);
  const names = new Set(
    document.cleanParams.filter((line) => matchesBytes(bytesOf(line.path), path)).flatMap((line) => line.params),
  );
  if (names.size === 0) return url;
  const kept = url
    .slice(question + 1, queryEnd)
    .split('&')
    .filter((piece) => !names.has(piece.split('=')[0] as string));
  const query = kept.length === 0 ? '' : `?${kept.join('&')}`;
  return url.slice(0, question) + query + url.slice(queryEnd);
}

function onMirror(host: string | null, url: string): string {
  const [authority = '', scheme = ''] = /^(https?:)\/\/[^/?#]*/i.exec(url) ?? [];
  if (host === null || authority === '') return url;
  const mirror = readUrl(/^https?:/i.test(host) ? host : `${scheme}//${host}`);
  return mirror === null ? url : mirror.origin + url.slice(authority.length);
}
