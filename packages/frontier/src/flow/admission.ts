// The way into the queue: a URL becomes an entry of its host's queue, or an answer why not. In this order: can it be
// queued at all, is it known, do fresh rules at hand close it, is there room. Robots' first look is cheap and not
// binding: what it lets through is asked again when it is taken (access §11).

import type { HostWarnings } from '../hosts/host-warnings.js';
import { PRIORITIES, URL_MAX_CHARS } from '../limits.js';
import { type PageItem, recordOf } from '../records/record.js';
import { excludedReason } from '../robots/authority-rules.js';
import type { Exclusion } from '../robots/robots-gate.js';
import type { AddAnswer } from '../settlement.js';
import type { AddOutcome, NewEntry } from '../store.js';
import type { Home } from '../url/host-key.js';
import { parseUrl } from '../url/parse-url.js';
import { formatUrlParts, parseUrlParts, type UrlParts } from '../url/url-parts.js';
import type { NewUrl } from '../url-record.js';
import { DEFAULT_PRIORITY, USER_DATA_MAX_BYTES } from './limits.js';
import type { Seen } from './seen.js';

/** One URL on its way in: an answer already, or the entry that the store is to answer. */
export type Candidate =
  | {
      readonly kind: 'answered';
      readonly input: NewUrl;
      readonly answer: AddAnswer;
      readonly exclusion: Exclusion | null;
      readonly key: string;
    }
  | { readonly kind: 'entry'; readonly input: NewUrl; readonly url: string; readonly entry: NewEntry };

/** What admission is made of. */
export interface AdmissionParts {
  readonly seen: Seen;
  readonly notices: HostWarnings;
  /** The authority and the host key. */
  readonly homeOf: (url: UrlParts) => Home;
  readonly firstLook: (authority: string, url: string, nowMs: number) => Exclusion | null;
  /** An item as the store keeps it. */
  readonly encode: (item: PageItem) => Uint8Array;
  /** The bound that a host is known to have used up. */
  readonly spentBound: (host: string) => string | null;
  /** Entries that still find room. */
  readonly room: () => number;
  readonly maxBodyBytes: () => number;
  /** An entry was queued. */
  readonly queued: (host: string) => void;
  /** A URL was queued that was not known before. */
  readonly onQueued: (url: NewUrl) => void;
  /** The name under which the site's own rules know a URL, with rules at hand; `null`: its own. */
  readonly keyBySite: (authority: string, url: string) => string | null;
}

/** The way in, in two steps with the store's answer between them. */
export interface Admission {
  /** What becomes of URLs as far as it can be said without the store. */
  consider(urls: readonly NewUrl[], nowMs: number): Candidate[];
  /**
   * The answers, in the order of the URLs. Exclusions are told, once per URL; with `tellsDrops` also what was dropped,
   * for callers that get no answers.
   */
  conclude(candidates: readonly Candidate[], outcomes: readonly AddOutcome[], tellsDrops: boolean): AddAnswer[];
  /** Entries that went in without being considered. */
  noteQueued(entries: readonly NewEntry[], outcomes: readonly AddOutcome[]): void;
}

/** @throws Never: what cannot be queued is an answer. */
export function createAdmission(parts: AdmissionParts): Admission {
  const { seen, notices } = parts;
  const noteQueued = (entries: readonly NewEntry[], outcomes: readonly AddOutcome[]) => {
    for (let at = 0; at < entries.length; at += 1) if (outcomes[at] === 'new') parts.queued(entries[at]!.host);
  };
  return {
    consider(urls, nowMs) {
      let room = parts.room();
      return urls.map((input) => {
        const candidate = admitOne(input, parts, nowMs);
        if (candidate.kind === 'answered' || input.via === 'companion') return candidate;
        room -= 1;
        return room < 0 ? answered(input, { kind: 'full' }) : candidate;
      });
    },
    conclude(candidates, outcomes, tellsDrops) {
      noteQueued(linksOf(candidates), outcomes);
      let next = 0;
      return candidates.map((candidate) => {
        const answer =
          candidate.kind === 'answered' ? candidate.answer : { kind: outcomes[next++] ?? ('full' as const) };
        const isFirst = (candidate.input.visit ?? 0) === 0;
        if (candidate.kind === 'entry' && isFirst && answer.kind !== 'full') seen.learn(candidate.url);
        if (candidate.kind === 'entry' && answer.kind === 'new') parts.onQueued(candidate.input);
        if (candidate.kind === 'answered' && candidate.exclusion !== null) {
          notices.excluded(candidate.input, candidate.key, candidate.exclusion);
        }
        if (tellsDrops && answer.kind === 'full') notices.dropped(candidate.input, 'frontier-full');
        if (tellsDrops && answer.kind === 'dropped') notices.dropped(candidate.input, answer.reason);
        return answer;
      });
    },
    noteQueued,
  };
}

