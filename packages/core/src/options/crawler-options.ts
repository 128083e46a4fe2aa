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
import type { GivenBrowser } from './browser-rows.js';

/** Everything a crawl can be configured with. */
export interface CrawlerOptions {
  /** Who crawls. The name and the contact are in every request. */
  readonly identity: IdentityOptions;
  /** Where the crawl may go. Scope (docs/scope.md) says exactly what matches. */
  readonly scope: ScopeOptions;
  /**
   * How much the crawl may do. `pages` or `minutes` is required. Bounds count over all runs and all processes of a
   * crawl. What a bound keeps out is *dropped* as `bound-…`. With larger bounds the same crawl continues.
   */
  readonly bounds: BoundsOptions;
  /** Which URLs count as one. See URLs (docs/urls.md). */
  readonly urls?: UrlOptions;
  /**
   * How endless URL spaces are recognized (traps (docs/traps.md)). `false` follows them as far as the bounds go. Larger
   * numbers cost sites requests for pages that say nothing new. @default on
   */
  readonly traps?: false | TrapOptions;
  /**
   * Compares the text of each HTML page with those before it (near duplicates (docs/content.md)). `tell`:
   * `page.similarTo`, the decision log and the report name the first page that says nearly the same. `drop`: such a
   * page goes to no handler, and its links are not followed. @default false
   */
  readonly nearDuplicates?: 'tell' | 'drop' | false;
  /**
   * Settings of single hosts (docs/scope.md), only ever slower and narrower than those of the crawl. Where several
   * entries match, the strictest of each value counts. 0 to 1,000 entries: an object. @default []
   */
  readonly hosts?: readonly HostOptions[];
  /** Turns and pages (docs/scope.md) of the URLs that have a label. 0 to 64 entries: an object. @default [] */
  readonly labels?: readonly LabelOptions[];
  /**
   * How slowly the crawl goes. The pause runs from the end of one exchange with a host to the start of the next.
   * Crawl-delay, Request-rate, Retry-After and earlier refusals only make it longer, and the strictest option wins. A
   * host gets one request at a time, whatever `network.concurrency` is.
   */
  readonly politeness?: PolitenessOptions;
  /**
   * How robots.txt is read, and what happens when it cannot be read. `@mannerly/robots` explains dialects and policies.
   * The product tokens come from `identity`.
   */
  readonly robots?: Omit<RobotsOptions, 'tokens'>;
  /**
   * What the data is for. Reservations and preferences apply by purpose, so declare what is true. `tdm`, `ai-train` and
   * `ai-input` also request `/.well-known/tdmrep.json`. @default []
   */
  readonly purposes?: readonly ('search' | 'archive' | 'tdm' | 'ai-train' | 'ai-input' | 'other')[];
  /** What pages say in robots meta elements and X-Robots-Tag. */
  readonly pageLevel?: PageLevelOptions;
  /** Which links are followed. */
  readonly links?: LinkOptions;
  /** What licences (RSL) have an effect on, by declared purpose; see licences (docs/licences.md). */
  readonly licensing?: LicensingOptions;
  /** Reservations of text and data mining, for the purposes above. @default respect */
  readonly tdm?: 'respect' | 'observe' | 'off';
  /** Content-Usage, Content-Signal and `noai`, for the purposes above. @default respect */
  readonly preferences?: 'respect' | 'observe' | 'off' | PreferenceOptions;
  /**
   * A page that names a canonical URL: it is only shown, or also queued (`follow`), or queued in place of this page
   * (`dedupe`). @default expose
   */
  readonly canonical?: 'expose' | 'dedupe' | 'follow';
  /** A page that names another URL to keep: that one is queued, and this one is not kept. @default respect */
  readonly indexInstead?: 'respect' | 'expose';
  /** How the crawl reaches the network. For robots.txt the timeouts are at most 10 s to connect and 30 s in all. */
  readonly network?: NetworkOptions;
  /**
   * Uses an account of yours at one https origin (log in). The credential goes to that origin alone, never with
   * robots.txt, and is recorded nowhere. @default none: the crawl has no account
   */
  readonly signIn?: SignInOptions;
  /** Files that are requested next to pages, each spaced like a page. */
  readonly discover?: DiscoverOptions;
  /** Datasets that data.txt names. */
  readonly datasets?: DatasetOptions;
  /**
   * How often a page is requested again, and after which waits. The turn of its host, a pause and Retry-After make a
   * wait longer, never shorter (outcomes (docs/outcomes.md)). All attempts of a page count together.
   */
  readonly retries?: RetryOptions;
  /**
   * A run ends in state `waiting` when only hosts are left that have to wait longer. Less than 100 counts as 100, and a
   * tenth more is waited, since waits are lengthened by up to a tenth. 0 to 2,592,000,000 ms. @default 720,000
   */
  readonly maxIdleMs?: number;
  /**
   * Decides the order of URLs, so that a crawl of the same site takes the same order again: reproducible crawls
   * (docs/reproducible.md). One process; slower with many hosts. @default none: as URLs are found
   */
  readonly orderSeed?: string | number;
  /** Timeout of a handler. Its page then fails as `handler-timeout`. 1 to 3,600,000 ms. @default 60,000 */
  readonly handlerTimeoutMs?: number;
  /**
   * What the crawl says meanwhile (logging (docs/logging.md)). A level: standard error gets what matters at least so
   * much. `silent` or `false`: nothing. A function, or an object such as console or a pino logger, gets every entry.
   * @default warn
   */
  readonly log?: 'silent' | 'debug' | 'info' | 'warn' | 'error' | false | LogFunction | Logger;
  /**
   * Keep what another visit of a page needs, so that the crawl can be run again (docs/recrawl.md). `true` means the
   * defaults of the next eight. @default false
   */
  readonly recrawl?: boolean | RecrawlOptions;
  /** Keep every exchange as WARC 1.1 (docs/archive.md). `true` means the defaults of the next ten. @default false */
  readonly archive?: boolean | ArchiveOptions;
  /**
   * Which URLs of a large crawl have a line in the decision log. The others are counted in its last line. `explain` and
   * `retry` know URLs that have a line.
   */
  readonly decisionLog?: DecisionLogOptions;
  /** Functions that may refuse a request, never permit one: hooks (docs/handlers.md). */
  readonly hooks?: HookOptions;
  /**
   * Where the frontier is kept: a store (docs/stores.md), or a function that makes one for each run and passes on what
   * it reports. `stopped` is aborted ten seconds after a stop: what waits for a server ends then. The run opens and
   * closes the store. In a configuration file it is a URL. @default in the crawl directory; in memory without one
   */
  readonly store?: FrontierStore | ((tell: (notice: StoreNotice) => void, stopped: AbortSignal) => FrontierStore);
  /** What sends requests: a `Fetcher`. The run closes it. @default undici */
  readonly fetcher?: Fetcher;
  /**
   * Functions between handlers and sinks, in their order: stages (docs/sinks.md). 0 to 100 entries: `ItemStage`.
   * @default []
   */
  readonly items?: readonly ItemStage[];
  /**
   * Where items go, next to the crawl directory's `items.jsonl`: sinks (docs/sinks.md). The run opens and closes them.
   * @default []
   */
  readonly sinks?: readonly Sink[];
  /** The source of time, for tests. @default the system's clock */
  readonly clock?: Clock;
}

