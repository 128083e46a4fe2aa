// The table of reasons: why a URL has its status, which stage decided, what it means and what to do. The decision log,
// the events, the report and `explain` use these names, including failure codes of the fetcher.

import type { PageReasonCode } from '@mannerly/robots/page';
import type { FailureCode } from '../fetch/outcome.js';
import type { UrlDecision, UrlStatus } from './decision.js';

/** Each needs a row. The two other codes of a page only limit what is kept of it. */
type DecidingCode = FailureCode | Exclude<PageReasonCode, 'noarchive' | 'nosnippet'>;

interface ReasonEntry {
  readonly statuses: readonly UrlStatus[];
  readonly layer: UrlDecision['layer'];
  /** One sentence, for people. */
  readonly meaning: string;
  /** What can be done; empty if nothing needs doing. */
  readonly advice: string;
  /** The option whose bound kept the URL out; absent if none did. */
  readonly bound?: string;
}

const retryCall = (reason: string): string => `\`run({ retry: { reason: '${reason}' } })\` (--retry ${reason})`;
const UNPARK = '`crawler.unpark(host)` (--unpark HOST)';
const AGAIN_LATER = 'Run the same crawl again after that time.';

/** The rows of one stage; `advice` applies to rows without their own. */
const rows =
  (statuses: readonly UrlStatus[], layer: ReasonEntry['layer'], advice = '') =>
  (meaning: string, ownAdvice = advice): ReasonEntry => ({ statuses, layer, meaning, advice: ownAdvice });

const fetched = rows(['fetched'], 'fetch');
const fetchedPage = rows(['fetched'], 'page');
const excludedByRobots = rows(['excluded'], 'robots', 'Leave it; ask the site if you need it.');
const excludedByPage = rows(['excluded'], 'page', 'Leave it; ask the site if you need it.');
const outOfScope = rows(['dropped'], 'scope');
/** A dropped link is not kept. */
const ADD_IT =
  'In a crawl that continues, also `mannerly add DIR URL`, or start over: `run({ reset: true })` (--reset).';
/** A finished page is not read again for the links that were dropped. */
const START_OVER = 'Raise the bound and start the crawl over: `run({ reset: true })` (--reset).';
const outOfBounds = (option: string, meaning: string, advice = START_OVER): ReasonEntry => ({
  ...rows(['dropped'], 'bounds', advice)(meaning),
  bound: `bounds.${option}`,
});
/** Still queued when a bound ended the crawl. */
const heldByBound = (option: string, meaning: string): ReasonEntry => ({
  ...rows(['held'], 'bounds', 'Raise the bound and run the crawl again.')(meaning),
  bound: `bounds.${option}`,
});
const droppedByFrontier = rows(['dropped'], 'frontier');
const droppedByFetcher = rows(['dropped'], 'fetch');
const droppedByCode = rows(['dropped'], 'hook');
const failedInCode = rows(['failed'], 'hook');
const failed = rows(['failed'], 'fetch');
const failedAndRetried = rows(
  ['failed'],
  'fetch',
  'It was retried where that can help. Later: `run({ retry })` (--retry).',
);
const held = rows(['held'], 'frontier', AGAIN_LATER);

