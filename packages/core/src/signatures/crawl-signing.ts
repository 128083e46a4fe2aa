// The signatures of one run: what each authority has requested, and whether the clock allows any (specification,
// identity 3.3 and 6). Without a key it only reports which sites want signatures.

import type { HostWarning } from '@mannerly/frontier';
import { type InnerList, isInnerList, serializeItem } from 'structured-headers';
import { keepLatest } from '../keep-latest.js';
import {
  CLOCK_HOSTS,
  CLOCK_STOP_MS,
  CLOCK_WARN_MS,
  MAX_PREFERENCE_AUTHORITIES,
  MAX_REQUESTED_NONCE_CHARS,
} from './limits.js';
import { ALGORITHM, agentComponent, REQUEST_TAG } from './profile.js';
import { requestSigner, type SignatureFields, type SigningTerms, type SignRequest } from './sign-request.js';
import type { ResolvedSignature } from './signature-options.js';
import { parseMembers } from './structured-field.js';

/** What signing needs and reports: a site wants other signatures, or any; the clock is wrong. */
export interface SigningNotices {
  /** As of verifiers: the crawl's clock does not notice when it is set. Epoch milliseconds. @default Date.now */
  readonly wallMs?: () => number;
  readonly report: (warning: HostWarning) => void;
  /** Called once: no request is signed from then on. @param reason - For people. */
  readonly stop: (reason: string) => void;
}

export interface SignedAnswer {
  readonly status: number;
  /** The value of a header field, by its lower-case name; `null` if absent. */
  readonly header: (name: string) => string | null;
  /** When the answer began to arrive, by the wall clock, epoch milliseconds. */
  readonly atMs: number;
}

/** The preference of an authority. `sign` is `null` if we cannot comply, or have no key. */
interface Preference {
  readonly sign: SignRequest | null;
  /** A nonce of the site is valid once: for the URL whose repeated request carries it. */
  nonce: { readonly value: SigningTerms['nonce']; readonly url: string } | null;
}

export class CrawlSigning {
  readonly #signature: ResolvedSignature | null;
  readonly #sign: SignRequest | null;
  readonly #notices: SigningNotices;
  readonly #preferences = new Map<string, Preference>();
  /** Hosts that have answered a signed request: one was accepted, or the host's preference was reported. */
  readonly #known = new Map<string, true>();
  /** By how much our clock is ahead of the hosts that answered last. */
  readonly #clocks = new Map<string, { readonly aheadMs: number; readonly atMs: number }>();
  #hasWarned = false;
  #isStopped = false;

  /** @param signature - `null`: nothing is signed. */
  constructor(signature: ResolvedSignature | null, notices: SigningNotices) {
    this.#signature = signature;
    this.#sign = signature === null ? null : requestSigner(signature.signer, signature.terms);
    this.#notices = notices;
  }

  signs({ protocol }: URL): boolean {
    return this.#signature !== null && protocol === 'https:';
  }

  wallMs(): number {
    return this.#notices.wallMs?.() ?? Date.now();
  }

  /** Whether the key is the published test key. */
  get isTestKey(): boolean {
    return this.#signature?.isTestKey === true;
  }

  /** Whether the clock forbids every signature. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** The fields for one request, https. Rejects like `SignRequest`. */
  async fieldsFor(url: URL, method: 'GET' | 'HEAD' | 'POST' = 'GET'): Promise<SignatureFields> {
    const existing = this.#preferences.size === 0 ? undefined : this.#preferences.get(url.host);
    const sign = existing?.sign ?? this.#sign;
    if (sign === null) throw new Error('there is no key');
    return sign(url, this.wallMs(), method, existing?.nonce?.url === url.href ? existing.nonce.value : undefined);
  }

