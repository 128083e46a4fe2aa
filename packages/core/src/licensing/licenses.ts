// The licences of one run: their documents, each requested once per lifetime, and what they say about a URL before its
// request and about a received page, in the crawl and in a replay. Nothing is accepted, paid or obtained here
// (licensing §1).

import { hash } from 'node:crypto';
import { type HostWarning, type PageWork, retryUrl } from '@mannerly/frontier';
import type { Purpose } from '@mannerly/robots/page';
import { conditionalFields, exchangeOf, headerValue, isRefusedByGuard, isSuccess } from '../fetch/outcome.js';
import { type RecordStore, readJson, urlKey, writeJson } from '../json-record.js';
import { keepLatest } from '../keep-latest.js';
import { excludedByLicense } from '../page/exclusion.js';
import type { FetchedPage, PageInCrawl } from '../page/page.js';
import type { PageFetch, PageFetchOptions } from '../page/page-fetch.js';
import { followRedirects } from '../page/redirect.js';
import { parseUrl } from '../parse-url.js';
import { present } from '../present.js';
import { type CachedLicense, cacheResponse, renew, unreachable, unreadable } from './cached-license.js';
import type { LicenseReading } from './license-document.js';
import { assessLicenses, type LicenseUser, type LicenseVerdict, type NamedLicense } from './license-terms.js';
import type { LicenseTokens, ResolvedLicensing } from './licensing-options.js';
import {
  LICENSE_POLL_MS,
  LICENSE_RETRY_MS,
  LICENSE_TOKEN_ENDS_MS,
  LICENSE_TURN_MS,
  MAX_LICENSE_AUTHORITIES,
  MAX_LICENSE_BYTES,
  MAX_LICENSES_IN_MEMORY,
  MAX_LICENSES_PER_AUTHORITY,
} from './limits.js';
import type { LicensedPage } from './page-licenses.js';

export interface FoundLicense extends LicenseVerdict {
  /** When its document was received, epoch milliseconds; `null` if it was not. */
  readonly fetchedAtMs: number | null;
  /** SHA-256 of the document's text, 64 hex digits; `null` if there is none. */
  readonly digest: string | null;
}

/** A named document, and what is known about it: nothing if documents are not requested. */
type KnownLicense = NamedLicense & Pick<FoundLicense, 'fetchedAtMs' | 'digest'>;

/** A document that applies to a page, as it was read. */
export type ReadLicense = KnownLicense & { readonly namedBy: 'response' | 'robots.txt' };

/** What licences say before a request; `wait`: a document is being requested. */
export type LicenseAnswer = FoundLicense | null | { readonly effect: 'wait'; readonly untilMs: number };

interface LicensesParts {
  readonly store: RecordStore;
  readonly options: ResolvedLicensing;
  readonly purposes: readonly Purpose[];
  readonly tokens: Pick<LicenseTokens, 'validOrigins' | 'expiringBefore'>;
  /** Requests a document, at its host's pace. Never rejects. */
  readonly fetch: (url: string, options: PageFetchOptions) => Promise<PageFetch>;
  readonly onLoaded: () => void;
  readonly retries: NonNullable<Parameters<typeof retryUrl>[2]>;
  readonly nowMs: () => number;
  readonly report: (code: HostWarning['code'], url: string, detail: string) => void;
}

/** As the store has it. The text is in base64, so that no document outgrows its record. */
type LicenseRecord = Omit<CachedLicense, 'reading'> & { readonly why: string | null };

/** It was not received, and is tried again. */
interface RetryLater {
  readonly attempts: number;
  readonly untilMs: number;
}

type LoadResult = CachedLicense | RetryLater;

const UNREAD = { reading: null, fetchedAtMs: null, digest: null };

