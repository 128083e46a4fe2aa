// The options of `createCrawler`. Generated from the rows in this folder: edit those, then run `pnpm generate`. They
// are one file because a reader of one option usually wants the next.

import type {
  CanonicalRule,
  Clock,
  CustomPoliteness,
  FrontierStore,
  JsonValue,
  RobotsOptions,
  Via,
} from '@mannerly/frontier';
import type { HookOptions } from '../crawl/hooks.js';
import type { CookieJar } from '../fetch/cookies.js';
import type { Fetcher } from '../fetch/fetcher.js';
import type { ItemStage } from '../handle/item-stages.js';
import type { StoreNotice } from '../journal/events.js';
import type { LogFunction, Logger } from '../journal/log-entry.js';
import type { Sink } from '../output/sink.js';
import type { ContentFunction } from '../recrawl/recrawl-options.js';
import type { BrowserOptions } from './browser-rows.js';

/** Everything a crawl can be configured with. */
export interface CrawlerOptions {
  /** Who is crawling. The name and the contact are in every request. */
  readonly identity: IdentityOptions;
  /** Where the crawl may go. Scope (docs/scope.md) says exactly what matches. */
  readonly scope: ScopeOptions;
  /** How much the crawl may fetch. `pages` or `minutes` is required. Bounds apply to all runs and processes of a crawl
   * together. URLs beyond a bound are *dropped* as `bound-…`. With larger bounds the same crawl continues. */
  readonly bounds: BoundsOptions;
  /** Which URLs count as the same. See URLs (docs/urls.md). */
  readonly urls?: UrlOptions;
  /** How endless URL spaces are detected (traps (docs/traps.md)). `false` follows them up to the bounds. Larger numbers
   * cost sites more requests for pages without new content. @default on */
  readonly traps?: false | TrapOptions;
  /** Compare the text of each HTML page with earlier ones (near duplicates (docs/content.md)). `tell`:
   * `page.similarTo`, the decision log and the report name the first page with nearly the same text. `drop`: such a
   * page goes to no handler, and its links are not followed. @default false */
  readonly nearDuplicates?: 'tell' | 'drop' | false;
  /** Settings for single hosts (docs/scope.md), only ever slower and narrower than those of the crawl. If several
   * entries match, the strictest of each value counts. 0 to 1,000 entries: an object. @default [] */
  readonly hosts?: readonly HostOptions[];
  /** Turns and pages (docs/scope.md) for URLs with a label. 0 to 64 entries: an object. @default [] */
  readonly labels?: readonly LabelOptions[];
  /** How slowly the crawl goes. A pause runs from the end of one exchange with a host to the start of the next.
   * Crawl-delay, Request-rate, Retry-After and earlier refusals only make it longer, and the strictest option wins. A
   * host gets one request at a time, whatever `network.concurrency` is. */
  readonly politeness?: PolitenessOptions;
  /** How robots.txt is read, and what happens when it cannot be read. `@mannerly/robots` explains dialects and
   * policies. The product tokens come from `identity`. */
  readonly robots?: Omit<RobotsOptions, 'tokens'>;
  /** What the data is for; `ai-input` is retrieval (RAG) and summaries. Reservations and preferences apply by purpose,
   * so declare the true ones. With `tdm`, `ai-train` and `ai-input` the crawl also requests `/.well-known/tdmrep.json`.
   * @default [] */
  readonly purposes?: readonly ('search' | 'archive' | 'tdm' | 'ai-train' | 'ai-input' | 'other')[];
  /** What robots meta elements and X-Robots-Tag of a page mean for it. */
  readonly pageLevel?: PageLevelOptions;
  /** Which links are followed. */
  readonly links?: LinkOptions;
  /** What licences (RSL) affect, by declared purpose; see licences (docs/licences.md). */
  readonly licensing?: LicensingOptions;
  /** Text and data mining reservations, for the purposes above. @default respect */
  readonly tdm?: 'respect' | 'observe' | 'off';
  /** Content-Usage, Content-Signal and `noai`, for the purposes above. @default respect */
  readonly preferences?: 'respect' | 'observe' | 'off' | PreferenceOptions;
  /** For a page that names a canonical URL: only show that URL, also queue it (`follow`), or queue it in place of this
   * page (`dedupe`). Then nothing of the page is kept, even if that URL is broken or redirects back. @default expose */
  readonly canonical?: 'expose' | 'dedupe' | 'follow';
  /** For a page that names another URL to keep: queue that one, and do not keep this one. @default respect */
  readonly indexInstead?: 'respect' | 'expose';
  /** How the crawl uses the network. For robots.txt the timeouts are at most 10 s to connect and 30 s in total. */
  readonly network?: NetworkOptions;
  /** Use an account of yours at one https origin (log in). The credential is sent only to that origin, never with
   * robots.txt, and is never recorded. @default none: the crawl has no account */
  readonly signIn?: SignInOptions;
  /** Files to request besides pages, each spaced like a page. */
  readonly discover?: DiscoverOptions;
  /** Datasets that data.txt names. */
  readonly datasets?: DatasetOptions;
  /** How often a page is retried, and after which waits. The queue of its host, a pause and Retry-After make a wait
   * longer, never shorter (outcomes (docs/outcomes.md)). All attempts for a page count together. */
  readonly retries?: RetryOptions;
  /** A run ends in state `waiting` when every remaining host has to wait longer than this. Values below 100 count as
   * 100, and the run waits a tenth more, since waits are lengthened by up to a tenth. In a crawl of several processes,
   * values below 40 s count as 40 s: a process waits for the hosts that others work on. Before the first request of a
   * continued crawl, values below 5 s count as 5 s: it begins with a pause. 0 to 2,592,000,000 ms. @default 720,000 */
  readonly maxIdleMs?: number;
  /** Decides the order of URLs, so that crawling the same site again uses the same order: reproducible crawls
   * (docs/reproducible.md). For one process only; slower with many hosts. @default none: as URLs are found */
  readonly orderSeed?: string | number;
  /** Timeout of a handler. Its page then fails as `handler-timeout`. 1 to 3,600,000 ms. @default 60,000 */
  readonly handlerTimeoutMs?: number;
  /** What the crawl logs (logging (docs/logging.md)). A level: entries of at least that level go to standard error.
   * `silent` or `false`: nothing. A function, or an object such as console or a pino logger, gets every entry.
   * @default warn */
  readonly log?: 'silent' | 'debug' | 'info' | 'warn' | 'error' | false | LogFunction | Logger;
  /** Keep what revisiting a page needs, so that the crawl can be run again (docs/recrawl.md). `true` means the defaults
   * of the options below. @default false */
  readonly recrawl?: boolean | RecrawlOptions;
  /** Keep every exchange as WARC 1.1 (docs/archive.md). `true` means the defaults of the options below.
   * @default false */
  readonly archive?: boolean | ArchiveOptions;
  /** Which URLs of a large crawl get a line in the decision log. The others are counted in its last line. `explain` and
   * `retry` only know URLs that have a line. */
  readonly decisionLog?: DecisionLogOptions;
  /** Functions that can refuse a request, but never permit one: hooks (docs/handlers.md). */
  readonly hooks?: HookOptions;
  /** Where the frontier is kept: a store (docs/stores.md), or a function that creates one for each run and forwards its
   * notices. `stopped` is aborted ten seconds after a stop, to end waits for a server. The run opens and closes the
   * store. In a configuration file it is a URL. @default in the crawl directory; in memory without one */
  readonly store?: FrontierStore | ((tell: (notice: StoreNotice) => void, stopped: AbortSignal) => FrontierStore);
  /** What sends requests: a `Fetcher`. The run closes it. @default undici */
  readonly fetcher?: Fetcher;
  /** Functions between handlers and sinks, called in this order: stages (docs/sinks.md). 0 to 100 entries: `ItemStage`.
   * @default [] */
  readonly items?: readonly ItemStage[];
  /** Where items go, besides `items.jsonl` in the crawl directory: sinks (docs/sinks.md). The run opens and closes
   * them. @default [] */
  readonly sinks?: readonly Sink[];
  /** The source of time, for tests. @default the system's clock */
  readonly clock?: Clock;
}

