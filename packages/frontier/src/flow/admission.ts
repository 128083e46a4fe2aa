// Admission: a URL becomes an entry of its host's queue, or gets an answer that says why not. The checks run in this
// order: can it be queued at all, is it known, do fresh rules in memory exclude it, is there a place in the queue. This
// first check of robots.txt is cheap and not binding: the gate decides again when the URL is taken (access §11).

import type { HostBound } from '../hosts/host-state.js';
import { MAX_EPOCH_MS, MAX_HOST_NAME_CHARS, MAX_URL_CHARS, PRIORITIES } from '../limits.js';
import { checkKeys, invalid, oneOf } from '../option-value.js';
import { createRecentSet } from '../recent-set.js';
import { createItemEncoder, recordOf } from '../records/record.js';
import { excludedReason } from '../robots/authority-rules.js';
import type { Exclusion } from '../robots/robots-gate.js';
import type { AddOutcome, HostKey, NewEntry } from '../store.js';
import { createHostLookup, parseUrl, parseUrlParts, requestedUrl, withoutTrailingDot } from '../url/url.js';
import { type NewUrl, VIAS } from '../url-record.js';
import type { AddAnswer } from '../work.js';
import type { FrontierContext } from './context.js';
import { ADMISSION_SLICE_MS, DEFAULT_PRIORITY, EXHAUSTED_HOSTS, MAX_USER_DATA_BYTES } from './limits.js';

/** One URL during admission: it has an answer already, or an entry that the store must answer for. */
export type Candidate =
  | { readonly kind: 'answered'; readonly input: NewUrl; readonly answer: AddAnswer }
  | {
      readonly kind: 'excluded';
      readonly input: NewUrl;
      readonly answer: AddAnswer;
      readonly url: string;
      readonly exclusion: Exclusion;
    }
  | { readonly kind: 'entry'; readonly input: NewUrl; readonly url: string; readonly entry: NewEntry };

const KNOWN: AddAnswer = Object.freeze({ kind: 'known' });

const HOST_BOUNDS: readonly HostBound[] = ['bound-host-pages', 'bound-host-bytes', 'bound-host-minutes'];

export type Admission = ReturnType<typeof createAdmission>;