/** What a configuration file may say in addition. */
export interface FileOptions {
  /**
   * Open HTML pages in a Chromium of yours (pages in a browser (docs/browser.md)): of the command and its
   * configuration. Needs playwright-core. A program says `fetcher: browserFetcher(…)`. @default false
   */
  readonly browser?: boolean | GivenBrowser;
  /** Where the schema is, for editors. */
  readonly $schema?: string;
  /**
   * A module that exports `handlers`. Relative to the file. @default every HTML page is an item, its links are followed
   */
  readonly handlers?: string;
  /** The crawl directory. Relative to the file. @default that of the same crawl, else crawls/<host>-<date> */
  readonly out?: string;
  /** A CSV file for items too. Relative to the file. */
  readonly csv?: string;
  /** A SQLite file for items too. Relative to the file. */
  readonly sqlite?: string;
  /** A table of PostgreSQL (docs/sinks.md) for items too. A URL with a password is named by its place. */
  readonly postgres?: string;
  /** A URL to which items are posted (docs/sinks.md) too. */
  readonly webhook?: string;
  /** A bucket (docs/sinks.md) for items, saved files and archives too. Its keys are in the environment. */
  readonly s3?: string;
  /** The server that keeps the frontier. @default in the crawl directory */
  readonly store?: string;
}