/** What a configuration file may say in addition. */
export interface FileOptions {
  /** Open HTML pages in your own Chromium (pages in a browser (docs/browser.md)). For the command and its
   * configuration; code uses `fetcher: browserFetcher(…)`. Needs playwright-core. @default false */
  readonly browser?: boolean | BrowserOptions;
  /** The path or URL of the schema, for editors. */
  readonly $schema?: string;
  /** A module that exports `handlers`. Relative to the configuration file. @default every HTML page becomes an item,
   * and its links are followed */
  readonly handlers?: string;
  /** The crawl directory. Relative to the configuration file. @default that of the same crawl, else
   * crawls/<host>-<date> */
  readonly out?: string;
  /** Also write items to this CSV file. Relative to the configuration file. */
  readonly csv?: string;
  /** Also write items to this SQLite file. Relative to the configuration file. */
  readonly sqlite?: string;
  /** Also write items to a PostgreSQL table (docs/sinks.md). Give a URL with a password as `env:NAME` or
   * `file:PATH`. */
  readonly postgres?: string;
  /** Also post (docs/sinks.md) items to this URL. */
  readonly webhook?: string;
  /** Also put items, saved files and archives into a bucket (docs/sinks.md). Its keys are in the environment. */
  readonly s3?: string;
  /** The server that keeps the frontier. @default in the crawl directory */
  readonly store?: string;
}

