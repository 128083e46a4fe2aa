// The table of reasons: why a URL has its status, which stage decided, what it means and what to do. The decision log,
// the events, the report and `explain` use these names, failure codes of the fetcher included.

import type { UrlDecision, UrlStatus } from './decision.js';

/** One row of the table. */
export interface ReasonEntry {
  /** The statuses it may stand behind. */
  readonly statuses: readonly UrlStatus[];
  /** The stage that decides it. */
  readonly layer: UrlDecision['layer'];
  /** One sentence, for people. */
  readonly means: string;
  /** What can be done; empty where nothing needs doing. */
  readonly todo: string;
  /** The option whose bound kept the URL out; absent: none did. */
  readonly bound?: string;
}

const retried = (reason: string): string => `\`run({ retry: { reason: '${reason}' } })\` (--retry ${reason})`;
const UNPARK = '`crawler.unpark(host)` (--unpark HOST)';
const AGAIN_LATER = 'Run the same crawl again after that time.';

/** The rows of one stage; `todo` applies to those that do not say otherwise. */
const rows =
  (statuses: readonly UrlStatus[], layer: ReasonEntry['layer'], todo = '') =>
  (means: string, own = todo): ReasonEntry => ({ statuses, layer, means, todo: own });

const fetched = rows(['fetched'], 'fetch');
const fetchedPage = rows(['fetched'], 'page');
const excludedByRobots = rows(['excluded'], 'robots', 'Leave it; ask the site if you need it.');
const excludedByPage = rows(['excluded'], 'page', 'Leave it; ask the site if you need it.');
const outOfScope = rows(['dropped'], 'scope');
const RAISE = 'Raise the bound and run the crawl again.';
const outOfBounds = (option: string, means: string, todo = RAISE): ReasonEntry => ({
  ...rows(['dropped'], 'bounds', todo)(means),
  bound: `bounds.${option}`,
});
/** Still queued when a bound ended the crawl. */
const leftByBound = (option: string, means: string): ReasonEntry => ({
  ...rows(['held'], 'bounds', RAISE)(means),
  bound: `bounds.${option}`,
});
const droppedByFrontier = rows(['dropped'], 'frontier');
const droppedByFetcher = rows(['dropped'], 'fetch');
const droppedByCode = rows(['dropped'], 'hook');
const failedInCode = rows(['failed'], 'hook');
const failed = rows(['failed'], 'fetch');
const failedAndRetried = rows(['failed'], 'fetch', 'It was retried where that can help; run the crawl again later.');
const held = rows(['held'], 'frontier', AGAIN_LATER);