/** The options of `identity`. */
export interface IdentityOptions {
  /** The product token that sites address in robots.txt. It is part of what makes a crawl the same. */
  readonly name: string;
  /**
   * Where the people whose sites you visit can reach you: an http(s) URL or a mail address. It is in the User-Agent of
   * every request, and a mail address also in `From`.
   */
  readonly contact: string;
  /** The version after the name in the User-Agent. @default 1.0 */
  readonly version?: string;
  /**
   * The product tokens that robots.txt is read for, the preferred one first. Each must occur in the User-Agent. 1 to 16
   * entries: a product token of letters, digits, - and _, 1 to 64 characters. @default [name]
   */
  readonly tokens?: readonly string[];
  /**
   * The page that tells people about the crawler, such as `about.html` of `mannerly identity publish`. It is in the
   * User-Agent where `contact` is a mailbox, and in the card.
   */
  readonly page?: string;
  /**
   * The addresses that requests come from, as `ips.json` lists them. A crawl from another public address stops
   * (`egress-not-listed`); behind address translation it cannot be checked. 0 to 1,000 entries: a range of public
   * addresses such as 192.0.2.0/28. @default []
   */
  readonly egress?: readonly string[];
  /** The domain that the names of these addresses end in, which the page tells. You set the names (reverse DNS). */
  readonly domain?: string;
  /** Signs every https request, so that sites can check who asks (docs/identity.md). Without it none is signed. */
  readonly signature?: SignatureOptions;
}

export interface SignatureOptions {
  /**
   * Where the Ed25519 private key is: `file:PATH`, which only you may read, or `env:NAME`. PKCS#8 PEM or JWK. A path in
   * a configuration file is relative to the file. @default none; this or sign
   */
  readonly key?: string;
  /** Signs with a key that is kept elsewhere: 64 bytes of an Ed25519 signature. Needs `keyid`. */
  readonly sign?: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;
  /** With `sign`: the thumbprint of its public key (RFC 7638). */
  readonly keyid?: string;
  /** The https URL of your key directory: the identity that verifiers see. */
  readonly agent: string;
  /** By the current draft (`url`), an earlier one (`origin`), or as Cloudflare takes it (`string`). @default url */
  readonly form?: 'url' | 'origin' | 'string';
  /** What is signed: method, host and path, or the query too, which some caches reorder. @default path */
  readonly components?: 'path' | 'query';
  /** How long a signature can be verified. 30 to 300 seconds. @default 60 */
  readonly lifetimeSeconds?: number;
  /** A random nonce in each signature, so that a strict site can refuse it the second time. @default true */
  readonly nonce?: boolean;
}