/** The options of `identity`. */
export interface IdentityOptions {
  /** The product token that sites address in robots.txt. Another name means another crawl. */
  readonly name: string;
  /** Where site operators can reach you: an http(s) URL or an email address. It is in the User-Agent of every request,
   * an email address also in `From`. */
  readonly contact: string;
  /** The version after the name in the User-Agent. @default 1.0 */
  readonly version?: string;
  /** The product tokens to look for in robots.txt, the preferred one first. Each must occur in the User-Agent. 1 to 16
   * entries: a product token of letters, digits, - and _, 1 to 64 characters. @default [name] */
  readonly tokens?: readonly string[];
  /** A page about the crawler, such as `about.html` of `mannerly identity publish`. It is in the User-Agent if
   * `contact` is a mailbox, and in the card. */
  readonly page?: string;
  /** The addresses that requests come from, as listed in `ips.json`. A crawl from another public address stops
   * (`egress-not-listed`). Behind NAT this cannot be checked. 0 to 1,000 entries: a range of public addresses such as
   * 192.0.2.0/28. @default [] */
  readonly egress?: readonly string[];
  /** The domain of the host names of these addresses, shown on the page. You set the names yourself (reverse DNS). */
  readonly domain?: string;
  /** Signs every https request, so that sites can verify who sent it (docs/identity.md). Without it, nothing is
   * signed. */
  readonly signature?: SignatureOptions;
}

export interface SignatureOptions {
  /** Where the Ed25519 private key is: `file:PATH`, readable only by you, or `env:NAME`. PKCS#8 PEM or JWK. A path in a
   * configuration file is relative to that file. @default none; this or sign */
  readonly key?: string;
  /** Signs with a key kept elsewhere and returns the 64 bytes of an Ed25519 signature. Needs `keyid`. */
  readonly sign?: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;
  /** With `sign`: the thumbprint of its public key (RFC 7638). */
  readonly keyid?: string;
  /** The https URL of your key directory: your identity for verifiers. */
  readonly agent: string;
  /** The form of the current draft (`url`), of an earlier one (`origin`), or the one that Cloudflare accepts
   * (`string`). @default url */
  readonly form?: 'url' | 'origin' | 'string';
  /** What is signed: method, host and path, or also the query, which some caches reorder. @default path */
  readonly components?: 'path' | 'query';
  /** How long a signature is valid. 30 to 300 seconds. @default 60 */
  readonly lifetimeSeconds?: number;
  /** Put a random nonce in each signature, so that a strict site can refuse a replay. @default true */
  readonly nonce?: boolean;
}

