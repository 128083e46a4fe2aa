// The result of fetching one robots.txt, after redirects, what it means in a profile (access §4, §7), and how it
// replaces, confirms or drops the good copy, which is the last body received (access §2, §6, §8). Anything unrecognised
// means *transient*: the host is held and robots.txt is requested again.

import { MAX_VALIDATOR_CHARS } from '../limits.js';
import type { ResolvedAccessOptions } from './profile.js';
import { type HeaderLookup, mayStore } from './timing.js';

/** Why an exchange brought no complete response. All of them have the same effect; the name is for the operator. */
export type RobotsFailure =
  | 'dns'
  | 'refused'
  | 'reset'
  | 'timeout'
  | 'tls'
  | 'framing'
  | 'short-body'
  | 'content-encoding'
  | 'blocked'
  | 'redirect-unusable'
  | 'other';

/** The end of one chain of exchanges for a robots.txt. */
export type RobotsAnswer =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: HeaderLookup;
      /** Decoded and complete: a body cut off by the network is a failure, a body cut at `maxBytes` is not. */
      readonly body: Uint8Array;
      /** The URL that was requested first: its authority is the one that the rules govern. */
      readonly robotsUrl: string;
      /** The URL that gave this response, after redirects. */
      readonly finalUrl: string;
    }
  /** `detail`: the platform's message, for people. */
  | { readonly kind: 'failure'; readonly failure: RobotsFailure; readonly detail?: string }
  | { readonly kind: 'redirect-limit' };

/** What is reported to the operator about an answer (access §12). */
export type AccessNote = 'robots-forbidden' | 'robots-redirect-limit' | 'robots-content-type' | 'robots-html';

/** What an answer means. `gone` (404, 410) drops a good copy, `unavailable` keeps a recent one; both allow. */
export type AnswerMeaning = 'parse' | 'not-modified' | 'gone' | 'unavailable' | 'restricted' | 'transient';

/** Statuses that say no more than `later`. */
export const TRANSIENT_4XX: readonly number[] = [408, 421, 425, 429];

/** What an answer means in a profile. 304 counts only after a request with validators (access §4, A3 to A6). */
export function classifyAnswer(
  answer: RobotsAnswer,
  isRevalidation: boolean,
  { profile, onForbidden }: ResolvedAccessOptions,
): { readonly meaning: AnswerMeaning; readonly notes: readonly AccessNote[] } {
  const closed = profile === 'strictest' ? 'restricted' : 'unavailable';
  const means = (meaning: AnswerMeaning, ...notes: AccessNote[]) => ({ meaning, notes });
  if (answer.kind === 'redirect-limit') return means(closed, 'robots-redirect-limit');
  if (answer.kind === 'failure') return means('transient');
  const { status } = answer;
  if (status >= 200 && status <= 299 && status !== 206) return means('parse', ...contentNotes(answer));
  if (status === 304 && isRevalidation) return means('not-modified');
  if (status === 404 || status === 410) return means('gone');
  if (status >= 401 && status <= 403) {
    return means(onForbidden === 'deny' ? 'restricted' : 'unavailable', 'robots-forbidden');
  }
  const isTransient = profile === 'google' ? status === 429 : TRANSIENT_4XX.includes(status);
  return means(status >= 400 && status <= 499 && !isTransient ? closed : 'transient');
}

/** The charset that a response declares, in lower case (robots §2.2). */
export function declaredCharset(headers: HeaderLookup): string | null {
  const match = /;[ \t]*charset[ \t]*=[ \t]*"?([a-z0-9_.:+-]{1,40})/i.exec(headers['content-type'] ?? '');
  return match?.[1]?.toLowerCase() ?? null;
}

/** Rules that parse are followed whatever the media type is (DECISION A13); oddities are reported to the operator. */
function contentNotes({ headers, body }: { headers: HeaderLookup; body: Uint8Array }): AccessNote[] {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const notes: AccessNote[] = [];
  if (type !== '' && type !== 'text/plain') notes.push('robots-content-type');
  if (type === 'text/html' || type === 'application/xhtml+xml' || firstVisibleByte(body) === 0x3c) {
    notes.push('robots-html');
  }
  return notes;
}

function firstVisibleByte(body: Uint8Array): number | undefined {
  // Byte order marks of UTF-8 and UTF-16 are as invisible as blanks and control bytes.
  return body.find((byte) => byte > 0x20 && ![0xef, 0xbb, 0xbf, 0xfe, 0xff].includes(byte));
}

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