/** The options of `scope`. */
export interface ScopeOptions {
  /**
   * Absolute http(s) URLs where the crawl starts. A port of a seed is allowed, as by `network.ports`. 1 to 100,000
   * entries: an absolute http(s) URL.
   */
  readonly seeds: readonly string[];
  /**
   * What is inside: `host`: the seeds' host names. `domain`: their registrable domains. `list`: the hosts of `hosts`.
   * `surt`: URLs that begin with one of `surts`. `any`: every host that a link leads to; only the bounds end it.
   * @default host
   */
  readonly within?: 'host' | 'domain' | 'list' | 'surt' | 'any';
  /**
   * Host names, or `host:port`. Needed with `within: list`. 0 to 10,000 entries: a host name, or host:port. @default []
   */
  readonly hosts?: readonly string[];
  /**
   * SURT prefixes such as `(org,example,`. Needed with `within: surt`, an error without it. 0 to 10,000 entries: a SURT
   * prefix. @default []
   */
  readonly surts?: readonly string[];
  /**
   * Only URLs whose path begins with one of these. 0 to 10,000 entries: a path that begins with /. @default all paths
   */
  readonly prefixes?: readonly string[];
  /**
   * Only URLs that match one of these patterns, written as in robots.txt. Seeds must match too. 0 to 10,000 entries: a
   * URL pattern, 1 to 8192 characters, or `RegExp`. @default all URLs
   */
  readonly include?: readonly (string | RegExp)[];
  /**
   * No URL that matches one of these patterns, whatever the other options say. 0 to 10,000 entries: a URL pattern, 1 to
   * 8192 characters, or `RegExp`. @default []
   */
  readonly exclude?: readonly (string | RegExp)[];
  /** Called last, with a URL that all other options allow and how it was found. `false` or an exception refuses it. */
  readonly allows?: (url: string, via: Via) => boolean;
}

export type BoundsOptions = AnyBoundsOptions & ({ readonly pages: number } | { readonly minutes: number });

interface AnyBoundsOptions {
  /**
   * URLs that ended with a response or a final failure; redirects and retries do not count. 1 to 1,000,000,000 pages.
   */
  readonly pages?: number;
  /** Running time. A pause does not count. More than 0, to 5,256,000 minutes. */
  readonly minutes?: number;
  /**
   * Links from a seed. Redirects and links with `rel=next` keep the depth of their page. 0 to 1,000,000 links from a
   * seed.
   */
  readonly depth?: number;
  /** Decoded bytes of bodies. Requests in flight when it is reached are completed. 1 or more bytes. */
  readonly bytes?: number;
  /** Pages of one host. 1 to 1,000,000,000 pages. @default as bounds.pages */
  readonly pagesPerHost?: number;
  /** Decoded bytes of one host, robots.txt included. The response that reaches it is kept whole. 1 or more bytes. */
  readonly bytesPerHost?: number;
  /** Running time since the first request to a host. More than 0, to 5,256,000 minutes. */
  readonly minutesPerHost?: number;
  /**
   * URLs in the queue at a time. Past it those of seeds and sitemaps are dropped as `frontier-full`, seeds until the
   * next run; `bounds.onFull` says what becomes of links. 1 to 1,000,000,000 URLs. @default 10,000,000
   */
  readonly queuedUrls?: number;
  /**
   * Links past `bounds.queuedUrls`: `spill` lets them go on into the store, on disk or on a server, up to its own
   * limit; `drop` drops them as `frontier-full`. A crawl without directory and store drops them either way. @default
   * spill
   */
  readonly onFull?: 'spill' | 'drop';
}

export interface UrlOptions {
  /**
   * URLs that differ only in tracking parameters count as one with `drop`, or with a list of names (`*` at the end
   * matches any ending). The first one found is requested. @default keep
   */
  readonly trackingParameters?: 'keep' | 'drop' | readonly string[];
  /** Canonical rules in place of the default ones. `trackingParameters` must be absent. @default CANONICAL_RULES */
  readonly rules?: readonly CanonicalRule[];
}

export interface TrapOptions {
  /** URLs of a trap are requested when their host has nothing else, or dropped. @default defer */
  readonly action?: 'defer' | 'drop';
  /** Similar pages of a group in a row, after which links of such pages go last. 16 to 1,000,000 pages. @default 128 */
  readonly maxSimilarPages?: number;
  /** Segments of a path. Longer paths go last. 4 to 1,024 segments. @default 32 */
  readonly maxPathSegments?: number;
  /** Parameters of a query. Longer queries go last. 4 to 1,024 parameters. @default 32 */
  readonly maxQueryParameters?: number;
}