/** The options of `scope`. */
export interface ScopeOptions {
  /** Absolute http(s) URLs where the crawl starts, or `{ url, label, userData }`. The port of a seed is allowed, as
   * with `network.ports`. 1 to 100,000 entries: an absolute http(s) URL, or an object. */
  readonly seeds: readonly (string | SeedOptions)[];
  /** What is in scope. `host`: the host names of the seeds. `domain`: their registrable domains. `list`: the hosts in
   * `hosts`. `surt`: URLs that begin with one of `surts`. `any`: every host that a link leads to, until a bound ends
   * the crawl. @default host */
  readonly within?: 'host' | 'domain' | 'list' | 'surt' | 'any';
  /** Host names, or `host:port`. Required with `within: list`. 0 to 10,000 entries: a host name, or host:port.
   * @default [] */
  readonly hosts?: readonly string[];
  /** SURT prefixes such as `(org,example,`. Required with `within: surt`, an error without it. 0 to 10,000 entries: a
   * SURT prefix. @default [] */
  readonly surts?: readonly string[];
  /** Only URLs whose path begins with one of these. 0 to 10,000 entries: a path that begins with /. @default all
   * paths */
  readonly prefixes?: readonly string[];
  /** Only URLs that match one of these patterns, written as in robots.txt. Seeds must match too. 0 to 10,000 entries: a
   * URL pattern, 1 to 8192 characters, or `RegExp`. @default all URLs */
  readonly include?: readonly (string | RegExp)[];
  /** Never URLs that match one of these patterns, whatever the other options say. 0 to 10,000 entries: a URL pattern, 1
   * to 8192 characters, or `RegExp`. @default [] */
  readonly exclude?: readonly (string | RegExp)[];
  /** Called last, with a URL that all other options allow, and with how it was found. `false` or an exception refuses
   * the URL. */
  readonly allows?: (url: string, via: Via) => boolean;
}

export interface SeedOptions {
  /** The URL. */
  readonly url: string;
  /** Selects the handler, as in `on('label:x', …)`. */
  readonly label?: string;
  /** Passed to the handler as `page.userData`. */
  readonly userData?: JsonValue;
}

export type BoundsOptions = AnyBoundsOptions & ({ readonly pages: number } | { readonly minutes: number });

interface AnyBoundsOptions {
  /** URLs that ended with a response or a final failure; redirects and retries do not count. 1 to 1,000,000,000
   * pages. */
  readonly pages?: number;
  /** Running time. Pauses do not count. More than 0, to 5,256,000 minutes. */
  readonly minutes?: number;
  /** Links from a seed. Redirects and links with `rel=next` keep the depth of their page. 0 to 1,000,000 links from a
   * seed. */
  readonly depth?: number;
  /** Decoded bytes of bodies. Requests in flight when the bound is reached are completed. 1 or more bytes. */
  readonly bytes?: number;
  /** Pages from one host. 1 to 1,000,000,000 pages. @default as bounds.pages */
  readonly pagesPerHost?: number;
  /** Decoded bytes from one host, robots.txt included. The response that reaches the bound is kept whole. 1 or more
   * bytes. */
  readonly bytesPerHost?: number;
  /** Running time since the first request to a host. More than 0, to 5,256,000 minutes. */
  readonly minutesPerHost?: number;
  /** URLs in the queue at a time. Beyond it, URLs of seeds and sitemaps are dropped as `frontier-full`, seeds until the
   * next run. `bounds.onFull` decides about links. 1 to 1,000,000,000 URLs. @default 10,000,000 */
  readonly queuedUrls?: number;
  /** Links beyond `bounds.queuedUrls`: `spill` keeps them in the store, on disk or on a server, up to its own limit;
   * `drop` drops them as `frontier-full`. A crawl without a directory or store always drops them. @default spill */
  readonly onFull?: 'spill' | 'drop';
}

export interface UrlOptions {
  /** With `drop`, or with a list of names (`*` at the end matches any ending), URLs that differ only in tracking
   * parameters count as one. The first one found is requested. @default keep */
  readonly trackingParameters?: 'keep' | 'drop' | readonly string[];
  /** Canonicalization rules in place of the default ones. `trackingParameters` must be absent.
   * @default CANONICAL_RULES */
  readonly rules?: readonly CanonicalRule[];
}

export interface TrapOptions {
  /** Request the URLs of a trap only when their host has nothing else (`defer`), or drop them. @default defer */
  readonly action?: 'defer' | 'drop';
  /** Similar pages of a group in a row, after which links from such pages go last. 16 to 1,000,000 pages.
   * @default 128 */
  readonly maxSimilarPages?: number;
  /** Segments in a path. Longer paths go last. 4 to 1,024 segments. @default 32 */
  readonly maxPathSegments?: number;
  /** Parameters in a query. Longer queries go last. 4 to 1,024 parameters. @default 32 */
  readonly maxQueryParameters?: number;
}