/** Every reason. `status-404` and the like carry the status after the hyphen: look them up with `reasonOf`. */
export const REASONS = {
  fetched: fetchedPage('The page was fetched and handled.'),
  redirect: fetched('It answered with a redirect; the target was added like any link.'),
  companion: fetched('A file that belongs to robots.txt was read.'),
  sitemap: fetched('A sitemap or feed was read; its detail says what it listed.'),
  unchanged: fetchedPage('It was visited again and has not changed. Its items and links are kept.'),
  'no-handler': fetchedPage(
    'It was fetched, but no handler takes its kind of content.',
    'Register a handler for it, or `any`. A sitemap goes into `discover.sitemapUrls` (--sitemap), not into the seeds.',
  ),

  // excluded: the site does not want it
  'robots-rule': excludedByRobots('A rule in robots.txt disallows this URL.'),
  'robots-restricted': excludedByRobots(
    'The site refuses access to robots.txt itself, which the crawl treats as disallowing everything.',
  ),
  'robots-oversize': excludedByRobots('robots.txt is too large, which the crawl treats as disallowing everything.'),
  'robots-preferences': excludedByRobots('robots.txt disallows every purpose that this crawl declares.'),
  noindex: excludedByPage('The page says noindex: it was handled, but its items were kept out of the sinks.'),
  'unavailable-after': excludedByPage('The page says it is unavailable after a date that has passed.'),
  indexinstead: excludedByPage('The page names another URL to keep instead; that one was queued.', ''),
  'link-nofollow': excludedByPage('The link has rel=nofollow; it was not followed from this page.'),
  'page-nofollow': excludedByPage('The page says nofollow: its links were not followed.'),
  noimageindex: excludedByPage('The page says noimageindex: its images were not followed.'),
  'tdm-reserved': excludedByPage(
    'Text and data mining rights are reserved, and the crawl declares such a purpose.',
    'Read the policy the site names.',
  ),
  preferences: excludedByPage('The page disallows a purpose that this crawl declares.'),
  'content-use': excludedByPage('The page allows less use of its content than this crawl declares.'),
  'license-prohibits': excludedByPage('A licence of the site prohibits a purpose that this crawl declares.'),
  license: rows(
    ['held'],
    'page',
    `Read the document. Set \`licensing.accepted\`, or obtain a token, then ${retryCall('license')}.`,
  )(
    'A licence of the site requires what the crawl does not have (a payment, a token, accepted terms), or cannot be read.',
  ),
  canonical: excludedByPage('The page names another URL as canonical, and the crawl keeps only that one.', ''),
  'link-ugc': excludedByPage('The link has rel=ugc, and the crawl does not follow such links.', ''),
  'link-sponsored': excludedByPage('The link has rel=sponsored, and the crawl does not follow such links.', ''),

  // dropped: the crawl does not want it
  'crawl-delay-over-max': rows(['dropped'], 'robots')(
    'The host requires a longer Crawl-delay than the crawl accepts.',
    'Raise `robots.maxCrawlDelayMs`.',
  ),
  'out-of-scope': outOfScope(
    'It is outside the scope of this crawl.',
    `Widen \`scope.within\` (--within), list the host, or check \`prefixes\` and \`include\`. ${ADD_IT}`,
  ),
  'scope-excluded': outOfScope(
    'A pattern of `scope.exclude` matches it.',
    `Change \`scope.exclude\` (--exclude) if you want it. ${ADD_IT}`,
  ),
  trap: {
    ...outOfScope(
      'It belongs to a crawler trap: its URL loops, or the pages that lead there repeat the same content.',
      'The option `traps` sets the limits; `traps: false` follows everything.',
    ),
    bound: 'traps',
  },
  'sitemap-foreign': outOfScope('It is listed in a sitemap that its host neither serves nor names in its robots.txt.'),
  'sitemap-limit': outOfScope('The host has more sitemaps, or deeper sitemap indexes, than the crawl reads.'),
  'url-invalid': outOfScope('It is not a URL.'),
  'url-scheme': outOfScope('Only http and https are fetched.'),
  'bound-depth': outOfBounds('depth', 'It is more links away from a seed than `bounds.depth` allows.'),
  'bound-pages': heldByBound('pages', 'The crawl has fetched as many pages as `bounds.pages` allows.'),
  'bound-minutes': heldByBound('minutes', 'The running time allowed by `bounds.minutes` is used up.'),
  'bound-bytes': heldByBound('bytes', 'The crawl has received as many bytes as `bounds.bytes` allows.'),
  'bound-host-pages': outOfBounds(
    'pagesPerHost',
    'The crawl has fetched as many pages of its host as `bounds.pagesPerHost` allows.',
  ),
  'bound-host-bytes': outOfBounds(
    'bytesPerHost',
    'The crawl has received as many bytes from its host as `bounds.bytesPerHost` allows.',
  ),
  'bound-host-minutes': outOfBounds(
    'minutesPerHost',
    'The running time that `bounds.minutesPerHost` allows its host is used up.',
  ),
  'bound-label-pages': {
    ...outOfBounds('', 'The crawl has fetched as many pages with its label as `labels[].pages` allows.'),
    bound: 'labels[].pages',
  },
  'requisite-limit': rows(['dropped'], 'bounds')(
    'The page or the crawl has reached its limit of requisites, or of bytes for them.',
    'Raise the limits of `archive.requisites` and visit the page again.',
  ),
  'redirect-limit': rows(['dropped', 'failed'], 'bounds')('The chain of redirects is too long.'),
  'url-too-long': droppedByFrontier('The URL is too long for the frontier.'),
  'frontier-full': {
    ...outOfBounds(
      'queuedUrls',
      'The queue is full, and the crawl drops links or its store has no more space.',
      'Narrow the scope, or give the crawl a larger queue.',
    ),
    layer: 'frontier',
  },
  duplicate: droppedByFrontier(
    'By a Clean-param or Host line in robots.txt, it is the same as a known URL; it was queued before the file was read.',
  ),
  'user-data-too-large': droppedByFrontier('The user data of the URL is too large for the frontier.'),
  unwanted: rows(['dropped'], 'page')(
    'No handler takes its kind of content: it was not requested because of its extension, or its body was not read.',
    'Register a handler for it, or `any`.',
  ),
  'duplicate-text': rows(['dropped'], 'page')(
    'Its text is nearly the same as that of another page, and `nearDuplicates` drops such pages with their links.',
    "With `nearDuplicates: 'tell'` your handler gets them.",
  ),
  'page-fetch-limit': droppedByCode('The handler of one page fetched more files than it may.'),
  'hook-refused': droppedByCode('A hook of the crawl refused it.'),
  'handler-refused': droppedByCode('Its handler refused the page (`RefusePage`); nothing of it was kept.'),
  'address-forbidden': droppedByFetcher(
    'Its host is, or resolves to, an address that is not public.',
    'Open the range with `network.allowAddresses` (--allow-address) if it is yours, such as 127.0.0.0/8.',
  ),
  'port-forbidden': droppedByFetcher(
    'Its port is neither 80, nor 443, nor that of a seed.',
    'Open it with `network.ports` (--port).',
  ),
  'scheme-unsupported': droppedByFetcher('Only http and https are fetched.'),
  'proxy-refused': droppedByFetcher(
    'The proxy of the crawl refuses to connect to it.',
    `Ask its operator to allow CONNECT to ports 80 and 443. Then ${retryCall('proxy-refused')}.`,
  ),

  // failed: it could not be fetched
  proxy: failed(
    'The proxy of the crawl could not be reached, or rejects the password.',
    'Start it, or correct `network.proxy` (--proxy); the same command continues from there.',
  ),
  'robots-unreachable': rows(['held', 'failed'], 'robots')(
    'robots.txt could not be fetched, so no URL of the site may be requested yet.',
    'Check that its name is right and the site answers; run the same crawl again after that time.',
  ),
  'payment-required': failed(
    'The site asks for a payment (402) or a licence (401 with `License`); the detail has the price. The crawl never pays.',
    'Leave it, or ask the site for another arrangement.',
  ),
  'charged-unasked': failed(
    'The site says it charged for the page, although the crawl offered no payment. Its host is parked.',
    `Ask the site what and whom it charged. ${UNPARK} continues with the host.`,
  ),
  'sign-in-refused': failed(
    'The site rejects the credential of `signIn` for this page; its host is parked.',
    `Check the account by hand. Then ${UNPARK} and ${retryCall('sign-in-refused')}.`,
  ),
  challenged: failed(
    'It answered with a browser challenge instead of the page.',
    'Leave it; ask the site to let your crawler in.',
  ),
  'redirect-invalid': failed('It answered with a redirect that leads nowhere.', 'Check that the URL is correct.'),
  'retries-exhausted': failed(
    'Every attempt failed, and no retry is left.',
    `The last failure: \`crawler.explain(url)\`. Later, ${retryCall('retries-exhausted')} requests it again.`,
  ),
  'handler-error': failedInCode(
    'The handler threw; nothing that it emitted or followed was kept.',
    `Fix the handler: \`crawler.explain\` and errors.jsonl have the error with its stack. Then ${retryCall('handler-error')}.`,
  ),
  poison: rows(['failed'], 'page')(
    'The process died three times while the page was read or handled, so the page is skipped.',
    `Look at the page and its handler; ${retryCall('poison')} tries it once more.`,
  ),
  'render-failed': rows(['failed'], 'page')(
    'It was fetched, but the browser could not open it; the detail says why. No handler saw it.',
    `With ${retryCall('render-failed')} it is requested once more.`,
  ),
  'user-data-invalid': failedInCode(
    'The user data of the URL does not match the schema of its route; no handler saw the page.',
    'Pass the data that the schema requires.',
  ),
  'handler-timeout': failedInCode(
    'The handler took too long; nothing that it emitted or followed was kept.',
    'Make the handler faster, or raise `handlerTimeoutMs`.',
  ),
  dns: failedAndRetried('The host name could not be resolved.'),
  refused: failedAndRetried('The connection was refused.'),
  'unreachable-network': failedAndRetried('There is no route to the address.'),
  reset: failedAndRetried('The connection was reset.'),
  'closed-early': failedAndRetried('The connection ended before the response was complete.'),
  tls: failed('TLS failed; the crawl does not fall back to http.'),
  framing: failed('The response is not well-formed HTTP.'),
  'headers-too-large': failed('The header section is too large.'),
  'timeout-connect': failedAndRetried('No connection within `network.connectTimeoutMs`.'),
  'timeout-headers': failedAndRetried('No header section within `network.headersTimeoutMs`.'),
  'timeout-exchange': failedAndRetried('The response was not complete within `network.requestTimeoutMs`.'),
  encoding: failed('The content coding could not be decoded.'),
  aborted: failed('The crawl was stopped while the request was in flight.', 'Run the same crawl again.'),
  internal: failed(
    'Mannerly itself failed, or your own fetcher did.',
    'See errors.jsonl for what a fetcher threw. Otherwise please report it.',
  ),
  status: failed(
    'The server answered with this status, and there is nothing to handle.',
    'Check that the URL is correct.',
  ),

  // held: no answer yet at the end of the run
  'robots-unknown': rows(['held'], 'robots')(
    'robots.txt has to be fetched first: there is no copy yet, or it is too old.',
    'Run the same crawl again.',
  ),
  interval: held('The interval between two requests to the host is not over.'),
  'crawl-delay': held('The Crawl-delay of the host is not over.'),
  'request-rate': held('The Request-rate interval of the host is not over.'),
  'visit-time': held(
    'The host is outside its Visit-time.',
    'Run the same crawl again at that hour (UTC). If its Crawl-delay is longer than its Visit-time, it gets one page each time.',
  ),
  'request-rate-closed': held('The Request-rate of the host allows no documents at this time.'),
  'host-paused': held('The host asked for a pause (429, 503, Retry-After) or keeps failing.'),
  'host-parked': held('The host is parked until you unpark it.', `Check its answers: it refuses you. Then ${UNPARK}.`),
  'address-shared': held('Another host on the same address comes first (`politeness.perIp`).'),
  'not-before': held('Its next attempt is due later.'),
  'run-ended': held('The run ended before its turn came.', 'Run the same crawl again.'),
} as const satisfies Record<DecidingCode, ReasonEntry> & Record<string, ReasonEntry>;

type Reason = keyof typeof REASONS;

/** Reasons that are no failures, and pass when a person has acted. */
const RETRIED_BY_REQUEST: ReadonlySet<string> = new Set(['license', 'proxy-refused']);

/** Whether `--retry` can queue a URL again that ended so. Never throws. */
export function isRetryable({ status, reason }: { readonly status: string; readonly reason: string }): boolean {
  return status === 'failed' || RETRIED_BY_REQUEST.has(reason);
}

/** The row of a reason; `status-404` and the like share the row `status`. `null`: the table has none. @throws Never */
export function reasonOf(reason: string): ReasonEntry | null {
  const key = reason.startsWith('status-') ? 'status' : reason;
  return Object.hasOwn(REASONS, key) ? REASONS[key as Reason] : null;
}

export function explainReason(reason: string): string {
  const { meaning: means, advice: todo } = reasonOf(reason) ?? { meaning: 'See the decision log.', advice: '' };
  return `${means} ${todo}`.trimEnd();
}