export interface HostOptions {
  /**
   * The hosts that are meant, without port: `shop.example`, `*.shop.example` for every host below it, `*`. 1 to 1,000
   * entries: a host name, `*.` and a name for every host below it, or `*`.
   */
  readonly match: string | readonly string[];
  /** A slower pace. Under `1996-rule-of-thumb` a Request-rate does not replace it. */
  readonly spacing?: HostSpacing;
  /**
   * As `network.headers`, next to those. Of one name the last entry counts. 0 to 20 entries: a field such as
   * `Accept-Language: de`. @default []
   */
  readonly headers?: readonly string[];
  /** Narrower bounds. */
  readonly bounds?: HostBounds;
  /**
   * As `scope.exclude`, of these hosts. 0 to 10,000 entries: a URL pattern, 1 to 8192 characters, or `RegExp`. @default
   * []
   */
  readonly exclude?: readonly (string | RegExp)[];
  /**
   * Turns of each of these hosts, where the crawl cannot request all that are due: 3 gets three times as many as 1.
   * None is requested sooner than it may be. Of several entries the last counts. 0.01 to 100, 1 is that of every other.
   * @default 1
   */
  readonly weight?: number;
  /** The label of their URLs that have none by their route. Of several entries the last counts. */
  readonly label?: string;
}

export interface HostSpacing {
  /**
   * As `politeness.profile.factor`. 0 to 1,000 times the last retrieval time, not less than the crawl's. @default the
   * crawl's
   */
  readonly factor?: number;
  /** The shortest pause. 0 to 86,400,000 ms, not less than the crawl's. @default the crawl's */
  readonly minMs?: number;
  /**
   * The longest pause by `factor`. 0 to 86,400,000 ms, not less than the crawl's. @default the crawl's, or minMs where
   * that is longer
   */
  readonly maxMs?: number;
}

export interface HostBounds {
  /** Pages of each of these hosts. 1 to 1,000,000,000 pages, not above `bounds.pagesPerHost`. */
  readonly pages?: number;
  /** Decoded bytes of each of these hosts. 1 or more bytes, not above `bounds.bytesPerHost`. */
  readonly bytes?: number;
  /**
   * Running time since the first request to each of these hosts. More than 0, to 5,256,000 minutes, not above
   * `bounds.minutesPerHost`.
   */
  readonly minutes?: number;
  /** Links from a seed to a page of these hosts. 0 to 1,000,000 links from a seed, not above `bounds.depth`. */
  readonly depth?: number;
}

export interface LabelOptions {
  /** The label: of the route that handles a URL, else of its host (`hosts[].label`). */
  readonly label: string;
  /** A page of weight 3 takes a third of a turn of its host. 0.01 to 100, 1 is that of every other. @default 1 */
  readonly weight?: number;
  /** Pages of all hosts. Other URLs of the label are dropped then (`bound-label-pages`). 1 to 1,000,000,000 pages. */
  readonly pages?: number;
}

export interface PolitenessOptions {
  /**
   * The pause where a site asks for none. `polite`: 2 × the last retrieval time, 1 to 60 s. `gentle`: 5 ×, 3 to 60 s.
   * `1996-rule-of-thumb`: 2 ×, at least 10 s, and a Request-rate replaces it. Or an object with the next three.
   * @default polite
   */
  readonly profile?: 'polite' | 'gentle' | '1996-rule-of-thumb' | CustomPoliteness;
  /** Hosts of one registrable domain share a queue and a clock. Bounds per host then count a domain. @default false */
  readonly perDomain?: boolean;
  /**
   * Hosts on one address get one request at a time, with the longer interval of two hosts between their requests: those
   * of one registrable domain (`domain`), all, or none. @default domain
   */
  readonly perIp?: boolean | 'domain';
  /**
   * `prefer`: of hosts that are due, those go first whose people sleep, between one and six in the country of their
   * top-level domain. No host is asked sooner or more often. @default off
   */
  readonly quietHours?: 'off' | 'prefer';
  /** Requests of the whole crawl, robots.txt included, evenly spaced. 1/3,600 to 10,000 requests per second. */
  readonly requestsPerSecond?: number;
  /** Share of a host's pause that may be added at random. 0 to 0.1, a share. @default 0 */
  readonly jitter?: number;
}