/** The entries among candidates. Never throws. */
export function linksOf(candidates: readonly Candidate[]): NewEntry[] {
  const links: NewEntry[] = [];
  for (const candidate of candidates) if (candidate.kind === 'entry') links.push(candidate.entry);
  return links;
}

const KNOWN: AddAnswer = Object.freeze({ kind: 'known' });

function admitOne(input: NewUrl, parts: AdmissionParts, nowMs: number): Candidate {
  const dedupe = input.dedupe ?? true;
  const visit = input.visit ?? 0;
  const isFirst = dedupe && visit === 0;
  // Most links of a page stand on the page before it too, letter for letter: they are not read again.
  if (isFirst && parts.seen.isRecent(input.url)) return answered(input, KNOWN);
  const read = parseUrlParts(input.url);
  if (read === null) {
    return answered(input, { kind: 'dropped', reason: parseUrl(input.url) === null ? 'url-invalid' : 'url-scheme' });
  }
  const url = requestUrl(read);
  if (url.length > URL_MAX_CHARS || input.url.length > URL_MAX_CHARS)
    return answered(input, { kind: 'dropped', reason: 'url-too-long' });
  if (!Number.isSafeInteger(visit) || visit < 0) return answered(input, { kind: 'dropped', reason: 'url-invalid' });
  if (userDataBytes(input) > USER_DATA_MAX_BYTES)
    return answered(input, { kind: 'dropped', reason: 'user-data-too-large' });
  if (isFirst && url !== input.url && parts.seen.isRecent(url)) return answered(input, KNOWN);
  const { authority, host } = parts.homeOf(read);
  const exclusion = parts.firstLook(authority, url, nowMs);
  if (exclusion !== null) {
    const { decision, robots } = exclusion;
    const { line, pattern } = decision;
    const answer: AddAnswer = { kind: 'excluded', reason: excludedReason(decision, robots.phase), line, pattern };
    return { kind: 'answered', input, answer, exclusion, key: url };
  }
  const spent = parts.spentBound(host);
  if (spent !== null) return answered(input, { kind: 'dropped', reason: spent });
  const key = dedupe ? parts.keyBySite(authority, url) : null;
  // What is queued whatever is known, and what is asked for beside robots.txt, keeps the name it has.
  const isKeyed = key !== null || !isFirst || input.via === 'companion';
  const body = parts.encode({ kind: 'page', record: recordOf(input, url), addedAtMs: nowMs, isKeyed });
  if (body.length > parts.maxBodyBytes()) return answered(input, { kind: 'dropped', reason: 'url-too-long' });
  const waitMs = input.notBeforeMs === undefined ? 0 : Math.max(0, input.notBeforeMs - nowMs);
  const fingerprint = key === null ? parts.seen.fingerprint(url, read, visit) : parts.seen.keyPrint(key, visit);
  const entry: NewEntry = { host, lane: authority, fingerprint, priority: priorityOf(input.priority), body, dedupe };
  return { kind: 'entry', input, url, entry: waitMs > 0 ? { ...entry, notBeforeMs: waitMs } : entry };
}

function answered(input: NewUrl, answer: AddAnswer): Candidate {
  return { kind: 'answered', input, answer, exclusion: null, key: '' };
}

/** The URL as it will be requested: the parser's serialisation without fragment and credentials. */
function requestUrl(read: UrlParts): string {
  const isBare = read.fragment === null && read.userinfo === '';
  return formatUrlParts(isBare ? read : { ...read, fragment: null, userinfo: '' });
}

function userDataBytes({ userData }: NewUrl): number {
  return userData === undefined || userData === null ? 0 : new TextEncoder().encode(JSON.stringify(userData)).length;
}

function priorityOf(priority: number | undefined): number {
  const wanted = Math.trunc(priority ?? DEFAULT_PRIORITY);
  return Number.isNaN(wanted) ? DEFAULT_PRIORITY : Math.min(Math.max(wanted, 0), PRIORITIES - 1);
}