export interface HostOptions {
  /** The hosts, without port: `shop.example`, `*.shop.example` for every subdomain, or `*`. 1 to 1,000 entries: a host
   * name, `*.` and a name for every host below it, or `*`. */
  readonly match: string | readonly string[];
  /** A slower pace. A Request-rate does not replace it, even under `1996-rule-of-thumb`. */
  readonly spacing?: HostSpacing;
  /** As `network.headers`, in addition to those. If several entries have the same name, the last one counts. 0 to 20
   * entries: a field such as `Accept-Language: de`. @default [] */
  readonly headers?: readonly string[];
  /** Narrower bounds. */
  readonly bounds?: HostBounds;
  /** As `scope.exclude`, for these hosts. 0 to 10,000 entries: a URL pattern, 1 to 8192 characters, or `RegExp`.
   * @default [] */
  readonly exclude?: readonly (string | RegExp)[];
  /** Share of turns for each of these hosts when more hosts are due than the crawl can request: 3 gets three times as
   * many as 1. No host gets requests sooner. If several entries match, the last one counts. 0.01 to 100, 1 is that of
   * every other. @default 1 */
  readonly weight?: number;
  /** The label for their URLs that have none from their route. If several entries match, the last one counts. */
  readonly label?: string;
}

export interface HostSpacing {
  /** As `politeness.profile.factor`. 0 to 1,000 times the last retrieval time, not less than the crawl's. @default the
   * crawl's */
  readonly factor?: number;
  /** The shortest pause. 0 to 86,400,000 ms, not less than the crawl's. @default the crawl's */
  readonly minMs?: number;
  /** The longest pause that `factor` can lead to. 0 to 86,400,000 ms, not less than the crawl's. @default the crawl's,
   * or minMs where that is longer */
  readonly maxMs?: number;
}

export interface HostBounds {
  /** Pages from each of these hosts. 1 to 1,000,000,000 pages, not above `bounds.pagesPerHost`. */
  readonly pages?: number;
  /** Decoded bytes from each of these hosts. 1 or more bytes, not above `bounds.bytesPerHost`. */
  readonly bytes?: number;
  /** Running time since the first request to each of these hosts. More than 0, to 5,256,000 minutes, not above
   * `bounds.minutesPerHost`. */
  readonly minutes?: number;
  /** Links from a seed to a page of these hosts. 0 to 1,000,000 links from a seed, not above `bounds.depth`. */
  readonly depth?: number;
}

export interface LabelOptions {
  /** The label: that of the route that handles a URL, else that of its host (`hosts[].label`). */
  readonly label: string;
  /** A page of weight 3 uses up a third of a turn of its host. 0.01 to 100, 1 is that of every other. @default 1 */
  readonly weight?: number;
  /** Pages from all hosts. After that, URLs with the label are dropped (`bound-label-pages`). 1 to 1,000,000,000
   * pages. */
  readonly pages?: number;
}

export interface PolitenessOptions {
  /** The pause if a site asks for none. `polite`: 2 × the last retrieval time, 1 to 60 s. `gentle`: 5 ×, 3 to 60 s.
   * `1996-rule-of-thumb`: 2 ×, at least 10 s, and a Request-rate replaces it. Or an object with the next three options,
   * such as `{ minMs: 3000 }`. @default polite */
  readonly profile?: 'polite' | 'gentle' | '1996-rule-of-thumb' | CustomPoliteness;
  /** Hosts of one registrable domain share a queue and a clock. Bounds per host then apply per domain.
   * @default false */
  readonly perDomain?: boolean;
  /** Hosts on one IP address get one request at a time, spaced by the longer interval of the two hosts. `domain`: hosts
   * of one registrable domain. `true`: all hosts. `false`: none. @default domain */
  readonly perIp?: boolean | 'domain';
  /** `prefer`: of the hosts that are due, those go first where it is night, between one and six in the country of their
   * top-level domain. No host gets requests sooner or more often. @default off */
  readonly quietHours?: 'off' | 'prefer';
  /** Requests of the whole crawl, robots.txt included, evenly spaced. 1/3,600 to 10,000 requests per second. */
  readonly requestsPerSecond?: number;
  /** Share of a host's pause that may be added at random. 0 to 0.1, a share. @default 0 */
  readonly jitter?: number;
}