export interface PageLevelOptions {
  /**
   * Items of `noindex` pages stay out of sinks, or (stricter) no handler runs, or they are kept. @default skip-store
   */
  readonly noindex?: 'skip-store' | 'flag' | 'skip-handler' | 'ignore';
  /** Whether the body may go into an archive (docs/archive.md) or a file. @default skip-body */
  readonly noarchive?: 'skip-body' | 'flag' | 'ignore';
  /** Whether `page.excerpt` keeps to `nosnippet` and `max-snippet`. @default respect */
  readonly snippet?: 'respect' | 'ignore';
  /** Whether images of a `noimageindex` page are left alone. @default respect */
  readonly images?: 'respect' | 'ignore';
  /** After its date as `noindex`, before it the item's `expiresAtMs`. @default respect */
  readonly unavailableAfter?: 'respect' | 'ignore';
  /** Whether Noindex lines of robots.txt count as `noindex`. @default apply */
  readonly robotsNoindex?: 'apply' | 'expose';
}

export interface LinkOptions {
  /** The `nofollow` of a whole page. @default respect */
  readonly pageNofollow?: 'respect' | 'ignore';
  /** Which links are followed by the words of their `rel`. */
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
  /** `observe`: read and reported, without effect. `off`: not even read. @default respect */
  readonly mode?: 'respect' | 'observe' | 'off';
  /** When licence documents are requested: `with-purpose`: if the crawl declares a purpose. @default with-purpose */
  readonly read?: 'with-purpose' | 'always' | 'never';
  /** Who is responsible for the crawl. A licence that speaks of a party or country that is not given is not met. */
  readonly party?: LicensePartyOptions;
  /**
   * URLs of documents whose terms a person has read and accepted. They meet no price. 0 to 10,000 entries: an absolute
   * URL. @default []
   */
  readonly accepted?: readonly string[];
  /**
   * Licence tokens that you have obtained yourself. With one, prices of its origin count as met. 0 to 1,000 entries: an
   * object. @default []
   */
  readonly tokens?: readonly LicenseTokenOptions[];
  /**
   * Takes `permits` at its word for archives, text and data mining and what else RSL has no word for. @default false
   */
  readonly strict?: boolean;
  /** What is done about a price. The crawl never pays. @default refuse */
  readonly onPaymentRequired?: 'refuse';
}

export interface LicensePartyOptions {
  /** What the party that is responsible for the crawl is. */
  readonly user?: 'commercial' | 'non-commercial' | 'education' | 'government' | 'personal';
  /** Its country, ISO 3166-1: `DE`. */
  readonly country?: string;
}

export interface LicenseTokenOptions {
  /** Where it is sent. */
  readonly origin: string;
  /** Where the token is: `file:PATH` or `env:NAME`. It is sent to exactly this origin, with pages alone. */
  readonly token: string;
}

export interface PreferenceOptions {
  /** The same within the object. @default respect */
  readonly apply?: 'respect' | 'observe' | 'off';
  /** What no preference means. `disallow` is stricter. @default allow */
  readonly unknown?: 'allow' | 'disallow';
  /** The level of use that you declare. A page that allows less is excluded as `content-use`. @default null */
  readonly contentUse?: 'immediate' | 'reference' | 'full' | null;
}

