// Admission: a URL becomes an entry of its host's queue, or gets an answer that says why not. The checks run in this
// order: can it be queued at all, is it known, do fresh rules in memory exclude it, is there a place in the queue. This
// first check of robots.txt is cheap and not binding: the gate decides again when the URL is taken (access §11).

import { MAX_HOST_NAME_CHARS, MAX_URL_CHARS, PRIORITIES } from '../limits.js';
import { invalid } from '../option-value.js';
import { createItemEncoder, recordOf } from '../records/record.js';
import { excludedReason } from '../robots/authority-rules.js';
import type { Exclusion } from '../robots/robots-gate.js';
import type { AddOutcome, NewEntry } from '../store.js';
import {
  createHostLookup,
  type HostAndAuthority,
  parseUrl,
  parseUrlParts,
  requestedUrl,
  type UrlParts,
  withoutTrailingDot,
} from '../url/url.js';
import type { NewUrl } from '../url-record.js';
import type { AddAnswer } from '../work.js';
import type { FrontierContext } from './context.js';
import { ADMISSION_SLICE_MS, DEFAULT_PRIORITY, MAX_USER_DATA_BYTES } from './limits.js';

/** One URL during admission: it has an answer already, or an entry that the store must answer for. */
export type Candidate =
  | {
      readonly kind: 'answered';
      readonly input: NewUrl;
      readonly answer: AddAnswer;
      readonly exclusion: Exclusion | null;
      readonly key: string;
    }
  | { readonly kind: 'entry'; readonly input: NewUrl; readonly url: string; readonly entry: NewEntry };

const KNOWN: AddAnswer = Object.freeze({ kind: 'known' });

/** Admission in two steps, with the store's answer between them. */
export class Admission {
  readonly #context: FrontierContext;
  readonly #encode = createItemEncoder();
  readonly #lookUp: (url: UrlParts) => HostAndAuthority;

  constructor(context: FrontierContext) {
    this.#context = context;
    this.#lookUp = createHostLookup(context.settings.hostKeyBy);
  }

  /**
   * Checks URLs as far as possible without the store. Links of pages may exceed `maxQueued`. Thousands of URLs may take
   * a millisecond each, so the loop yields to other work in between.
   */
  async consider(urls: readonly NewUrl[], nowMs: number, areLinks = false): Promise<Candidate[]> {
    const { clock, settings, counts } = this.#context;
    const isUnlimited = areLinks && settings.onFull === 'spill';
    const candidates: Candidate[] = [];
    let counted = 0;
    let sliceMs = nowMs;
    for (const input of urls) {
      const candidate = this.#considerOne(input, nowMs);
      const countsTowardsLimit = candidate.kind === 'entry' && input.via !== 'companion' && !isUnlimited;
      if (countsTowardsLimit) counted += 1;
      const isFull = countsTowardsLimit && counts.queued + counted > settings.maxQueued;
      candidates.push(isFull ? answered(input, { kind: 'full' }) : candidate);
      // The absolute difference, because the clock may have been set back.
      if (Math.abs(clock.nowMs() - sliceMs) <= ADMISSION_SLICE_MS) continue;
      await new Promise<void>((resolve) => clock.after(0, resolve));
      sliceMs = clock.nowMs();
    }
    return candidates;
  }

  /**
   * The answers, in the order of the URLs. Reports exclusions, once per URL; with `reportsDrops` also reports dropped
   * URLs, for callers that get no answers.
   */
  conclude(candidates: readonly Candidate[], outcomes: readonly AddOutcome[], reportsDrops: boolean): AddAnswer[] {
    const { seen, reporter, settings } = this.#context;
    let next = 0;
    return candidates.map((candidate) => {
      const { input } = candidate;
      const answer: AddAnswer = candidate.kind === 'entry' ? { kind: outcomes[next++] ?? 'full' } : candidate.answer;
      if (candidate.kind === 'entry') {
        if (answer.kind !== 'full' && (input.visit ?? 0) === 0) seen.remember(candidate.url);
        if (answer.kind === 'new') settings.onQueued(input);
      } else if (candidate.exclusion !== null) reporter.excluded(input, candidate.key, candidate.exclusion);
      if (answer.kind === 'full' && reportsDrops) reporter.dropped(input, 'frontier-full');
      if (answer.kind === 'dropped' && reportsDrops) reporter.dropped(input, answer.reason);
      return answer;
    });
  }

