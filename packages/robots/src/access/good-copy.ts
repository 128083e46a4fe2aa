// The good copy of a robots.txt: the last body received, and how an answer replaces, confirms or drops it (access §2,
// §6, §8).

import { MAX_VALIDATOR_CHARS } from '../limits.js';
import { type AnswerMeaning, declaredCharset, type RobotsAnswer } from './answer.js';
import { type HeaderLookup, mayStore } from './timing.js';

/** The last body successfully received, with what is needed to read it and to revalidate it. */
export interface GoodCopy {
  readonly body: Uint8Array;
  /** The URL requested first; relative values in the file are resolved against it. */
  readonly robotsUrl: string;
  /** The URL that returned the body. The validators are valid for this URL only. */
  readonly finalUrl: string;
  readonly charset: string | null;
  /** Epoch milliseconds when the copy was received, or last confirmed by a 304. */
  readonly receivedAtMs: number;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** False after `no-store`: the copy lives in memory only. */
  readonly mayStore: boolean;
}

/** The validators for a request to `url`; null unless `url` is the copy's own final URL (access §2; RFC 9110 §13.1). */
export function copyValidators(copy: GoodCopy | null, url: string): Readonly<Record<string, string>> | null {
  if (copy === null || copy.finalUrl !== url || (copy.etag === null && copy.lastModified === null)) return null;
  return {
    ...(copy.etag === null ? {} : { 'if-none-match': copy.etag }),
    ...(copy.lastModified === null ? {} : { 'if-modified-since': copy.lastModified }),
  };
}

/** The copy after an answer: `parse` replaces, `not-modified` confirms, `gone` drops it (access §8, DECISION A12). */
export function copyAfter(
  copy: GoodCopy | null,
  meaning: AnswerMeaning,
  answer: RobotsAnswer,
  nowMs: number,
): GoodCopy | null {
  if (meaning === 'gone') return null;
  if (answer.kind !== 'response') return copy;
  const { headers, body, robotsUrl, finalUrl } = answer;
  const etag = validator(headers, 'etag');
  const lastModified = validator(headers, 'last-modified');
  if (meaning === 'parse') {
    const charset = declaredCharset(headers);
    return { body, robotsUrl, finalUrl, charset, receivedAtMs: nowMs, etag, lastModified, mayStore: mayStore(headers) };
  }
  if (meaning !== 'not-modified' || copy === null) return copy;
  return {
    ...copy,
    receivedAtMs: nowMs,
    etag: etag ?? copy.etag,
    lastModified: lastModified ?? copy.lastModified,
    mayStore: copy.mayStore && mayStore(headers),
  };
}

function validator(headers: HeaderLookup, name: string): string | null {
  const value = headers[name]?.trim() ?? '';
  return value === '' || value.length > MAX_VALIDATOR_CHARS ? null : value;
}