/** Every reason. `status-404` and the like carry the status behind the dash: look them up with `reasonOf`. */
export const REASONS = {
  fetched: fetchedPage('The page was fetched and handled.'),
  redirect: fetched('It answered with a redirect; the target was added like any link.'),
  companion: fetched('A file that belongs to robots.txt was read.'),
  sitemap: fetched('A sitemap or feed was read; its detail says what it listed.'),
  unchanged: fetchedPage('It was visited again and is as it was. Its items and links are kept.'),
  'no-handler': fetchedPage(
    'It was fetched, and no handler takes its kind of content.',
    'Register a handler for it, or `any`.',
  ),

  // excluded: the site does not want it
  'robots-rule': excludedByRobots('A line of robots.txt closes this URL to us.'),
  'robots-restricted': excludedByRobots('robots.txt itself is refused to us, and the profile reads that as closed.'),
  'robots-oversize': excludedByRobots('robots.txt is larger than we read, and the profile reads that as closed.'),
  'robots-closed-rate': excludedByRobots('The Request-rate of robots.txt allows no documents at all.'),
  'robots-preferences': excludedByRobots('robots.txt disallows every purpose that this crawl declares.'),
  noindex: excludedByPage('The page says noindex: it was handled, and its items were kept out of the sinks.'),
  'unavailable-after': excludedByPage('The page says that it is unavailable after a date that has passed.'),
  indexinstead: excludedByPage('The page names another URL to keep instead; that one was queued.', ''),
  'link-nofollow': excludedByPage('The link carries rel=nofollow; it was not followed from this page.'),
  'page-nofollow': excludedByPage('The page says nofollow: its links were not followed.'),
  noimageindex: excludedByPage('The page says noimageindex: its images were not followed.'),
  'tdm-reserved': excludedByPage(
    'Rights for text and data mining are reserved, and the crawl declares such a purpose.',
    'Read the policy the site names.',
  ),
  preferences: excludedByPage('The page disallows a purpose that this crawl declares.'),
  'content-use': excludedByPage('The page allows less use of its content than this crawl declares.'),
  'license-prohibits': excludedByPage('A licence of the site prohibits a purpose that this crawl declares.'),
  license: rows(
    ['held'],
    'page',
    `Read the document; \`licensing.accepted\` or a token of your own lets it go on, then ${retried('license')}.`,
  )('A licence of the site asks for more than the crawl has: a payment, a token, terms, or it cannot be read.'),
  canonical: excludedByPage('The page names another URL as its canonical one, and the crawl keeps only that.', ''),
  'link-ugc': excludedByPage('The link carries rel=ugc, and the crawl does not follow those.', ''),
  'link-sponsored': excludedByPage('The link carries rel=sponsored, and the crawl does not follow those.', ''),

  // dropped: the crawl does not want it
  'crawl-delay-over-max': rows(['dropped'], 'robots')(
    'The host requires a longer Crawl-delay than the crawl is willing to wait.',
    'Raise `robots.maxCrawlDelayMs`.',
  ),
  'out-of-scope': outOfScope(
    'It lies outside the scope of this crawl.',
    'Widen `scope.within` (--within), list the host, or check `prefixes` and `include`.',
  ),
  'scope-excluded': outOfScope('A pattern of `scope.exclude` matches it.'),
  trap: {
    ...outOfScope(
      'It belongs to a crawler trap: its URL loops, or the pages that lead there repeat the same content.',
      'The option `traps` sets how soon, and `traps: false` takes everything.',
    ),
    bound: 'traps',
  },
  'sitemap-foreign': outOfScope(
    'A sitemap lists it that may not speak for its host: neither served by it nor named by its robots.txt.',
  ),
  'sitemap-limit': outOfScope('More sitemaps of one host, or deeper in indexes, than are read.'),
  'url-invalid': outOfScope('It is not a URL.'),
  'url-scheme': outOfScope('Only http and https are fetched.'),
  'bound-depth': outOfBounds('depth', 'It lies more links from a seed than `bounds.depth` allows.'),
  'bound-pages': leftByBound('pages', 'The crawl has fetched as many pages as `bounds.pages` allows.'),
  'bound-minutes': leftByBound('minutes', 'The running time of `bounds.minutes` is over.'),
  'bound-bytes': leftByBound('bytes', 'The crawl has received as many bytes as `bounds.bytes` allows.'),
  'bound-host-pages': outOfBounds('pagesPerHost', 'Its host has given as many pages as `bounds.pagesPerHost` allows.'),
  'bound-host-bytes': outOfBounds('bytesPerHost', 'Its host has given as many bytes as `bounds.bytesPerHost` allows.'),
  'bound-host-minutes': outOfBounds(
    'minutesPerHost',
    'The running time that `bounds.minutesPerHost` gives its host is over.',
  ),
  'bound-label-pages': {
    ...outOfBounds('', 'Pages of its label: as many were fetched as `labels[].pages` allows.'),
    bound: 'labels[].pages',
  },
  'requisite-limit': rows(['dropped'], 'bounds')(
    'The page or the crawl has fetched as many requisites, or bytes of them, as it may.',
    'Raise the limits of `archive.requisites` and visit the page again.',
  ),
  'redirect-limit': rows(['dropped', 'failed'], 'bounds')('A chain of redirects became too long.'),
  'url-too-long': droppedByFrontier('The URL is longer than the frontier keeps.'),
  'frontier-full': {
    ...outOfBounds(
      'queuedUrls',
      'The queue is full, and the crawl drops links or its store can take no more.',
      'Narrow the scope, or give the crawl a larger queue.',
    ),
    layer: 'frontier',
  },
  duplicate: droppedByFrontier(
    'By the Clean-param or Host line of its robots.txt it is another URL that is known; it was queued before the file was read.',
  ),
  'user-data-too-large': droppedByFrontier('The data given with the URL is larger than the frontier keeps.'),
  unwanted: rows(['dropped'], 'page')(
    'No handler takes its kind of content: by its extension it was not requested, or its body was not read.',
    'Register a handler for it, or `any`.',
  ),
  'duplicate-text': rows(['dropped'], 'page')(
    'It says nearly the same as another page of the crawl, and `nearDuplicates` drops such pages; its links with it.',
    "With `nearDuplicates: 'tell'` your handler gets them.",
  ),
  'page-fetch-limit': droppedByCode('The handler of one page requested more files by itself than one may.'),
  'hook-refused': droppedByCode('A hook of the crawl refused it.'),
  'handler-refused': droppedByCode('Its handler refused the page (`RefusePage`); nothing of it was kept.'),
  'address-forbidden': droppedByFetcher(
    'Its name leads to an address that is not public.',
    'Open the range with `network.allowAddresses` (--allow-address) if it is yours, such as 127.0.0.0/8.',
  ),
  'port-forbidden': droppedByFetcher(
    'Its port is neither 80 nor 443, nor named by a seed.',
    'Open it with `network.ports` (--port).',
  ),
  'scheme-unsupported': droppedByFetcher('Only http and https are fetched.'),
  'proxy-refused': droppedByFetcher(
    'The proxy of the crawl refuses to connect there.',
    'Ask who runs the proxy: it has to allow CONNECT to the ports 80 and 443.',
  ),

  // failed: it could not be fetched
  proxy: failed(
    'The proxy of the crawl could not be reached, or wants another password.',
    'Start it, or correct `network.proxy` (--proxy); the same command goes on from there.',
  ),
  'robots-unreachable': rows(['held', 'failed'], 'robots')(
    'robots.txt could not be fetched, so nothing of the site may be requested yet.',
    'Check that its name is right and the site answers; run the same crawl again after that time.',
  ),
  'payment-required': failed(
    'The site asks for a payment (402) or a licence (401 with `License`); the detail has its price. The crawl pays nothing.',
    'Leave it, or ask the site for another arrangement.',
  ),
  'charged-unasked': failed(
    'The site says that it has charged for the page; the crawl offered nothing, and its host is parked.',
    `Ask the site what it charged and whom. ${UNPARK} goes on with the host.`,
  ),
  'sign-in-refused': failed(
    'The site does not take the credential of `signIn` for this page; its host is parked.',
    `Check the account by hand. Then ${UNPARK} and ${retried('sign-in-refused')}.`,
  ),
  challenged: failed(
    'It answered with a challenge for browsers instead of the page.',
    'Leave it; ask the site to let your crawler in.',
  ),
  'redirect-invalid': failed('It answered with a redirect that leads nowhere.', 'Check that the URL is correct.'),
  'retries-exhausted': failed('Every try ended in an answer that allows another try.', AGAIN_LATER),
  'handler-error': failedInCode(
    'The handler threw; nothing of what it emitted or followed was kept.',
    `Fix the handler: \`crawler.explain\` and errors.jsonl have the error with its stack. Then ${retried('handler-error')}.`,
  ),
  poison: rows(['failed'], 'page')(
    'The process ended twice while the page was read or handled, so it is left out.',
    `Look at the page and at your handler for it; ${retried('poison')} reads it once more.`,
  ),
  'render-failed': rows(['failed'], 'page')(
    'It was fetched, and the browser could not open it; the detail says how. No handler saw it.',
    `With ${retried('render-failed')} it is requested once more.`,
  ),
  'user-data-invalid': failedInCode(
    'The data given with the URL does not meet the schema of its route; no handler saw the page.',
    'Give what the schema requires.',
  ),
  'handler-timeout': failedInCode(
    'The handler took too long; nothing of what it emitted or followed was kept.',
    'Make the handler faster, or raise `handlerTimeoutMs`.',
  ),
  dns: failedAndRetried('The host name could not be resolved.'),
  refused: failedAndRetried('The connection was refused.'),
  'unreachable-network': failedAndRetried('There is no route to the address.'),
  reset: failedAndRetried('The connection was reset.'),
  'closed-early': failedAndRetried('The connection ended before the response was complete.'),
  tls: failed('TLS failed; the crawl does not fall back to http.'),
  framing: failed('The response is not well-formed HTTP.'),
  'headers-too-large': failed('The header section is larger than we read.'),
  'timeout-connect': failedAndRetried('No connection within `network.connectTimeoutMs`.'),
  'timeout-headers': failedAndRetried('No header section within `network.headersTimeoutMs`.'),
  'timeout-exchange': failedAndRetried('The response was not complete within `network.requestTimeoutMs`.'),
  encoding: failed('The content coding could not be decoded.'),
  aborted: failed('The crawl was stopped while it was in flight.', 'Run the same crawl again.'),
  internal: failed(
    'Our own code failed, or a fetcher of yours.',
    'Look into errors.jsonl: it has what a fetcher threw. Otherwise please report it.',
  ),
  status: failed(
    'The server answered with this status, and there is nothing to handle.',
    'Check that the URL is correct.',
  ),

  // held: no answer yet at the end of the run
  'robots-unknown': rows(['held'], 'robots')(
    'robots.txt of the site has to be requested first: it was not yet, or its copy is too old.',
    'Run the same crawl again.',
  ),
  interval: held('The host is between two requests.'),
  'crawl-delay': held('The Crawl-delay of the host is running.'),
  'request-rate': held('The Request-rate of the host is running.'),
  'visit-time': held('The host is outside its Visit-time.'),
  'request-rate-closed': held('The Request-rate of the host allows no documents now.'),
  'host-paused': held('The host required a pause (429, 503, Retry-After) or keeps failing.'),
  'host-parked': held(
    'The host is parked until somebody unparks it.',
    `Check its answers: it refuses you. Then ${UNPARK}.`,
  ),
  'address-shared': held('Another host on its address comes first (`politeness.perIp`).'),
  'not-before': held('Its next try is later.'),
  'run-ended': held('The run ended before its turn came.', 'Run the same crawl again.'),
} as const satisfies Record<string, ReasonEntry>;

export type Reason = keyof typeof REASONS;

/** The row of a reason; `status-404` and the like share the row `status`. `null`: the table has none. @throws Never */
export function reasonOf(reason: string): ReasonEntry | null {
  const key = reason.startsWith('status-') ? 'status' : reason;
  return Object.hasOwn(REASONS, key) ? REASONS[key as Reason] : null;
}

/** What a reason means and what to do, for a message. */
export function explainedReason(reason: string): string {
  const { means, todo } = reasonOf(reason) ?? { means: 'See the decision log.', todo: '' };
  return `${means} ${todo}`.trimEnd();
}