  /** Takes an answer. @returns Whether to repeat the request with another signature. Once for each authority. */
  handleAnswer(url: URL, answer: SignedAnswer): boolean {
    if (this.signs(url)) this.#compareClocks(url, answer);
    const existing = this.#preferences.get(url.host);
    if (existing?.nonce?.url === url.href) existing.nonce = null;
    const { status, header } = answer;
    const acceptSignature = status === 401 || status === 403 || status === 429 ? header('accept-signature') : null;
    if (acceptSignature === null || existing !== undefined) {
      this.#noteRefusal(url, answer);
      return false;
    }
    const signature = this.signs(url) ? this.#signature : null;
    const requested =
      signature === null ? null : requestedTerms(acceptSignature, signature.terms, signature.signer.keyid);
    const preference: Preference =
      signature === null || requested === null
        ? { sign: null, nonce: null }
        : {
            sign: requestSigner(signature.signer, { ...requested, nonce: signature.terms.nonce }),
            nonce: { value: requested.nonce, url: url.href },
          };
    keepLatest(this.#preferences, url.host, preference, MAX_PREFERENCE_AUTHORITIES);
    if (requested === null) {
      keepLatest(this.#known, url.hostname, true, MAX_PREFERENCE_AUTHORITIES);
      this.#report('signature-wanted', url, this.#wantedDetail(acceptSignature), answer.atMs);
    }
    // After a 429 the request is retried anyway, once the host allows it.
    return requested !== null && status !== 429;
  }

  /** A host that refuses the first request other than robots.txt may not know the key. */
  #noteRefusal(url: URL, { status, atMs }: SignedAnswer): void {
    const isRefused = status === 401 || status === 403;
    if ((!isRefused && status >= 300) || this.#known.has(url.hostname)) return;
    if (!this.signs(url) || url.pathname === '/robots.txt') return;
    keepLatest(this.#known, url.hostname, true, MAX_PREFERENCE_AUTHORITIES);
    if (!isRefused) return;
    const detail = `${status} to the first signed request: the site is closed, or its operator does not know your key`;
    this.#report('signature-refused', url, detail, atMs);
  }

  #wantedDetail(field: string): string {
    return this.#signature === null
      ? 'this site wants signed requests: `identity.signature` makes them'
      : `this site wants signatures that are not made: ${field.slice(0, MAX_REPORTED_CHARS)}`;
  }

  /**
   * Whether this machine's clock is right, by the `Date` of the hosts that answered last: a signature with a wrong time
   * looks like a forgery. One host may be wrong; the median of several is not (specification, identity 3.3).
   */
  #compareClocks(url: URL, { header, atMs }: SignedAnswer): void {
    const clocks = this.#clocks;
    const last = clocks.get(url.hostname);
    const isDue = last === undefined || Math.abs(atMs - last.atMs) >= CLOCK_HOSTS.intervalMs;
    // A cached copy has the date of the origin.
    if (!isDue || (header('age') ?? '0') !== '0') return;
    const dateMs = Date.parse(header('date') ?? '');
    // The date has whole seconds: half a second is lost on average.
    const known = { aheadMs: atMs - dateMs - 500, atMs };
    if (!Number.isNaN(dateMs)) keepLatest(clocks, url.hostname, known, CLOCK_HOSTS.max);
    const sorted = Array.from(clocks.values(), (each) => each.aheadMs).sort((left, right) => left - right);
    const aheadMs = sorted.length < CLOCK_HOSTS.min ? 0 : (sorted[sorted.length >> 1] ?? 0);
    if (Math.abs(aheadMs) <= CLOCK_WARN_MS || this.#isStopped) return;
    const difference = `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the hosts that answer`;
    const detail = `the clock of this machine is ${difference}`;
    if (!this.#hasWarned) this.#report('signature-clock', url, detail, atMs);
    this.#hasWarned = true;
    if (Math.abs(aheadMs) <= CLOCK_STOP_MS) return;
    this.#isStopped = true;
    this.#notices.stop(`signature-clock: ${detail}, so that every signature would be refused`);
  }

  #report(
    code: 'signature-wanted' | 'signature-clock' | 'signature-refused',
    { hostname, origin }: URL,
    detail: string,
    atMs: number,
  ): void {
    this.#notices.report({ kind: 'host', code, host: hostname, authority: origin, untilMs: null, detail, atMs });
  }
}

const MAX_REPORTED_CHARS = 300;

/** Components that are signed if a site requests them: none that an intermediary changes, and no body. */
const SIGNABLE: readonly string[] = ['"@method"', '"@authority"', '"@path"', '"@query"'];
const PARAMETERS: readonly string[] = ['created', 'expires', 'keyid', 'alg', 'nonce', 'tag'];

/**
 * The terms that answer a field: its label, its components and its nonce; `null` if it requests anything else.
 * @param own - The terms of the crawl. Host and agent are covered in any case.
 */
export function requestedTerms(field: string, own: SigningTerms, keyid: string): SigningTerms | null {
  for (const [label, member] of parseMembers(field) ?? []) {
    const terms = isInnerList(member) ? termsOf(label, member, own, keyid) : null;
    if (terms !== null) return terms;
  }
  return null;
}

function termsOf(label: string, [items, parameters]: InnerList, own: SigningTerms, keyid: string): SigningTerms | null {
  const agent = agentComponent(own.form, label);
  const requested = items.map((item) => serializeItem(item));
  const matches = (name: string, expected: string): boolean =>
    !parameters.has(name) || parameters.get(name) === expected;
  const nonce = parameters.get('nonce') ?? own.nonce;
  const isPlain =
    [...parameters.keys()].every((name) => PARAMETERS.includes(name)) &&
    requested.every((each) => each === agent || SIGNABLE.includes(each)) &&
    new Set(requested).size === requested.length &&
    matches('tag', REQUEST_TAG) &&
    matches('keyid', keyid) &&
    matches('alg', ALGORITHM) &&
    (!parameters.has('nonce') || isPlainText(nonce));
  if (!isPlain) return null;
  const components = requested.filter((each) => each !== agent);
  const needed = components.includes('"@authority"') ? components : [...components, '"@authority"'];
  return { ...own, label, components: needed, nonce };
}

/** It is sent unchanged, between quotes. */
function isPlainText(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && text.length <= MAX_REQUESTED_NONCE_CHARS && !/["\\]/.test(text);
}