/** Admission in two steps, with the store's answer between them. */
export function createAdmission(context: FrontierContext) {
  const { clock, settings, store, counts, seen, gate, labelBudgets, reporter } = context;
  const encode = createItemEncoder();
  const lookUp = createHostLookup(settings.hostKeyBy);
  /** The bounds that hosts have used up, lately: their links are not queued only to be dropped. */
  const exhausted = createRecentSet(EXHAUSTED_HOSTS);
  let isAnyExhausted = false;

  /**
   * Checks URLs as far as possible without the store. Links of pages may exceed `maxQueued`. Thousands of URLs may take
   * a millisecond each, so the loop yields to other work in between.
   */
  async function consider(urls: readonly NewUrl[], nowMs: number, areLinks = false): Promise<Candidate[]> {
    const isUnlimited = areLinks && settings.onFull === 'spill';
    const candidates: Candidate[] = [];
    let counted = 0;
    let sliceMs = nowMs;
    for (const input of urls) {
      const candidate = considerOne(input, nowMs);
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
  function conclude(
    candidates: readonly Candidate[],
    outcomes: readonly AddOutcome[],
    reportsDrops: boolean,
  ): AddAnswer[] {
    let next = 0;
    return candidates.map((candidate) => {
      const { input } = candidate;
      const answer: AddAnswer = candidate.kind === 'entry' ? { kind: outcomes[next++] ?? 'full' } : candidate.answer;
      if (candidate.kind === 'entry') {
        if (answer.kind !== 'full' && (input.visit ?? 0) === 0) seen.remember(candidate.url);
        if (answer.kind === 'new') settings.onQueued(input);
      } else if (candidate.kind === 'excluded') reporter.excluded(input, candidate.url, candidate.exclusion);
      if (answer.kind === 'full' && reportsDrops) reporter.dropped(input, 'frontier-full');
      if (answer.kind === 'dropped' && reportsDrops) reporter.dropped(input, answer.reason);
      return answer;
    });
  }

  function considerOne(input: NewUrl, nowMs: number): Candidate {
    const { visit = 0, dedupe = true } = input;
    const isFirst = dedupe && visit === 0;
    // Most links of a page were also on the page before it, letter by letter. They are not parsed again.
    if (isFirst && seen.isRecent(input.url)) return answered(input, KNOWN);
    const parts = parseUrlParts(input.url);
    if (parts === null) return dropped(input, parseUrl(input.url) === null ? 'url-invalid' : 'url-scheme');
    if (withoutTrailingDot(parts.host).length > MAX_HOST_NAME_CHARS) return dropped(input, 'url-invalid');
    const url = requestedUrl(parts);
    if (Math.max(url.length, input.url.length) > MAX_URL_CHARS) return dropped(input, 'url-too-long');
    if (userDataBytes(input) > MAX_USER_DATA_BYTES) return dropped(input, 'user-data-too-large');
    if (isFirst && url !== input.url && seen.isRecent(url)) return answered(input, KNOWN);
    const { authority, host } = lookUp(parts);
    const exclusion = gate.precheck(authority, url, nowMs);
    if (exclusion !== null) {
      const { decision, robots } = exclusion;
      const { line, pattern } = decision;
      const answer: AddAnswer = { kind: 'excluded', reason: excludedReason(decision, robots.phase), line, pattern };
      return { kind: 'excluded', input, answer, url, exclusion };
    }
    const bound = isAnyExhausted ? HOST_BOUNDS.find((each) => exhausted.has(`${each} ${host}`)) : undefined;
    if (bound !== undefined) return dropped(input, bound);
    const label = settings.labels.size === 0 ? null : (input.label ?? settings.settingsOf(host).label);
    if (labelBudgets.of(label)?.reachedBound(nowMs) === 'pages') return dropped(input, 'bound-label-pages');
    const key = dedupe ? gate.siteKeyOf(authority, url) : null;
    // URLs that are queued whether known or not, and companions of a robots.txt, keep their own names.
    const isKeyed = key !== null || !dedupe || visit !== 0 || input.via === 'companion';
    const body = encode({ kind: 'page', record: recordOf(input, url), addedAtMs: nowMs, isKeyed });
    if (body.length > store.capabilities.maxBody) return dropped(input, 'url-too-long');
    const waitMs = input.notBeforeMs === undefined ? 0 : Math.max(0, input.notBeforeMs - nowMs);
    const fingerprint = key === null ? seen.fingerprint(url, parts, visit) : seen.fingerprintOfKey(key, visit);
    const { priority = DEFAULT_PRIORITY } = input;
    const entry: NewEntry = { host, lane: authority, fingerprint, priority, body, dedupe };
    return { kind: 'entry', input, url, entry: waitMs > 0 ? { ...entry, notBeforeMs: waitMs } : entry };
  }

  /** A host has used up a bound. */
  function rememberBound(host: HostKey, bound: HostBound): void {
    isAnyExhausted = true;
    exhausted.add(`${bound} ${host}`);
  }

  return { consider, conclude, rememberBound };
}

export function linksOf(candidates: readonly Candidate[]): NewEntry[] {
  const links: NewEntry[] = [];
  for (const candidate of candidates) if (candidate.kind === 'entry') links.push(candidate.entry);
  return links;
}

/** @throws FrontierError `option-invalid` */
export function checkUrls(name: string, urls: readonly NewUrl[]): void {
  if (!Array.isArray(urls)) throw invalid(name, 'a list of objects with a `url`', urls);
  const each = `${name}[]`;
  for (const url of urls as readonly NewUrl[]) checkUrl(each, url);
}

const URL_KEYS: readonly string[] = [
  ...(['url', 'depth', 'via', 'from', 'hops', 'priority', 'label'] as const),
  ...(['userData', 'notBeforeMs', 'visit', 'dedupe'] as const),
] satisfies readonly (keyof NewUrl)[];

/** @throws FrontierError `option-invalid` */
export function checkUrl(name: string, given: NewUrl): void {
  if (typeof given?.url !== 'string') throw invalid(name, 'an object with a `url`', given);
  checkKeys(`${name}.`, given, URL_KEYS);
  const { url, depth, via, from = '', hops = 0, priority = 0, label = '', notBeforeMs, visit = 0 } = given;
  checkCount('depth', url, depth);
  checkCount('hops', url, hops);
  checkCount('visit', url, visit);
  if (!Number.isInteger(priority) || priority < 0 || priority >= PRIORITIES)
    throw invalid(`priority\` of \`${url}`, `a whole number from 0 (first) to ${PRIORITIES - 1} (last)`, priority);
  oneOf(`via\` of \`${url}`, via, VIAS);
  if (typeof from !== 'string') throw invalid(`from\` of \`${url}`, 'the URL it was found on', from);
  if (typeof label !== 'string') throw invalid(`label\` of \`${url}`, 'text', label);
  if (notBeforeMs !== undefined) checkTime(`notBeforeMs\` of \`${url}`, notBeforeMs);
}

function checkCount(name: string, url: string, count: number): void {
  if (!Number.isSafeInteger(count) || count < 0) throw invalid(`${name}\` of \`${url}`, 'a whole number from 0', count);
}

/** @throws FrontierError `option-invalid` */
export function checkTime(name: string, ms: number): void {
  if (typeof ms !== 'number' || !(Math.abs(ms) <= MAX_EPOCH_MS)) throw invalid(name, 'epoch milliseconds', ms);
}

function answered(input: NewUrl, answer: AddAnswer): Candidate {
  return { kind: 'answered', input, answer };
}

function dropped(input: NewUrl, reason: string): Candidate {
  return answered(input, { kind: 'dropped', reason });
}

function userDataBytes({ userData }: NewUrl): number {
  if (userData === undefined || userData === null) return 0;
  try {
    return new TextEncoder().encode(JSON.stringify(userData)).length;
  } catch {
    throw invalid('userData', 'a JSON value', userData);
  }
}