export class Licenses {
  readonly #parts: LicensesParts;
  readonly #user: Omit<LicenseUser, 'licensedOrigins'>;
  readonly #documents = new Map<string, CachedLicense>();
  readonly #retries = new Map<string, RetryLater>();
  readonly #loading = new Map<string, { readonly sinceMs: number; readonly ended: Promise<void> }>();
  readonly #namedBy = new WeakMap<object, readonly string[]>();
  /** The documents that each authority named. */
  readonly #named = new Map<string, Set<string>>();
  readonly #reported = new Map<string, true>();
  #failure: { readonly error: unknown } | null = null;

  constructor(parts: LicensesParts) {
    this.#parts = parts;
    const { purposes, options } = parts;
    const { party, accepted, strict } = options;
    this.#user = { purposes, party: present(party ?? {}), accepted, isStrict: strict };
  }

  /** Called once, when the store is open: reports tokens that end soon. */
  open(): void {
    const { tokens, nowMs, report } = this.#parts;
    for (const { origin, endsAtMs } of tokens.expiringBefore(nowMs() + LICENSE_TOKEN_ENDS_MS)) {
      const verb = endsAtMs < nowMs() ? 'ended' : 'ends';
      const detail = `its licence token ${verb} at ${new Date(endsAtMs).toISOString()}: obtain another`;
      report('token-expiring', origin, detail);
    }
  }

