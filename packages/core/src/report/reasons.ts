// The one table of reason words: what the decision log, the events, the report and `explain` may give as the reason of a
// final word, which stage says it, what it means and what a person can do. Failure words of the fetcher stand here too.

import type { UrlDecision, UrlStatus } from './decision.js';

/** One row of the table. */
export interface ReasonEntry {
  /** The final words it may stand behind. */
  readonly statuses: readonly UrlStatus[];
  /** The stage that says it. */
  readonly layer: UrlDecision['layer'];
  /** One sentence, for people. */
  readonly means: string;
  /** What can be done; empty where nothing needs doing. */
  readonly todo: string;
}

const row = (
  words: UrlStatus | readonly UrlStatus[],
  layer: UrlDecision['layer'],
  means: string,
  todo = '',
): ReasonEntry => ({
  statuses: typeof words === 'string' ? [words] : words,
  layer,
  means,
  todo,
});

const RETRIED = 'It was tried again where that can help; run the crawl again later.';
const SITE_ASKS = 'Leave it; ask the site if you need it.';
const TURN_UP = 'Raise the bound and run the crawl again.';
const CHECK_URL = 'Look whether the URL is written as it should be.';
const WAIT = 'Run the same crawl again after that time.';

/** Every reason word and what it means. A `status-` word carries the status behind the dash: look it up with `reasonOf`. */
export const REASONS = {
  // fetched
  fetched: row('fetched', 'page', 'The page was fetched and handled.'),
  redirect: row('fetched', 'fetch', 'It answered with a redirect; the target went through the same door as any link.'),
  companion: row('fetched', 'fetch', 'A file asked for beside robots.txt was read.'),
  sitemap: row('fetched', 'fetch', 'A sitemap or feed that discovery asks for was read; its detail says what it held.'),
  'no-handler': row(
    'fetched',
    'page',
    'It was fetched, and no handler asked for its kind of content.',
    'Register a handler for it, or `any`.',
  ),

  // excluded: the site's wish
  'robots-rule': row('excluded', 'robots', 'A line of robots.txt closes this URL to us.', SITE_ASKS),
  'robots-restricted': row(
    'excluded',
    'robots',
    'robots.txt itself is refused to us, and the profile reads that as closed.',
    SITE_ASKS,
  ),
  'robots-oversize': row(
    'excluded',
    'robots',
    'robots.txt is larger than we read, and the profile reads that as closed.',
    SITE_ASKS,
  ),
  'robots-closed-rate': row(
    'excluded',
    'robots',
    'The Request-rate of robots.txt allows no documents at all.',
    SITE_ASKS,
  ),
  'robots-preferences': row(
    'excluded',
    'robots',
    'robots.txt disallows every purpose that this crawl declares.',
    SITE_ASKS,
  ),
  noindex: row(
    'excluded',
    'page',
    'The page asks not to be kept (noindex): it was handled, and its items were kept out of the sinks.',
    SITE_ASKS,
  ),
  'unavailable-after': row(
    'excluded',
    'page',
    'The page asked not to be kept after a date that has passed.',
    SITE_ASKS,
  ),
  indexinstead: row('excluded', 'page', 'The page names another URL to keep instead; that one was queued.'),
  'link-nofollow': row(
    'excluded',
    'page',
    'The link carries rel=nofollow; it was not taken from this page.',
    SITE_ASKS,
  ),
  'page-nofollow': row('excluded', 'page', 'The page asks that its links be left alone (nofollow).', SITE_ASKS),
  noimageindex: row('excluded', 'page', 'The page asks that its images be left alone (noimageindex).', SITE_ASKS),
  'tdm-reserved': row(
    'excluded',
    'page',
    'Rights for text and data mining are reserved, and the crawl declares such a purpose.',
    'Read the policy the site names.',
  ),
  preferences: row('excluded', 'page', 'The page disallows a purpose that this crawl declares.', SITE_ASKS),
  'content-use': row(
    'excluded',
    'page',
    'The page allows less use of its content than this crawl declares.',
    SITE_ASKS,
  ),
  canonical: row('excluded', 'page', 'The page names another URL as its canonical one, and the crawl keeps only that.'),
  'link-ugc': row('excluded', 'page', 'The link carries rel=ugc, and the crawl leaves those alone.'),
  'link-sponsored': row('excluded', 'page', 'The link carries rel=sponsored, and the crawl leaves those alone.'),

  // dropped: ours
  'crawl-delay-over-max': row(
    'dropped',
    'robots',
    'The host asks for a longer Crawl-delay than the crawl is willing to wait.',
    'Raise `robots.crawlDelay.maxSeconds`.',
  ),
  'out-of-scope': row(
    'dropped',
    'scope',
    'It lies outside the scope of this crawl.',
    'Widen `scope.within` (--within), list the host, or look at `prefixes` and `include`.',
  ),
  'scope-excluded': row('dropped', 'scope', 'A pattern of `scope.exclude` matches it.'),
  trap: row(
    'dropped',
    'scope',
    'It belongs to a space without end: its URL goes in circles, or the pages that lead there say the same again and again.',
    'See docs/traps.md; `traps` sets how soon, and `traps: false` takes everything.',
  ),
  'sitemap-foreign': row(
    'dropped',
    'scope',
    'A sitemap lists it that may not speak for its host: neither served by it nor named by its robots.txt.',
  ),
  'sitemap-limit': row('dropped', 'scope', 'More sitemaps of one host, or deeper in indexes, than are read.'),
  'page-fetch-limit': row('dropped', 'hook', 'The handler of one page asked for more files by itself than one may.'),
  'url-invalid': row('dropped', 'scope', 'It is not a URL.'),
  'url-scheme': row('dropped', 'scope', 'Only http and https are fetched.'),
  'url-too-long': row('dropped', 'frontier', 'The URL is longer than the frontier keeps.'),
  'bound-depth': row('dropped', 'bounds', 'It lies more links from a seed than `bounds.depth` allows.', TURN_UP),
  'bound-pages': row('dropped', 'bounds', 'The crawl has fetched as many pages as `bounds.pages` allows.', TURN_UP),
  'bound-minutes': row('dropped', 'bounds', 'The running time of `bounds.minutes` is over.', TURN_UP),
  'bound-host-pages': row(
    'dropped',
    'bounds',
    'Its host has given as many pages as `bounds.pagesPerHost` allows.',
    TURN_UP,
  ),
  'bound-host-bytes': row(
    'dropped',
    'bounds',
    'Its host has given as many bytes as `bounds.bytesPerHost` allows.',
    TURN_UP,
  ),
  'bound-host-minutes': row(
    'dropped',
    'bounds',
    'The running time that `bounds.minutesPerHost` gives its host is over.',
    TURN_UP,
  ),
  'redirect-limit': row(['dropped', 'failed'], 'bounds', 'A chain of redirects became too long.'),
  'frontier-full': row(
    'dropped',
    'frontier',
    'The queue is past its high-water mark.',
    'Narrow the scope, or give the crawl a larger queue.',
  ),
  duplicate: row(
    'dropped',
    'frontier',
    'By the Clean-param or Host line of its robots.txt it is another URL that is known; it was queued before the file was read.',
  ),
  'user-data-too-large': row(
    'dropped',
    'frontier',
    'The data handed along with the URL is larger than the frontier keeps.',
  ),
  'hook-refused': row('dropped', 'hook', 'A hook of the crawl refused it.'),
  'handler-refused': row('dropped', 'hook', 'Its handler refused the page (`RefusePage`); nothing of it was kept.'),
  'address-forbidden': row(
    'dropped',
    'fetch',
    'Its name leads to an address that is not public.',
    'Open the range with `network.allowAddresses` (--allow-address) if it is yours, such as 127.0.0.0/8.',
  ),
  'port-forbidden': row(
    'dropped',
    'fetch',
    'Its port is neither 80 nor 443, nor named by a seed.',
    'Open it with `network.ports` (--port).',
  ),
  'scheme-unsupported': row('dropped', 'fetch', 'Only http and https are fetched.'),

  // failed: it could not be had
  'robots-unreachable': row(
    ['held', 'failed'],
    'robots',
    'robots.txt could not be had, so nothing may be asked of the site yet.',
    'Look whether its name is right and the site answers; run the same crawl again after that time.',
  ),
  'redirect-invalid': row('failed', 'fetch', 'It answered with a redirect that leads nowhere.', CHECK_URL),
  'retries-exhausted': row('failed', 'fetch', 'Every try ended in an answer that asks for another try.', WAIT),
  'handler-error': row(
    'failed',
    'hook',
    'The handler threw; nothing of what it emitted or followed was kept.',
    'See the error in the log and mend the handler.',
  ),
  'render-failed': row(
    'failed',
    'page',
    'It was fetched, and the browser that was to open it failed; the detail says how. No handler saw it.',
    'See docs/browser.md; `--retry` asks for it once more.',
  ),
  'user-data-invalid': row(
    'failed',
    'hook',
    'What was handed along with the URL does not meet the schema of its route; no handler saw the page.',
    'Hand along what the schema asks for; see docs/handlers.md.',
  ),
  'handler-timeout': row(
    'failed',
    'hook',
    'The handler took too long; nothing of what it emitted or followed was kept.',
    'Make the handler faster, or give it more time.',
  ),
  dns: row('failed', 'fetch', 'The host name could not be resolved.', RETRIED),
  refused: row('failed', 'fetch', 'The connection was refused.', RETRIED),
  'unreachable-network': row('failed', 'fetch', 'There is no way to the address.', RETRIED),
  reset: row('failed', 'fetch', 'The connection was reset.', RETRIED),
  'closed-early': row('failed', 'fetch', 'The connection ended before the response was whole.', RETRIED),
  tls: row('failed', 'fetch', 'TLS failed; there is no falling back to http.'),
  framing: row('failed', 'fetch', 'The response is not well-formed HTTP.'),
  'headers-too-large': row('failed', 'fetch', 'The header section is larger than we read.'),
  'timeout-connect': row('failed', 'fetch', 'No connection within `network.connectTimeoutMs`.', RETRIED),
  'timeout-headers': row('failed', 'fetch', 'No header section within `network.headersTimeoutMs`.', RETRIED),
  'timeout-exchange': row('failed', 'fetch', 'The response was not whole within `network.requestTimeoutMs`.', RETRIED),
  encoding: row('failed', 'fetch', 'The content coding could not be undone.'),
  aborted: row('failed', 'fetch', 'The crawl was stopped while it was in flight.', 'Run the same crawl again.'),
  internal: row('failed', 'fetch', 'Our own machinery failed.', 'Please report it.'),
  status: row('failed', 'fetch', 'The server answered with this status, and there is nothing to handle.', CHECK_URL),

  // held: no answer yet at the end of the run
  'robots-unknown': row(
    'held',
    'robots',
    'robots.txt of the site has not been asked for yet.',
    'Run the same crawl again.',
  ),
  interval: row('held', 'frontier', 'The host is between two requests.', WAIT),
  'crawl-delay': row('held', 'frontier', 'The Crawl-delay of the host is running.', WAIT),
  'request-rate': row('held', 'frontier', 'The Request-rate of the host is running.', WAIT),
  'visit-time': row('held', 'frontier', 'The host is outside its Visit-time.', WAIT),
  'request-rate-closed': row('held', 'frontier', 'The Request-rate of the host allows no documents now.', WAIT),
  'host-paused': row('held', 'frontier', 'The host asked for a pause (429, 503, Retry-After) or keeps failing.', WAIT),
  'host-parked': row(
    'held',
    'frontier',
    'The host is set aside until somebody has looked at it.',
    'Look at its answers, then run the crawl again.',
  ),
  'address-shared': row(
    'held',
    'frontier',
    'Another host on its address has its turn first (`politeness.perIp`).',
    WAIT,
  ),
  'not-before': row('held', 'frontier', 'It is to be asked for later.', WAIT),
} as const satisfies Record<string, ReasonEntry>;

/** A word of the table. */
export type Reason = keyof typeof REASONS;

/**
 * The row of a reason word.
 *
 * @param word - As a decision gives it; `status-404` and its kin share the row `status`.
 * @returns `null` for a word that the table does not have.
 * @throws Never
 */
export function reasonOf(word: string): ReasonEntry | null {
  const key = word.startsWith('status-') ? 'status' : word;
  return Object.hasOwn(REASONS, key) ? REASONS[key as Reason] : null;
}