export interface PageLevelOptions {
  /** Keep items of `noindex` pages out of the sinks, run no handler (stricter), or keep them. @default skip-store */
  readonly noindex?: 'skip-store' | 'flag' | 'skip-handler' | 'ignore';
  /** Whether the body may go into an archive (docs/archive.md) or a file. @default skip-body */
  readonly noarchive?: 'skip-body' | 'flag' | 'ignore';
  /** Whether `page.excerpt` respects `nosnippet` and `max-snippet`. @default respect */
  readonly snippet?: 'respect' | 'ignore';
  /** Whether images of a `noimageindex` page are left alone. @default respect */
  readonly images?: 'respect' | 'ignore';
  /** After its date it counts as `noindex`; before, it is the `expiresAtMs` of items. @default respect */
  readonly unavailableAfter?: 'respect' | 'ignore';
  /** Whether Noindex lines of robots.txt count as `noindex`. @default apply */
  readonly robotsNoindex?: 'apply' | 'expose';
}

export interface LinkOptions {
  /** Whether `nofollow` for a whole page is respected. @default respect */
  readonly pageNofollow?: 'respect' | 'ignore';
  /** Which links are followed, by their `rel` tokens. */
  readonly rel?: RelOptions;
}

export interface RelOptions {
  /** Whether links with `rel=nofollow` are followed. @default false */
  readonly nofollow?: boolean;
  /** Whether links with `rel=ugc` are followed. `false` is stricter. @default true */
  readonly ugc?: boolean;
  /** Whether links with `rel=sponsored` are followed. `false` is stricter. @default true */
  readonly sponsored?: boolean;
}

export interface LicensingOptions {
  /** `observe`: licences are read and reported, without effect. `off`: they are not read. @default respect */
  readonly mode?: 'respect' | 'observe' | 'off';
  /** When licence documents are requested. `with-purpose`: if the crawl declares a purpose. @default with-purpose */
  readonly read?: 'with-purpose' | 'always' | 'never';
  /** Who is responsible for the crawl. A licence that requires a kind of party or a country is not met if that is not
   * given here. */
  readonly party?: LicensePartyOptions;
  /** URLs of documents whose terms a person has read and accepted. This does not cover prices. 0 to 10,000 entries: an
   * absolute URL. @default [] */
  readonly accepted?: readonly string[];
  /** Licence tokens that you have obtained yourself. A token covers the prices of its origin. 0 to 1,000 entries: an
   * object. @default [] */
  readonly tokens?: readonly LicenseTokenOptions[];
  /** Interpret `permits` literally for archives, text and data mining, and other uses that RSL has no term for.
   * @default false */
  readonly strict?: boolean;
  /** What happens if a site asks a price. The crawl never pays. @default refuse */
  readonly onPaymentRequired?: 'refuse';
}

export interface LicensePartyOptions {
  /** The kind of party that is responsible for the crawl. */
  readonly user?: 'commercial' | 'non-commercial' | 'education' | 'government' | 'personal';
  /** Its country, ISO 3166-1: `DE`. */
  readonly country?: string;
}

export interface LicenseTokenOptions {
  /** The origin that the token is sent to. */
  readonly origin: string;
  /** Where the token is: `file:PATH` or `env:NAME`. It is sent to exactly this origin, and only with requests for
   * pages. */
  readonly token: string;
}

export interface PreferenceOptions {
  /** The same, in the object form. @default respect */
  readonly apply?: 'respect' | 'observe' | 'off';
  /** What a missing preference means. `disallow` is stricter. @default allow */
  readonly unknown?: 'allow' | 'disallow';
  /** The level of use you declare. A page that allows less is excluded as `content-use`. @default null */
  readonly contentUse?: 'immediate' | 'reference' | 'full' | null;
}

