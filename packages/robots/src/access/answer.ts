// The result of fetching one robots.txt, after redirects, and what it means in a profile (access §4, §7). Anything
// unrecognised means *transient*: the host is held and robots.txt is requested again.

import type { ResolvedAccessOptions } from './profile.js';
import type { HeaderLookup } from './timing.js';

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

/** A meaning, and what is reported to the operator. */
interface AnswerClass {
  readonly meaning: AnswerMeaning;
  readonly notes: readonly AccessNote[];
}

const TRANSIENT_4XX: readonly number[] = [408, 421, 425, 429];

/** What an answer means in a profile. 304 counts only after a request with validators (access §4, A3 to A6). */
export function classifyAnswer(
  answer: RobotsAnswer,
  isRevalidation: boolean,
  options: ResolvedAccessOptions,
): AnswerClass {
  const closedMeaning = options.profile === 'strictest' ? 'restricted' : 'unavailable';
  if (answer.kind === 'redirect-limit') return { meaning: closedMeaning, notes: ['robots-redirect-limit'] };
  if (answer.kind === 'failure') return { meaning: 'transient', notes: [] };
  const { status } = answer;
  if (status >= 200 && status <= 299 && status !== 206) return { meaning: 'parse', notes: contentNotes(answer) };
  if (status === 304 && isRevalidation) return { meaning: 'not-modified', notes: [] };
  if (status === 404 || status === 410) return { meaning: 'gone', notes: [] };
  if (status >= 401 && status <= 403) {
    const meaning = options.onForbidden === 'deny' ? 'restricted' : 'unavailable';
    return { meaning, notes: ['robots-forbidden'] };
  }
  if (isTransient4xx(status, options)) return { meaning: 'transient', notes: [] };
  if (status >= 400 && status <= 499) return { meaning: closedMeaning, notes: [] };
  return { meaning: 'transient', notes: [] };
}

/** The charset that a response declares, in lower case (robots §2.2). */
export function declaredCharset(headers: HeaderLookup): string | null {
  const match = /;[ \t]*charset[ \t]*=[ \t]*"?([a-z0-9_.:+-]{1,40})/i.exec(headers['content-type'] ?? '');
  return match?.[1]?.toLowerCase() ?? null;
}

function isTransient4xx(status: number, { profile }: ResolvedAccessOptions): boolean {
  return profile === 'google' ? status === 429 : TRANSIENT_4XX.includes(status);
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