/** The options of `network`. */
export interface NetworkOptions {
  /**
   * Addresses and ranges (CIDR) such as `127.0.0.0/8` that are allowed although they are not public, on every port.
   * @default []
   */
  readonly allowAddresses?: readonly string[];
  /**
   * Ports that are allowed next to 80, 443 and those of the seeds. Others may be services that are no web servers. 1 to
   * 65,535. @default []
   */
  readonly ports?: 'any' | readonly number[];
  /** Resolves names to addresses. The address guard checks the addresses as usual. @default the system's resolver */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  /**
   * Allows a `fetcher` that resolves names. The address guard then keeps out literal addresses alone. @default false
   */
  readonly allowUnpinnedDns?: boolean;
  /**
   * The one proxy that every connection goes through, to the address that was checked. A URL with name and password is
   * named by its place.
   */
  readonly proxy?: string;
  /**
   * Fields that are added to requests for pages, their files and sitemaps, as `Name: value`. Refused are those that say
   * who asks, credentials, conditions, and those of browsers and proxies. 0 to 20 entries: a field such as
   * `Accept-Language: de`. @default []
   */
  readonly headers?: readonly string[];
  /** A cookie jar for each origin, never sent with robots.txt. A function makes that of one origin. @default false */
  readonly cookies?: boolean | (() => CookieJar);
  /** Timeout for a connection (`timeout-connect`). 1 to 600,000 ms. @default 10,000 */
  readonly connectTimeoutMs?: number;
  /** Timeout from the request to the end of the header section (`timeout-headers`). 1 to 600,000 ms. @default 30,000 */
  readonly headersTimeoutMs?: number;
  /** Timeout from the request to the last byte (`timeout-request`). 1 to 3,600,000 ms. @default 60,000 */
  readonly requestTimeoutMs?: number;
  /**
   * Bytes kept of a body. A longer one is cut, and `page.truncated` is `limit`. A handler's own option wins. 1 to
   * 1,073,741,824 decoded bytes. @default 10,485,760
   */
  readonly maxBodyBytes?: number;
  /** Requests in flight, one at a time for each host. `--workers` divides it. 1 to 1,024 requests. @default 64 */
  readonly concurrency?: number;
}

export interface SignInOptions {
  /** The one origin that gets the credential. */
  readonly origin: string;
  /**
   * Who allows it, in your words and at least 20 characters: whose account it is, and when its terms were read. It is
   * in the manifest and in the report.
   */
  readonly consent: string;
  /** Where `NAME:PASSWORD` is, for HTTP Basic: `env:NAME` or `file:PATH`. @default none; this, bearer or form */
  readonly basic?: string;
  /** Where the token for `Authorization: Bearer` is. */
  readonly bearer?: string;
  /** A login form. */
  readonly form?: LoginFormOptions;
}

export interface LoginFormOptions {
  /** Where the form is sent, by one POST for each run. */
  readonly url: string;
  /** The page with the form, which a handler `login` gets before. @default signIn.form.url */
  readonly page?: string;
  /**
   * The fields of the form, each as `name=PLACE`. What is no secret may be `name=text:VALUE`. 1 to 50 entries:
   * name=env:NAME, name=file:PATH or name=text:VALUE.
   */
  readonly fields: readonly string[];
}

export interface DiscoverOptions {
  /** Read the sitemaps (docs/sitemaps.md) that robots.txt names. @default false */
  readonly sitemaps?: boolean;
  /**
   * Sitemaps, sitemap indexes and feeds to read: absolute http(s) URLs within the scope. 0 to 100,000 entries: an
   * absolute http(s) URL. @default []
   */
  readonly sitemapUrls?: readonly string[];
  /**
   * Read the RSS and Atom feeds that pages name (`rel=alternate`), those of the own host of a page: ten of a host in a
   * run. @default false
   */
  readonly feeds?: boolean;
  /** Request `/data.txt` of each authority, and again when it has expired. @default false */
  readonly dataTxt?: boolean;
}

export interface DatasetOptions {
  /** With `discover.dataTxt`: queue the datasets within the scope, with the label `dataset`. @default false */
  readonly enqueue?: boolean;
}

export interface RetryOptions {
  /**
   * Waits after a failure, a 5xx or a `RetryPage`: one for each retry. 0 to 20 entries: 0 to 86,400,000 ms. @default
   * 10, 20, 40 s
   */
  readonly failureWaitsMs?: readonly number[];
  /** Waits after a 429 or 503: one for each retry. 0 to 20 entries: 0 to 86,400,000 ms. @default 30, 60, 120 s */
  readonly throttleWaitsMs?: readonly number[];
  /** How often a page whose handler threw is requested again, after `failureWaitsMs`. 0 to 20 times. @default 0 */
  readonly handler?: number;
}