  #considerOne(input: NewUrl, nowMs: number): Candidate {
    const { seen, gate, hostBounds } = this.#context;
    const visit = input.visit ?? 0;
    const isFirst = (input.dedupe ?? true) && visit === 0;
    // Most links of a page were also on the page before it, letter by letter. They are not parsed again.
    if (isFirst && seen.isRecent(input.url)) return answered(input, KNOWN);
    const parts = parseUrlParts(input.url);
    if (parts === null) {
      return answered(input, { kind: 'dropped', reason: parseUrl(input.url) === null ? 'url-invalid' : 'url-scheme' });
    }
    if (withoutTrailingDot(parts.host).length > MAX_HOST_NAME_CHARS) {
      return answered(input, { kind: 'dropped', reason: 'url-invalid' });
    }
    const url = requestedUrl(parts);
    const rejection = rejectionReason(input, url, visit);
    if (rejection !== null) return answered(input, { kind: 'dropped', reason: rejection });
    if (isFirst && url !== input.url && seen.isRecent(url)) return answered(input, KNOWN);
    const { authority, host } = this.#lookUp(parts);
    const exclusion = gate.precheck(authority, url, nowMs);
    if (exclusion !== null) {
      const { decision, robots } = exclusion;
      const { line, pattern } = decision;
      const answer: AddAnswer = { kind: 'excluded', reason: excludedReason(decision, robots.phase), line, pattern };
      return { kind: 'answered', input, answer, exclusion, key: url };
    }
    const bound = hostBounds.rememberedBound(host);
    if (bound !== null) return answered(input, { kind: 'dropped', reason: bound });
    if (this.#isLabelUsedUp(input, host, nowMs))
      return answered(input, { kind: 'dropped', reason: 'bound-label-pages' });
    return this.#entryOf(input, url, parts, authority, host, nowMs);
  }

  #isLabelUsedUp({ label }: NewUrl, host: string, nowMs: number): boolean {
    const { settings, labelBudgets } = this.#context;
    if (settings.labels.size === 0) return false;
    return labelBudgets.of(label ?? settings.settingsOf(host).label)?.reachedBound(nowMs) === 'pages';
  }

  #entryOf(input: NewUrl, url: string, parts: UrlParts, authority: string, host: string, nowMs: number): Candidate {
    const { seen, gate, store } = this.#context;
    const { visit = 0, dedupe = true } = input;
    const key = dedupe ? gate.siteKeyOf(authority, url) : null;
    // URLs that are queued whether known or not, and companions of a robots.txt, keep their own names.
    const isKeyed = key !== null || !dedupe || visit !== 0 || input.via === 'companion';
    const body = this.#encode({ kind: 'page', record: recordOf(input, url), addedAtMs: nowMs, isKeyed });
    if (body.length > store.capabilities.maxBody) return answered(input, { kind: 'dropped', reason: 'url-too-long' });
    const waitMs = input.notBeforeMs === undefined ? 0 : Math.max(0, input.notBeforeMs - nowMs);
    const fingerprint = key === null ? seen.fingerprint(url, parts, visit) : seen.fingerprintOfKey(key, visit);
    const entry: NewEntry = { host, lane: authority, fingerprint, priority: priorityOf(input.priority), body, dedupe };
    return { kind: 'entry', input, url, entry: waitMs > 0 ? { ...entry, notBeforeMs: waitMs } : entry };
  }
}

export function linksOf(candidates: readonly Candidate[]): NewEntry[] {
  const links: NewEntry[] = [];
  for (const candidate of candidates) if (candidate.kind === 'entry') links.push(candidate.entry);
  return links;
}

/** Why a URL cannot be queued, whether known or not; `null`: it can. */
function rejectionReason(input: NewUrl, url: string, visit: number): string | null {
  if (url.length > MAX_URL_CHARS || input.url.length > MAX_URL_CHARS) return 'url-too-long';
  if (!Number.isSafeInteger(visit) || visit < 0) return 'url-invalid';
  return userDataBytes(input) > MAX_USER_DATA_BYTES ? 'user-data-too-large' : null;
}

function answered(input: NewUrl, answer: AddAnswer): Candidate {
  return { kind: 'answered', input, answer, exclusion: null, key: '' };
}

function userDataBytes({ userData }: NewUrl): number {
  if (userData === undefined || userData === null) return 0;
  try {
    return new TextEncoder().encode(JSON.stringify(userData)).length;
  } catch {
    throw invalid('userData', 'a JSON value', userData);
  }
}

function priorityOf(priority: number | undefined): number {
  const whole = Math.trunc(priority ?? DEFAULT_PRIORITY);
  return Number.isNaN(whole) ? DEFAULT_PRIORITY : Math.min(Math.max(whole, 0), PRIORITIES - 1);
}
