// The requests of one page in the browser: intercepted before they are sent, bounded, made by the crawl, and answered
// with the received response. The browser's own network is never used. (access §11, DECISION A20: subresources are
// checked like pages, since they load the same server.)

import type { Route } from 'playwright-core';
import type { ResponseOutcome } from '../fetch/outcome.js';
import type { RenderRequest, SubresourceAccount, SubresourceAnswer } from '../fetch/renderer.js';
import type { BrowserSettings } from './browser-options.js';
import { MAX_BROWSER_TEXT, MAX_LISTED_REFUSALS } from './limits.js';

export type RequestSettings = Pick<BrowserSettings, 'loads' | 'anywhere' | 'requests' | 'bytes' | 'quietMs'>;

/** The source of a request of the browser. */
export type RequestPlace =
  /** The main frame requests a document: the first time ours, never again. */
  | 'main'
  | 'frame'
  /** A window that the page opened, or an unknown source. */
  | 'elsewhere'
  | 'page';

export type TabRequests = ReturnType<typeof createTabRequests>;

/** Makes the requests of one page. `untilMs` is the page's deadline by `performance.now()`. @throws Never */
export function createTabRequests(
  { document, load }: Pick<RenderRequest, 'document' | 'load'>,
  settings: RequestSettings,
  untilMs: number,
) {
  const controller = new AbortController();
  const pending = new Set<{ readonly url: string; readonly type: string }>();
  const refused = new Map<string, number>();
  const refusals: { readonly url: string; readonly type: string; readonly reason: string }[] = [];
  let isDocumentServed = false;
  let isDocumentRead = false;
  let requestCount = 0;
  let loaded = 0;
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const waiting = new Set<() => void>();
  const notifyQuiet = (): void => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  const startQuietTimer = (): void => {
    clearTimeout(timer);
    if (isDocumentRead && pending.size === 0 && !controller.signal.aborted)
      timer = setTimeout(notifyQuiet, settings.quietMs);
  };
  /** Called when no more of the document is read: from then on silence counts. */
  const documentRead = (): void => {
    isDocumentRead = true;
    startQuietTimer();
  };
  const refuse = (url: string, type: string, reason: string): void => {
    if (controller.signal.aborted) return;
    refused.set(reason, (refused.get(reason) ?? 0) + 1);
    if (refusals.length < MAX_LISTED_REFUSALS) refusals.push({ url: url.slice(0, MAX_BROWSER_TEXT), type, reason });
  };

  /** Why a request is not passed to the crawl; `null` if it is. */
  const refusalReason = (route: Route, place: RequestPlace, type: string): string | null => {
    const request = route.request();
    if (place === 'elsewhere') return 'window';
    if (place === 'main') return 'navigation';
    if (!/^https?:/.test(request.url())) return 'url-scheme';
    if (request.method() !== 'GET') return 'method';
    if (!settings.loads.has(type)) return 'type';
    if (requestCount >= settings.requests) return 'request-limit';
    return bytes >= settings.bytes ? 'byte-limit' : null;
  };

  const fetchAndFulfill = async (route: Route, type: string): Promise<void> => {
    const url = route.request().url();
    const entry = { url, type };
    requestCount += 1;
    pending.add(entry);
    startQuietTimer();
    const answer = await load({
      url,
      type,
      headers: forwarded(route.request().headers()),
      anywhere: settings.anywhere,
      waitMs: Math.max(0, Math.floor(untilMs - performance.now())),
      maxBodyBytes: Math.max(1, settings.bytes - bytes),
      signal: controller.signal,
    });
    if (controller.signal.aborted) return;
    const reason = answerFault(answer);
    if (reason !== null || answer.kind !== 'response') {
      refuse(url, type, reason ?? 'internal');
      await route.abort('blockedbyclient').catch(ignore);
    } else {
      loaded += 1;
      bytes += answer.body.length;
      await route.fulfill(toFulfillment(answer)).catch(ignore);
    }
    pending.delete(entry);
    startQuietTimer();
  };

  return {
    /** Resolves once the document is read and nothing is requested during `quietMs`, or when the page is over. */
    untilQuiet(): Promise<void> {
      if (controller.signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        waiting.add(resolve);
        startQuietTimer();
      });
    },
    hasEnded: () => controller.signal.aborted,
    refuse,
    /** Answers one request of the browser. Never rejects. */
    async answer(route: Route, place: RequestPlace): Promise<void> {
      if (place === 'main' && !isDocumentServed) {
        isDocumentServed = true;
        await route.fulfill(toFulfillment(document)).catch(ignore);
        return;
      }
      const type = place === 'frame' ? 'frame' : route.request().resourceType();
      const reason = controller.signal.aborted ? 'page-over' : refusalReason(route, place, type);
      if (reason === null) await fetchAndFulfill(route, type);
      else {
        refuse(route.request().url(), type, reason);
        // An aborted navigation, unlike a blocked one, leaves the page unchanged.
        await route.abort('aborted').catch(ignore);
        // Chromium has stopped reading a document that navigates meanwhile, and fires no event for its end.
        if (reason === 'navigation' && !isDocumentRead) documentRead();
      }
    },
    documentRead,
    /** Ends the page: pending requests are abandoned, new ones are refused and not counted. */
    end(): void {
      for (const { url, type } of pending) refuse(url, type, 'page-over');
      clearTimeout(timer);
      controller.abort();
      notifyQuiet();
    },
    account: (): SubresourceAccount => ({
      loaded,
      bytes,
      refused: Object.fromEntries(refused),
      refusals: [...refusals],
    }),
  };
}

/** Why the browser does not get an answer: it was refused, failed, or is incomplete. */
function answerFault(answer: SubresourceAnswer): string | null {
  if (answer.kind === 'failed') return answer.failure;
  if (answer.kind !== 'response') return answer.reason;
  if (answer.truncated !== null) return answer.truncated === 'limit' ? 'byte-limit' : 'closed-early';
  // An invalid redirect: the browser would follow it by itself if it could.
  return answer.status >= 300 && answer.status <= 399 ? 'redirect-invalid' : null;
}

/** Fields that are passed on. The crawl sets identity and fields that would distinguish pages. */
const FORWARDED_FIELDS: readonly string[] = ['accept', 'origin', 'x-requested-with'];

function forwarded(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => FORWARDED_FIELDS.includes(name)));
}

function ignore(): void {
  // The page has closed.
}

/** Fields about the transport, and those that would make the browser request or store something. */
const OMITTED_FIELDS: ReadonlySet<string> = new Set(
  (
    'alt-svc clear-site-data connection content-encoding content-length content-security-policy-report-only ' +
    'keep-alive link nel refresh report-to reporting-endpoints set-cookie speculation-rules ' +
    'strict-transport-security trailer transfer-encoding upgrade'
  ).split(' '),
);

/** The arguments of `route.fulfill` for an answer. @throws Never */
export function toFulfillment({ status, headers, body }: ResponseOutcome): {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
} {
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    // Fields that the browser cannot accept are left out as well.
    if (OMITTED_FIELDS.has(key) || !/^[!#$%&'*+.^_`|~\w-]+$/.test(key) || !/^[\t\x20-\x7e]*$/.test(value)) continue;
    fields[key] = fields[key] === undefined ? value : `${fields[key]}, ${value}`;
  }
  // Playwright lets every origin read an answer without this field. The site granted no access, so none is granted.
  fields['access-control-allow-origin'] ??= 'none';
  return { status, headers: { ...fields }, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
}