/** The options of `network`. */
export interface NetworkOptions {
  /** Non-public addresses and ranges (CIDR) to allow, on every port, such as `127.0.0.0/8`. @default [] */
  readonly allowAddresses?: readonly string[];
  /** Ports to allow besides 80, 443 and those of the seeds. Other ports may not be web servers. 1 to 65,535.
   * @default [] */
  readonly ports?: 'any' | readonly number[];
  /** Resolves host names to addresses. The address guard checks the addresses as usual. @default the system's
   * resolver */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  /** Allow a `fetcher` that resolves names itself. The address guard then only checks literal addresses.
   * @default false */
  readonly allowUnpinnedDns?: boolean;
  /** The proxy for every connection, to the address that was checked. Give a URL with a password as `env:NAME` or
   * `file:PATH`. */
  readonly proxy?: string;
  /** Fields to add to requests for pages, their files and sitemaps, as `Name: value`. Fields that identify the client,
   * credentials, conditions, and fields of browsers and proxies are refused. 0 to 20 entries: a field such as
   * `Accept-Language: de`. @default [] */
  readonly headers?: readonly string[];
  /** Keep a cookie jar for each origin; cookies are never sent with robots.txt. A function creates the jar of one
   * origin. @default false */
  readonly cookies?: boolean | (() => CookieJar);
  /** Timeout for connecting (`timeout-connect`). 1 to 600,000 ms. @default 10,000 */
  readonly connectTimeoutMs?: number;
  /** Timeout from the request to the end of the header section (`timeout-headers`). 1 to 600,000 ms. @default 30,000 */
  readonly headersTimeoutMs?: number;
  /** Timeout from the request to the last byte (`timeout-exchange`). 1 to 3,600,000 ms. @default 60,000 */
  readonly requestTimeoutMs?: number;
  /** Bytes kept of a body. A longer one is cut off, and `page.truncated` is `limit`. A handler's own option wins. 1 to
   * 1,073,741,824 decoded bytes. @default 10,485,760 */
  readonly maxBodyBytes?: number;
  /** Requests in flight, at most one for each host. `--workers` divides the number. 1 to 1,024 requests. @default 64 */
  readonly concurrency?: number;
}

export interface SignInOptions {
  /** The only origin that receives the credential. */
  readonly origin: string;
  /** Who allows this, in your own words (at least 20 characters): whose account it is, and when you read its terms. It
   * appears in the manifest and the report. */
  readonly consent: string;
  /** Where `NAME:PASSWORD` is, for HTTP Basic: `env:NAME` or `file:PATH`. @default none; this, bearer or form */
  readonly basic?: string;
  /** Where the token for `Authorization: Bearer` is. */
  readonly bearer?: string;
  /** A login form. */
  readonly form?: LoginFormOptions;
}

export interface LoginFormOptions {
  /** The URL that the form is sent to, with one POST per run. */
  readonly url: string;
  /** The page with the form, passed to a handler `login` first. @default signIn.form.url */
  readonly page?: string;
  /** The fields of the form, each as `name=PLACE`. Values that are not secret may be `name=text:VALUE`. 1 to 50
   * entries: name=env:NAME, name=file:PATH or name=text:VALUE. */
  readonly fields: readonly string[];
}

export interface DiscoverOptions {
  /** Read the sitemaps (docs/sitemaps.md) that robots.txt names. @default false */
  readonly sitemaps?: boolean;
  /** Sitemaps, sitemap indexes and feeds to read: absolute http(s) URLs within the scope. 0 to 100,000 entries: an
   * absolute http(s) URL. @default [] */
  readonly sitemapUrls?: readonly string[];
  /** Read the RSS and Atom feeds that pages name (`rel=alternate`) on their own host: at most ten per host and run.
   * @default false */
  readonly feeds?: boolean;
  /** Request `/data.txt` from each authority, and again when it has expired. @default false */
  readonly dataTxt?: boolean;
}

export interface DatasetOptions {
  /** With `discover.dataTxt`: queue the datasets within the scope, with the label `dataset`. @default false */
  readonly enqueue?: boolean;
}

export interface RetryOptions {
  /** Waits after a failure, a 5xx or a `RetryPage`: one for each retry. 0 to 20 entries: 0 to 86,400,000 ms.
   * @default 10, 20, 40 s */
  readonly failureWaitsMs?: readonly number[];
  /** Waits after a 429 or 503: one for each retry. 0 to 20 entries: 0 to 86,400,000 ms. @default 30, 60, 120 s */
  readonly throttleWaitsMs?: readonly number[];
  /** How often a page is retried when its handler throws, after `failureWaitsMs`. 0 to 20 times. @default 0 */
  readonly handler?: number;
}