export interface RecrawlOptions {
  /**
   * What counts as content: text, title and links that a reader sees, every byte of the body, the items that the
   * handler emits (it is then called for each body), or what a function of the page returns, any JSON. @default text
   */
  readonly change?: 'text' | 'payload' | 'items' | ContentFunction;
  /**
   * Interval of a page that always changes; pages that change less often are visited less often. `null`: the bounds of
   * a run decide how many pages it visits. 0.01 to 365 days.
   */
  readonly everyDays?: number;
  /** One interval for every page, in the place of `everyDays`, `minDays` and `maxDays`. 0.01 to 365 days. */
  readonly fixedDays?: number;
  /** A page handled under another version is requested without conditions, and handled although it is as it was. */
  readonly version?: string;
  /** With `everyDays`: the shortest interval. 0 to 365 days. @default 0.042 */
  readonly minDays?: number;
  /** With `everyDays`: the longest interval. 0 to 3,650 days. @default 90 */
  readonly maxDays?: number;
  /** Share of `bounds.pages` for URLs never fetched, where there are any. 0 to 1, a share of pages. @default 0.25 */
  readonly newShare?: number;
  /**
   * Share of the conditional visits of a host that is made without conditions, one in a hundred at least, to see
   * whether its validators are honest. 0: none. 0 to 1, a share of visits. @default 0.02
   */
  readonly verify?: number;
  /**
   * How long a page is left alone at most because its site says how long it lasts (`max-age`, `Expires`); with
   * `immutable` thirty days. 0: not at all. 0 to 365 days. @default 7
   */
  readonly trustFreshnessDays?: number;
  /**
   * With `archive`: after how many revisit records of a page, or 365 days, its payload is requested without conditions
   * and written again. 1 to 10,000 revisits. @default 100
   */
  readonly maxChain?: number;
  /** How many other pages a visit of this one is worth, 0.01 to 100. `undefined`: 4 of a seed, 1 of any other page. */
  readonly importance?: (url: string, userData: JsonValue | null) => number | undefined;
}

export interface ArchiveOptions {
  /** Size at which the next WARC file begins. 1,048,576 to 1,099,511,627,776 bytes. @default 1,000,000,000 */
  readonly warcBytes?: number;
  /** Digest of payloads and blocks. @default sha-256 */
  readonly digest?: 'sha-256' | 'sha-1';
  /** Package the archive as one WACZ file at the end of each run. It is then on disk twice. @default false */
  readonly wacz?: boolean;
  /**
   * Fetch what archived pages need to be shown again (docs/archive.md): style sheets, scripts, images, fonts. Each
   * costs its host a request. @default false
   */
  readonly requisites?: boolean | RequisiteOptions;
  /** The folder of WARC files. Needed where a run has no crawl directory. @default archive in the crawl directory */
  readonly folder?: string;
}

export interface RequisiteOptions {
  /**
   * `site`: from hosts of the scope and of the page's registrable domain. `any`: from every host that a page names,
   * with its robots.txt. @default site
   */
  readonly hosts?: 'site' | 'any';
  /** Files of one page. A file counts for the first page that needs it. 1 to 1,000 requests. @default 100 */
  readonly perPage?: number;
  /** Bytes of one page, as they come. A file under way is completed. 1 to 1,073,741,824 bytes. @default 20,971,520 */
  readonly bytesPerPage?: number;
  /** Requests of the crawl in all its runs; each process counts its own. 1 to 10,000,000 requests. @default 10,000 */
  readonly total?: number;
  /** Bytes of the crawl, as they come. 1 to 1,099,511,627,776 bytes. @default 1,073,741,824 */
  readonly totalBytes?: number;
}

export interface DecisionLogOptions {
  /** Share of URLs with a line. Excluded and failed URLs always have one. 0 to 1, a share of URLs. @default 1 */
  readonly sample?: number;
  /** Lines of one run. 1 to 1,000,000,000 lines. @default 1,000,000,000 */
  readonly maxLines?: number;
}