  /** What the licences named by robots.txt say about a URL, before its request; `null` if nothing. */
  async before({ url, signals: { licenses } }: Pick<PageWork, 'url' | 'signals'>): Promise<LicenseAnswer> {
    if (licenses.length === 0 || this.#parts.options.mode === 'off') return null;
    const authority = new URL(url).origin;
    const known: KnownLicense[] = [];
    let untilMs = 0;
    for (const document of licenses) {
      const result = this.#isRead() ? await this.#documentOf(document, authority) : UNREAD;
      if ('untilMs' in result) untilMs = Math.max(untilMs, result.untilMs);
      else known.push({ document, ...result });
    }
    return untilMs > 0 ? { effect: 'wait', untilMs } : this.#assess(url, known);
  }

  /** What the response says; if nothing, robots.txt. @param earlier - What the last whole response named. */
  async forPage(
    work: Pick<PageWork, 'url' | 'signals'>,
    page: FetchedPage,
    body: Uint8Array,
    earlier: readonly string[] = [],
  ): Promise<FoundLicense | null> {
    if (this.#parts.options.mode === 'off') return null;
    const mayNameOwn =
      page.html?.mayNameLicense === true || page.rendering !== null || headerValue(page.headers, 'link') !== null;
    if (work.signals.licenses.length === 0 && earlier.length === 0 && !mayNameOwn) return null;
    const own = this.#assess(work.url, await this.#responseLicenses(work.url, page, body, earlier));
    const site = this.#assess(work.url, await this.#siteLicenses(work));
    if (own === null || site === null) return own ?? site;
    if (own.outcome === 'none') return site;
    // Nothing is known of the terms of a document that was not read.
    const isComparable = [own, site].every(({ outcome }) => outcome !== 'none' && outcome !== 'unread');
    if (isComparable && (own.outcome !== site.outcome || own.price !== site.price)) {
      const [pageTerms, siteTerms] = [own, site].map((verdict) => `${verdict.document}: ${termsText(verdict)}`);
      const detail = `${pageTerms}, named by the page; ${siteTerms}, named by robots.txt`;
      this.#reportOnce('license-conflict', work.url, detail);
    }
    return own;
  }

  /** The documents that apply to a page: those that its response names, else those of robots.txt. */
  async documentsOf(
    { url, signals: { licenses } }: Pick<PageWork, 'url'> & { readonly signals: Pick<PageWork['signals'], 'licenses'> },
    page: LicensedPage,
    body: Uint8Array,
  ): Promise<readonly ReadLicense[]> {
    const named = await this.#responseLicenses(url, { ...page, fetchedAtMs: this.#parts.nowMs() }, body);
    const documents = named.length > 0 ? named : await this.#siteLicenses({ url, signals: { licenses } });
    const namedBy = named.length > 0 ? 'response' : 'robots.txt';
    return documents.map((each) => ({ namedBy, ...each }));
  }

  /** The documents that robots.txt names; waits for those that are being requested. */
  #siteLicenses({ url, signals: { licenses } }: Parameters<Licenses['documentsOf']>[0]): Promise<KnownLicense[]> {
    return Promise.all(licenses.map((document) => this.#waitForDocument(document, url)));
  }

  async #responseLicenses(
    url: string,
    page: LicensedPage & Pick<FetchedPage, 'fetchedAtMs'>,
    body: Uint8Array,
    earlier: readonly string[] = [],
  ): Promise<KnownLicense[]> {
    // Loaded with the first licence, like all code that reads licences.
    const { licensesOfPage } = await import('./page-licenses.js');
    const inResponse = await licensesOfPage(page, body);
    const named = inResponse.length > 0 ? inResponse : earlier.map((each) => ({ url: each }));
    const urls = named.flatMap((each) => ('url' in each ? each.url : []));
    if (urls.length > 0) this.#namedBy.set(page, urls);
    const inPage = { document: url, fetchedAtMs: page.fetchedAtMs, digest: null };
    return Promise.all(
      named.map((each) => ('reading' in each ? { ...inPage, ...each } : this.#waitForDocument(each.url, url))),
    );
  }

  /** The documents that the response of a page names, after `forPage`. */
  namedBy(page: FetchedPage): readonly string[] {
    return this.#namedBy.get(page) ?? [];
  }

  get isLoading(): boolean {
    return this.#loading.size > 0;
  }

  /** Resolves once no document is being requested. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#loading.values(), ({ ended }) => ended));
  }

  /** Whether there is a purpose to compare documents with (C5). */
  #isRead(): boolean {
    const { read } = this.#parts.options;
    return read === 'always' || (read === 'with-purpose' && this.#user.purposes.length > 0);
  }

  #unreadText(): string {
    return this.#parts.options.read === 'never'
      ? ', because `licensing.read` is never'
      : ', because the crawl declares no purpose (`purposes`, --purpose)';
  }

  /** `null`: there are no documents. */
  #assess(url: string, documents: readonly KnownLicense[]): FoundLicense | null {
    if (documents.length === 0) return null;
    const licensedOrigins = this.#parts.tokens.validOrigins(this.#parts.nowMs());
    const verdict = assessLicenses(url, documents, { ...this.#user, licensedOrigins });
    const known = documents.find(({ document }) => document === verdict.document) ?? UNREAD;
    const { reading, fetchedAtMs, digest } = known;
    const effect = this.#parts.options.mode === 'observe' ? 'none' : verdict.effect;
    const { outcome, document } = verdict;
    if (document !== null && outcome !== 'none') {
      const remark = outcome === 'unread' ? this.#unreadText() : reading === null ? '' : remarkText(reading);
      // A received document that breaks the rules of RSL is another matter than one that was not received.
      const fault = fetchedAtMs === null ? 'license-unreadable' : 'license-nonconformant';
      const code = outcome === 'unreadable' ? fault : 'license-terms';
      this.#reportOnce(code, url, `${document}: ${termsText(verdict)}${remark}`);
      if (reading?.kind === 'read' && reading.isVersion09) {
        this.#reportOnce('license-version-09', url, `${document} has lists or words of RSL 0.9, and is read as that`);
      }
    }
    return { ...verdict, effect, fetchedAtMs, digest };
  }

  #reportOnce(code: HostWarning['code'], url: string, detail: string): void {
    const key = `${new URL(url).host} ${detail}`;
    if (this.#reported.has(key)) return;
    keepLatest(this.#reported, key, true, MAX_LICENSE_AUTHORITIES);
    this.#parts.report(code, url, detail);
  }

  /** A document for a page whose exchange is over. Waits for one request; if that fails, it counts as unreadable. */
  async #waitForDocument(document: string, pageUrl: string): Promise<KnownLicense> {
    if (!this.#isRead()) return { document, ...UNREAD };
    const { origin } = new URL(pageUrl);
    let result = await this.#documentOf(document, origin);
    if ('untilMs' in result) {
      await this.#loading.get(document)?.ended;
      result = await this.#documentOf(document, origin);
    }
    const { reading, fetchedAtMs, digest } =
      'untilMs' in result ? unreachable('it did not come', result.untilMs) : result;
    return { document, reading, fetchedAtMs, digest };
  }

  /** A document if it is known. If not, it is requested, and the result says when to check again. */
  async #documentOf(document: string, authority: string): Promise<LoadResult> {
    const nowMs = this.#parts.nowMs();
    if (this.#failure !== null) throw this.#failure.error;
    if (!isFetchable(document, authority)) return unreadable('its URL is not https', nowMs);
    const cached = this.#documents.get(document) ?? (await this.#stored(document));
    if (cached !== null && nowMs < cached.expiresAtMs) return cached;
    const retry = this.#retries.get(document);
    if (retry !== undefined && nowMs < retry.untilMs) return retry;
    const loading = this.#loading.get(document);
    if (loading !== undefined) {
      const { min, max } = LICENSE_POLL_MS;
      return { attempts: 0, untilMs: nowMs + Math.min(Math.max(nowMs - loading.sinceMs, min), max) };
    }
    if (!(await this.#mayName(document, authority))) {
      return unreadable(`${authority} names more than ${MAX_LICENSES_PER_AUTHORITY} licences`, nowMs);
    }
    // A page of another site began to request it meanwhile.
    if (this.#loading.has(document)) return this.#documentOf(document, authority);
    const ended = this.#load(document, cached, retry?.attempts ?? 0)
      .catch((error: unknown) => {
        this.#failure = { error };
      })
      .finally(() => {
        this.#loading.delete(document);
        this.#parts.onLoaded();
      });
    this.#loading.set(document, { sinceMs: nowMs, ended });
    return { attempts: 0, untilMs: nowMs + LICENSE_POLL_MS.min };
  }

  async #load(document: string, known: CachedLicense | null, attempts: number): Promise<void> {
    const result = await this.#request(document, known, attempts);
    if ('untilMs' in result) {
      keepLatest(this.#retries, document, result, MAX_LICENSE_AUTHORITIES);
      return;
    }
    if (known !== null && known.digest !== null && known.digest !== result.digest) {
      this.#parts.report('license-changed', document, `${document} says something else than before`);
    }
    this.#retries.delete(document);
    keepLatest(this.#documents, document, result, MAX_LICENSES_IN_MEMORY);
    const { reading, text, ...rest } = result;
    if (reading.kind === 'unreadable' && reading.isTemporary === true) return;
    const why = reading.kind === 'unreadable' ? reading.reason : null;
    await writeJson(this.#parts.store, urlKey('license/', document), {
      ...rest,
      why,
      text: text === null ? null : Buffer.from(text).toString('base64'),
    } satisfies LicenseRecord);
  }

  async #request(document: string, known: CachedLicense | null, attempts: number): Promise<LoadResult> {
    const { fetch, nowMs, retries } = this.#parts;
    const { origin } = new URL(document);
    let headers = known === null ? {} : conditionalFields(known);
    const answer = await followRedirects(document, document, async (url) => {
      if (!isFetchable(url, origin)) return { kind: 'dropped', url, reason: 'it redirects to no https URL' };
      const pending = fetch(url, { waitMs: LICENSE_TURN_MS, maxBodyBytes: MAX_LICENSE_BYTES + 1, headers });
      // The headers are about the document itself.
      headers = {};
      return pending;
    });
    const atMs = nowMs();
    if (answer.kind === 'held' && answer.reason === 'stopping')
      return { attempts, untilMs: atMs + LICENSE_POLL_MS.max };
    if (answer.kind === 'held') return unreachable(`its host waits: ${answer.reason}`, atMs + LICENSE_RETRY_MS);
    if (answer.kind === 'dropped' || answer.kind === 'excluded') return unreadable(answer.reason, atMs);
    if (answer.kind === 'failed' && isRefusedByGuard(answer)) return unreadable(answer.failure, atMs);
    const retry = retryUrl(exchangeOf(answer), attempts, retries);
    if (retry.kind === 'again') return { attempts: attempts + 1, untilMs: retry.notBeforeMs };
    const outcomeText = answer.kind === 'failed' ? answer.failure : `status ${answer.status}`;
    if (retry.kind === 'exhausted' || answer.kind === 'failed')
      return unreachable(outcomeText, atMs + LICENSE_RETRY_MS);
    if (answer.status === 304 && known !== null && known.fetchedAtMs !== null)
      return renew(known, known.fetchedAtMs, atMs);
    return isSuccess(answer.status) ? cacheResponse(answer, atMs) : unreadable(outcomeText, atMs);
  }

  /** Whether an authority may have one more document requested; over all runs of the crawl. */
  async #mayName(document: string, authority: string): Promise<boolean> {
    const key = `licenses/${authority}`;
    const stored = this.#named.has(authority) ? null : await readJson<readonly string[]>(this.#parts.store, key);
    const named = this.#named.get(authority) ?? new Set(stored ?? []);
    keepLatest(this.#named, authority, named, MAX_LICENSE_AUTHORITIES);
    const digest = hash('sha256', document);
    if (named.has(digest)) return true;
    if (named.size >= MAX_LICENSES_PER_AUTHORITY) return false;
    named.add(digest);
    await writeJson(this.#parts.store, key, [...named]);
    return true;
  }

  async #stored(document: string): Promise<CachedLicense | null> {
    const stored = await readJson<LicenseRecord>(this.#parts.store, urlKey('license/', document));
    if (stored === null) return null;
    const { why, ...rest } = stored;
    const text = rest.text === null ? null : Buffer.from(rest.text, 'base64').toString('utf8');
    const { readLicenseDocument } = await import('./license-document.js');
    const reading = text === null ? ({ kind: 'unreadable', reason: why ?? '' } as const) : readLicenseDocument(text);
    const cached: CachedLicense = { ...rest, text, reading };
    keepLatest(this.#documents, document, cached, MAX_LICENSES_IN_MEMORY);
    return cached;
  }
}

/** https; or http on the same authority that names it, which is as strong as its robots.txt (C2). */
function isFetchable(document: string, authority: string): boolean {
  const url = parseUrl(document);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && url.origin === authority);
}

/** What people should know about a document besides its outcome. */
function remarkText(reading: LicenseReading): string {
  if (reading.kind === 'unreadable') return `: ${reading.reason}`;
  return reading.contents.some(({ isEncrypted }) => isEncrypted) ? ', encrypted in part' : '';
}

/** The outcome, its price, and where a licence must be obtained. */
export function termsText({ outcome, price, server }: Pick<LicenseVerdict, 'outcome' | 'price' | 'server'>): string {
  return `${outcome}${price === null ? '' : ` ${price}`}${server === undefined ? '' : ` of ${server}`}`;
}

/** Sets the page's licence, and drops what that does not let us keep. `null`: none is named. */
export function applyLicense(page: PageInCrawl, license: FoundLicense | null): void {
  if (license === null || license.document === null) return;
  const { document, outcome, element, price, fetchedAtMs, digest, effect } = license;
  page.license = { document, fetchedAtMs, digest, outcome, element, price };
  if (effect === 'none') return;
  page.exclusion = excludedByLicense(page.exclusion, effect === 'prohibited', licenseText(license));
}

/** What a licence requires, by which document and element, and for which purpose. Never throws. */
export function licenseText(license: FoundLicense): string {
  const { document, element, purpose } = license;
  return `${termsText(license)}: ${[document, element].filter((each) => each !== null).join(' ')}, for ${purpose}`;
}