export interface RecrawlOptions {
  /** What counts as a change of content: the text, title and links that a reader sees, any byte of the body, the items
   * that the handler emits (it is then called for each body), or any JSON that a function of the page returns.
   * @default text */
  readonly change?: 'text' | 'payload' | 'items' | ContentFunction;
  /** Interval for a page that always changes; pages that change less often are visited less often. `null`: the bounds
   * of a run decide how many pages it visits. 0.01 to 365 days. */
  readonly everyDays?: number;
  /** One interval for every page, in place of `everyDays`, `minDays` and `maxDays`. 0.01 to 365 days. */
  readonly fixedDays?: number;
  /** A page handled under another version is requested without conditions, and handled even if it is unchanged. */
  readonly version?: string;
  /** With `everyDays`: the shortest interval. 0 to 365 days. @default 0.042 */
  readonly minDays?: number;
  /** With `everyDays`: the longest interval. 0 to 3,650 days. @default 90 */
  readonly maxDays?: number;
  /** Share of `bounds.pages` for URLs never fetched, if there are any. 0 to 1, a share of pages. @default 0.25 */
  readonly newShare?: number;
  /** Share of the conditional visits to a host that is made without conditions, at least one in a hundred, to check
   * that its validators are honest. 0: none. 0 to 1, a share of visits. @default 0.02 */
  readonly verify?: number;
  /** The longest time that a page is not visited because its site says it is fresh (`max-age`, `Expires`); at least
   * thirty days with `immutable`. 0: not at all. 0 to 365 days. @default 7 */
  readonly trustFreshnessDays?: number;
  /** With `archive`: after how many revisit records for a page, or 365 days, its payload is requested without
   * conditions and written again. 1 to 10,000 revisits. @default 100 */
  readonly maxChain?: number;
  /** How many other pages a visit to this one is worth, 0.01 to 100. `undefined`: 4 for a seed, 1 for any other
   * page. */
  readonly importance?: (url: string, userData: JsonValue | null) => number | undefined;
}

export interface ArchiveOptions {
  /** Size at which the next WARC file is started. 1,048,576 to 1,099,511,627,776 bytes. @default 1,000,000,000 */
  readonly warcBytes?: number;
  /** Digest of payloads and blocks. @default sha-256 */
  readonly digest?: 'sha-256' | 'sha-1';
  /** Package the archive as one WACZ file at the end of each run. The data is then on disk twice. @default false */
  readonly wacz?: boolean;
  /** Fetch what archived pages need to be shown again (docs/archive.md): style sheets, scripts, images, fonts. Each
   * costs its host a request. @default false */
  readonly requisites?: boolean | RequisiteOptions;
  /** The folder for WARC files. Required if a run has no crawl directory. @default archive in the crawl directory */
  readonly folder?: string;
}

export interface RequisiteOptions {
  /** `site`: from hosts in scope and of the page's registrable domain. `any`: from every host that a page names, under
   * its robots.txt. @default site */
  readonly hosts?: 'site' | 'any';
  /** Files for one page. A file counts for the first page that needs it. 1 to 1,000 requests. @default 100 */
  readonly perPage?: number;
  /** Bytes for one page, as transferred. A file in transfer is completed. 1 to 1,073,741,824 bytes.
   * @default 20,971,520 */
  readonly bytesPerPage?: number;
  /** Requests of the crawl over all runs; each process counts its own. 1 to 10,000,000 requests. @default 10,000 */
  readonly total?: number;
  /** Bytes of the crawl, as transferred. 1 to 1,099,511,627,776 bytes. @default 1,073,741,824 */
  readonly totalBytes?: number;
}

export interface DecisionLogOptions {
  /** Share of URLs with a line. Excluded and failed URLs always have one. 0 to 1, a share of URLs. @default 1 */
  readonly sample?: number;
  /** Lines of one run. 1 to 1,000,000,000 lines. @default 1,000,000,000 */
  readonly maxLines?: number;
}
