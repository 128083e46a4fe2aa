// The bounds of this package, each with its unit and its source. It is still one file, so that whoever asks where something
// ends has one place to look.

// Reports and logs
/** Hosts the politeness report describes one by one; the rest are counted together. 100,000 rows are about 60 MB. */
export const MAX_REPORT_HOSTS = 100_000;
/** Exclusions, comments and notices kept per host for the report; the decision log holds all of them. */
export const MAX_REPORT_LINES_PER_HOST = 12;
/** Characters of a comment, notice, URL or pattern kept for the report. */
export const MAX_REPORT_TEXT = 1_000;
/** Different statuses counted per host; later ones are counted as `other`. HTTP defines about sixty. */
export const MAX_STATUSES_PER_HOST = 64;
/** Overlapping exchanges told apart per host; more are reported as this many. */
export const MAX_MEASURED_CONCURRENCY = 256;
/** Different reason words counted; later ones are counted as `other`. The table has about seventy. */
export const MAX_COUNTED_REASONS = 400;
/** Characters of a response's field that the request log keeps: a Location is as long as a URL, and one more, so that a cut is seen. */
export const MAX_LOGGED_FIELD_CHARS = 8_193;
/** Octets a log holds before it writes them out. */
export const LOG_BUFFER_BYTES = 64 * 1024;
/** Lines of one run's decision log; as many as a crawl may have pages. */
export const MAX_DECISION_LINES = 1_000_000_000;
/** Octets at the end of a request log that are read before a crawl starts over: some ten thousand requests. */
export const LOG_TAIL_READ_BYTES = 4 * 1024 * 1024;
/** Milliseconds that a crawl which starts over rests at most, so that the hosts it asked last have their interval. */
export const MAX_RESET_REST_MS = 60_000;
/** Octets of a log looked at in one piece for the end of its last whole line. */
export const LOG_TAIL_BYTES = 64 * 1024;
/** Characters of one line of a log that are read; longer lines are skipped. A URL is at most 8 KiB and stands twice, beside a detail. */
export const MAX_LOG_LINE_BYTES = 256 * 1024;
/** Final words kept in memory for `explain` where there is no decision log. */
export const MAX_RECENT_DECISIONS = 10_000;
/** Octets of a crawl directory's manifest. Ten thousand seeds of a hundred octets. */
export const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;
/** Milliseconds between two entries of the crawl's totals in its store: what a killed process loses of them at most. */
export const TOTALS_EVERY_MS = 1_000;
/** Held URLs of earlier runs that are told apart when a report is computed from logs. */
export const MAX_HELD_READ = 100_000;
/** URLs turned away by one run and again by the next that a report computed from logs counts once. */
export const MAX_TURNED_AWAY_READ = 262_144;
/** Octets of logs up to which the report of a resumed run is computed from them, some seconds; beyond, its politeness is that of the run alone. */
export const MAX_REPORTED_LOG_BYTES = 256 * 1024 * 1024;
// The report page
/** Hosts in the table of a report: a page with more is slow to sort and read. */
export const MAX_PAGE_HOSTS = 1_000;
/** Hosts in the timeline of a report. */
export const MAX_TIMELINE_HOSTS = 24;
/** Requests of one host in the timeline: 24 hosts come to some thousand points. Even. */
export const MAX_HOST_POINTS = 256;
/** Silences that a report tells one by one. */
export const MAX_PAGE_PAUSES = 1_000;
/** Lines of robots.txt that a report lists. */
export const MAX_PAGE_RULES = 200;
/** Lines of robots.txt whose URLs are counted apart; the first ones met. */
export const MAX_COUNTED_RULES = 20_000;
/** Example URLs of one reason. */
export const MAX_PAGE_EXAMPLES = 3;
/** Runs that a report tells one by one: the latest. */
export const MAX_PAGE_RUNS = 100;
/** Seeds that a report lists. */
export const MAX_PAGE_SEEDS = 100;
/** Spans of time in a report's curves. Even. */
export const MAX_PAGE_SPANS = 600;
/** Violations that a report page lists; `mannerly audit` lists more. */
export const MAX_PAGE_VIOLATIONS = 100;
// The audit
/** Lines of one request log within which an exchange that ended earlier is put back in its place. */
export const AUDIT_WINDOW_LINES = 1_024;
/** Hosts, and addresses, whose last exchange is remembered; the one asked longest ago goes first. About 300 octets each. */
export const MAX_AUDITED_HOSTS = 1_000_000;
/** Authorities whose robots.txt state is remembered; the oldest goes first, and its next page counts as before robots.txt. */
export const MAX_AUDITED_AUTHORITIES = 1_000_000;
/** Compiled copies of robots.txt kept; the oldest is read again when it is needed. */
export const MAX_AUDITED_COPIES = 512;
/** Authorities of one host whose wishes are counted together: schemes and ports. */
export const MAX_AUTHORITIES_PER_HOST = 256;
/** Requests under way together that are told apart: twice what a run may promise. */
export const MAX_AUDITED_TOGETHER = 2_048;
/** Violations listed one by one; all are counted. */
export const MAX_LISTED_VIOLATIONS = 1_000;
/** Milliseconds between the last octet of a robots.txt and the reading of it, or between a decision and its request, at most. */
export const AUDIT_EXPIRY_SLACK_MS = 60_000;
/** Milliseconds between the word that a host is open and the first octet of the request, at most. */
export const AUDIT_CLOSED_SLACK_MS = 1_000;
/** Milliseconds of silence after the first 429 or 503 in a row; doubled for each further one (access §10). */
export const AUDIT_THROTTLE_PAUSE_MS = 30_000;
/** Milliseconds that such silences grow to at most (access §10). */
export const AUDIT_PAUSE_MAX_MS = 3_600_000;
/** Milliseconds of a Retry-After that are demanded at most; a longer one is an operator's matter (access §10). */
export const AUDIT_RETRY_AFTER_MAX_MS = 86_400_000;
/** Failures in a row from which on a host is given a silence (access §10). */
export const AUDIT_FAILURES_BEFORE_PAUSE = 5;
/** Milliseconds of the first of them; doubled for each further failure (access §10). */
export const AUDIT_FAILING_PAUSE_MS = 300_000;
// Admission and the run
/** Redirects in one chain of a page: what browsers follow (Fetch standard, §4.4). */
export const MAX_REDIRECT_HOPS = 20;
/** Seeds of one crawl; more come through `add` or a sitemap. */
export const MAX_SEEDS = 100_000;
/** Links between a seed and a page. */
export const MAX_DEPTH = 1_000;
/** Pages a bound may name: the frontier's own. */
export const MAX_PAGES = 1_000_000_000;
/** Minutes a bound may name: ten years, the frontier's own. */
export const MAX_MINUTES = 5_256_000;
/** Requests in flight over all hosts: beyond this one process is short of sockets and of sense. */
export const MAX_CONCURRENCY = 1_024;
/** Longest `patienceMs`: 30 days. */
export const MAX_WAIT_MS = 2_592_000_000;
/** Pages with handlers, running or waiting, beside those in flight; a page holds its body meanwhile. */
export const MAX_HANDLING = 64;
/** URLs turned away that are remembered as told. */
export const MAX_TOLD_URLS = 65_536;
/** URLs left alone that another road may still lead to. */
export const MAX_LEFT_ALONE = 65_536;
/** Requests for pages without a word yet whose host clock is remembered: a retry may be hours away. */
export const MAX_UNDECIDED_REQUESTS = 4_096;
/** Milliseconds that exchanges and handlers in hand get to finish when a crawl is asked to stop. */
export const STOP_GRACE_MS = 10_000;
// Pages
/** Links kept of one page; later ones are counted. Ours: the longest pages of large sites link a few thousand times. */
export const MAX_PAGE_LINKS = 20_000;
/** Characters of an attribute that are used. Above it a link is dropped and a `content` is cut; page-level §3 asks for 8 KiB at least. */
export const MAX_ATTRIBUTE_CHARS = 16_384;
/** Characters of a page's title. Ours. */
export const MAX_TITLE_CHARS = 1_024;
/** `meta` elements with a name kept of one page. Ours: ordinary pages have fewer than fifty. */
export const MAX_PAGE_METAS = 1_000;
/** `link` elements kept of one page. Ours. */
export const MAX_PAGE_LINK_ELEMENTS = 1_000;
/** Nested SVG and MathML contexts told apart in one page. Ours: real pages nest two or three. */
export const MAX_FOREIGN_DEPTH = 64;
/** Characters of a link after resolution, as the frontier keeps them (8 KiB). */
export const MAX_LINK_URL_CHARS = 8_192;
/** Seconds up to which a refresh is a redirect in all but name; a page that stays longer is one. Ours. */
export const MAX_REFRESH_REDIRECT_SECONDS = 5;
/** First octets that are looked at for a kind of content (MIME Sniffing: the resource header is 1,445; its signatures end before 512). */
export const SNIFFED_BYTES = 512;
// Identity
/** Characters of a product token or a version. */
export const MAX_TOKEN_LENGTH = 64;
/** Characters of a contact: it travels with every request. */
export const MAX_CONTACT_LENGTH = 256;
/** Product tokens of one crawl. */
export const MAX_TOKENS = 16;
// Fetching
/** Octets of a response's header section. What common servers and proxies accept at most, twice over. */
export const MAX_HEADER_BYTES = 64 * 1024;
/** Header fields of a response. Ours: busy pages set fewer than a hundred. */
export const MAX_HEADER_FIELDS = 1_000;
/** Octets read off the wire before a header section is whole: interim responses, the section itself, and two reads of what lies behind it. */
export const MAX_HEADER_PHASE_BYTES = 256 * 1024;
/** Octets on the wire beside those of a body: chunk sizes, extensions, trailers. A tenth of the usual cap; honest framing is under a hundredth. */
export const FRAMING_SLACK_BYTES = 1024 * 1024;
/** Octets that a coded body may be longer on the wire than the decoded octets kept: framing of the coding itself. */
export const ENCODED_SLACK_BYTES = 64 * 1024;
/** Encoded octets up to which a body is decoded in one call; longer ones are decoded as they arrive, off the main thread. */
export const ONE_CALL_DECODE_BYTES = 256 * 1024;
/** Decoded octets for one octet on the wire, past the first `FREE_DECODED_BYTES`. Pages reach 30, tables of zeros 300; deflate ends at 1,032, brotli in the millions. */
export const MAX_DECODED_RATIO = 500;
/** Decoded octets that any body may have, however few octets it had on the wire. */
export const FREE_DECODED_BYTES = 1024 * 1024;
/** Window that a zstd body may ask for, as the binary logarithm of octets: 8 MiB (RFC 9659 §3). */
export const MAX_ZSTD_WINDOW_LOG = 23;
/** Octets from which a body is collected in one buffer instead of in the pieces it came in. */
export const LARGE_BODY_BYTES = 1024 * 1024;
/** Octets of the first such buffer: the usual cap of a body and what may come past it. Only what is written to is really taken. */
export const MAX_SPARE_BODY_BYTES = 12 * 1024 * 1024;
/** Content codings in one list; each costs a decoder. One is usual, two are rare, more are an attack. */
export const MAX_CONTENT_CODINGS = 3;
/** Milliseconds for which an unused connection is kept. Shorter than the idle time-out of common servers (5 s). */
export const IDLE_CONNECTION_MS = 4_000;
/** Milliseconds for which an unused connection is kept when the server names a time of its own (`Keep-Alive: timeout=`). */
export const MAX_IDLE_CONNECTION_MS = 60_000;
/** Connections kept although unused; the one unused longest goes first. */
export const MAX_IDLE_CONNECTIONS = 512;
/** TLS sessions kept for resumption. */
export const MAX_TLS_SESSIONS = 256;
/** Octets of HTML searched for a declared charset (WHATWG HTML, "prescan a byte stream"). */
export const CHARSET_PRESCAN_BYTES = 1_024;
/** Octets of a document, markup included, searched for something to guess its charset by. Ours. */
export const CHARSET_SEARCH_BYTES = 64 * 1024;
/** Octets that a charset is guessed by: about five milliseconds. Ours. */
export const CHARSET_SAMPLE_BYTES = 8_192;
/** Octets outside ASCII below which nothing is guessed. Ours: one copyright sign looks Polish. */
export const LEAST_HIGH_OCTETS = 8;
/** What the detector must be sure of, in its own hundredths. Ours: Czech text comes out at 19. */
export const LEAST_CHARSET_CONFIDENCE = 15;
// robots.txt requests (specification, access 2)
/** Decoded octets of robots.txt kept: the reader's limit (robots 2.4) and one more, so that it sees that there were more. */
export const ROBOTS_BODY_BYTES = 512_000 + 1;
/** Milliseconds for a robots.txt connection. */
export const ROBOTS_CONNECT_MS = 10_000;
/** Milliseconds for a whole robots.txt exchange. */
export const ROBOTS_EXCHANGE_MS = 30_000;
// Cookies, where an operator wants them
/** Origins whose cookies are kept; the one unused longest goes first. */
export const MAX_COOKIE_ORIGINS = 1_024;
/** Cookies of one origin (RFC 6265 §6.1: at least 50). */
export const MAX_ORIGIN_COOKIES = 50;
/** Characters of a Set-Cookie line (RFC 6265 §6.1: at least 4,096 octets). */
export const MAX_COOKIE_LINE_CHARS = 4_096;
/** Characters of a Cookie field; a longer one is not sent. What common servers take in a field. */
export const MAX_COOKIE_HEADER_CHARS = 8_192;
// Names and addresses
/** Milliseconds for which the addresses of a name are used. The system's resolver tells no lifetimes. */
export const DNS_TTL_MS = 120_000;
/** Milliseconds for which a failed look-up is not repeated. */
export const DNS_FAILURE_TTL_MS = 5_000;
/** Milliseconds for one look-up. */
export const DNS_DEADLINE_MS = 10_000;
/** Look-ups that the system's resolver is given at once: it works in the platform's four threads, and one stays free for others. */
export const MAX_SYSTEM_LOOKUPS = 3;
/** Names whose addresses are kept; the one unused longest goes first. */
export const MAX_DNS_NAMES = 10_000;
/** Addresses of one name that are judged; a longer answer is refused. */
export const MAX_DNS_ADDRESSES = 256;
// The second lock at the door
/** Hosts with a limiter of their own; the one idle longest goes first. A limiter costs about 10 KB. */
export const MAX_HOST_LIMITERS = 1_024;
/** Milliseconds by which a limiter's period is shorter than asked, because its own verbs take timer turns; exact stamps close the gap. */
export const LIMITER_SLACK_MS = 10;
/** Milliseconds after which a limiter that said no without a known instant is asked again. */
export const LIMITER_RECHECK_MS = 25;
/** Starts a `bucket` remembers; a larger bucket is filled in proportionally shorter periods. */
export const MAX_BUCKET_STARTS = 1_000;
/** Hosts whose last exchange is remembered for the gaps of the request log. */
export const MAX_GAP_HOSTS = 20_000;
// Handlers and items
/** Longest time to the next visit of a page, milliseconds: ten years. Ours. */
export const MAX_REVISIT_MS = 315_360_000_000;
/** Items one page may emit. Ours. */
export const MAX_PAGE_ITEMS = 100_000;
/** Items of one page that its schema rejected and that are kept aside; more are counted. Ours. */
export const MAX_PAGE_REJECTED = 100;
/** Characters of a rejected item as JSON that are kept beside its issues; of a longer one only the length. Ours: a line of a log is read up to four times that. */
export const MAX_REJECTED_CHARS = 65_536;
/** Octets of rejected items that one crawl directory keeps for each process; more are counted. Ours: a schema that fits no page of a large crawl. */
export const MAX_REJECTED_BYTES = 256 * 1024 * 1024;
/** Issues of one item that are kept, and segments of the path of each. Ours. */
export const MAX_ITEM_ISSUES = 20;
export const MAX_ISSUE_PATH = 20;
/** Characters of an issue's message, and of a segment of its path. Ours. */
export const MAX_ISSUE_CHARS = 500;
export const MAX_ISSUE_KEY_CHARS = 100;
/** Characters of the reason that a handler or a hook gives. Ours: it stands in a line of the decision log. */
export const MAX_WORD_CHARS = 500;
/** Longest wait that a handler may ask for before its page is tried again, milliseconds: 24 hours, as for Retry-After. */
export const MAX_HANDLER_RETRY_MS = 86_400_000;
/** Time a hook has for its answer, milliseconds: by default, and at most. Ours: its host is asked nothing meanwhile. */
export const DEFAULT_HOOK_MS = 5_000;
export const MAX_HOOK_MS = 60_000;
/** Characters of one item as JSON. Ours: an item is what was learnt from a page, and a page is 10 MiB by default. */
export const MAX_ITEM_CHARS = 16 * 1024 * 1024;
/** Item ids a sink surely remembers for telling repetitions; 64 octets each. Far more than pages can be in hand at a crash. */
export const MAX_SINK_IDS = 2_000_000;
/** Octets of an items file read at a time when it is opened. */
export const JSONL_READ_BYTES = 256 * 1024;
/** Octets at the end of an items file that are looked at first when it is opened. */
export const JSONL_TAIL_BYTES = 1024 * 1024;
/** Pages whose items are read at the end of an items file: almost four times as many as can be in hand at a crash. */
export const JSONL_TAIL_PAGES = 4_096;
/** Octets at the beginning of a line in which its id stands: a host name, an entry id and an index. */
export const MAX_LINE_HEAD_BYTES = 4_096;
/** Authorities whose tdmrep.json is kept in memory; the others are read from the store again. */
export const MAX_TDM_AUTHORITIES = 10_000;
/** Redirects followed for a companion file: as for robots.txt (access §3, data-txt §2). */
export const MAX_COMPANION_HOPS = 5;
/** Waiting hosts that a report lists. */
export const MAX_REPORTED_WAITS = 10_000;
/** Failures that one retry queues again; they are gathered in memory first. */
export const MAX_RETRIED_URLS = 100_000;
/** Held URLs that the decision log tells one by one at the end of a run. */
export const MAX_HELD_TOLD = 10_000;
/** Longest time a page waits for requests that are due, milliseconds: a burst of them is over by then. */
export const MAX_PAGE_WAIT_MS = 100;
/** A page waits for requests that fall due this soon, milliseconds: about what a page takes while the code is cold. */
export const PAGE_MARGIN_MS = 8;
/** Pages that are worked on together while no request falls due within `WAVE_MARGIN_MS`. */
export const MAX_WAVE_PAGES = 8;
/** Milliseconds that a wave of pages is meant to take. */
export const WAVE_MS = 8;
/** No pages go together when a request falls due within this many milliseconds: a wave may take longer than it is meant to. */
export const WAVE_MARGIN_MS = 20;
// Sitemaps and feeds
/** Octets of a sitemap once gzip is undone (sitemaps.org: 50 MiB). */
export const MAX_SITEMAP_BYTES = 50 * 1024 * 1024;
/** URLs of one sitemap (sitemaps.org). */
export const MAX_SITEMAP_URLS = 50_000;
/** Levels of sitemap indexes: the protocol has one, sites have two. */
export const MAX_SITEMAP_LEVELS = 3;
/** Sitemaps read of one host in a run. Ours: fifty million URLs. */
export const MAX_SITEMAPS_PER_HOST = 1_000;
/** Hosts and sitemaps whose counts and vouchers are remembered; the oldest go first. */
export const MAX_SITEMAP_HOSTS = 10_000;
/** Hosts that may vouch for one sitemap (cross-submission). Ours. */
export const MAX_SITEMAP_VOUCHERS = 64;
/** Language variants kept of one entry. Ours. */
export const MAX_SITEMAP_ALTERNATES = 64;
/** Octets of an entry's alternates as JSON: they travel as user data, of which the frontier takes 16 KiB. */
export const MAX_SITEMAP_ALTERNATE_BYTES = 8_192;
/** Characters kept of `lastmod`, a title and their like. Ours. */
export const MAX_SITEMAP_FIELD_CHARS = 256;
/** Lines without a single URL after which a text is no list of URLs. Ours. */
export const SITEMAP_TEXT_TRIAL_LINES = 100;
/** URLs that go to the frontier at once. */
export const SITEMAP_BATCH = 1_000;
/** Elements inside each other in an XML document. Ours: feeds nest about ten. */
export const MAX_XML_DEPTH = 100;
/** Attributes of one tag in an XML document. Ours. */
export const MAX_XML_ATTRIBUTES = 256;
/** Characters of one tag, comment or declaration in an XML document. Ours. */
export const MAX_XML_TOKEN_CHARS = 256 * 1024;
// Traps
/** Pages alike that an option may ask for. */
export const MAX_ALIKE_PAGES = 1_000_000;
/** Segments of a path that an option may allow; a URL has at most 8,192 characters. */
export const MAX_PATH_SEGMENTS = 1_024;
/** Parameters of a query that an option may allow. */
export const MAX_QUERY_PARAMETERS = 1_024;
/** Groups of URLs whose pages are compared; the one used longest ago goes first. At most 3 KB each, usually 0.3 KB. */
export const MAX_TRAP_GROUPS = 8_192;
/** Pages of a group that are remembered by what they say, 8 octets each. */
export const MAX_TRAP_LIKENESSES = 64;
/** Repeating pages of a group that are remembered by their URL, 8 octets each: those whose links may still be queued. */
export const MAX_TRAP_BREEDERS = 256;
/** Traps remembered; the oldest goes first, and is found again. */
export const MAX_TRAPS = 1_000;
/** Host names whose registrable domain is remembered for the watch over traps. */
export const MAX_KNOWN_DOMAINS = 8_192;
// Files
/** Octets of one segment of a saved file's path: what common file systems take (255), with room. */
export const MAX_FILE_NAME_BYTES = 200;
/** Segments of a saved file's path; the last ones count. Ours. */
export const MAX_FILE_NAME_SEGMENTS = 16;
// Scope
/** Patterns, prefixes or hosts of one option of the scope. Ours: each is asked of every link. */
export const MAX_URL_PATTERNS = 10_000;
/** Characters of one of them: as long as a URL. */
export const MAX_URL_PATTERN_CHARS = 8_192;
/** Redirects of seeds that are remembered as having moved a scope. */
export const MAX_SCOPE_MOVES = 10_000;
// A handler's own requests
/** Requests that the handler of one page may make by itself. Ours. */
export const MAX_PAGE_FETCHES = 100;
/** Milliseconds for which such a request waits for its host's turn, unless it says otherwise. */
export const DEFAULT_OWN_WAIT_MS = 30_000;
/** Milliseconds for which it may wait at most. Ours: a handler is in hand meanwhile. */
export const MAX_OWN_WAIT_MS = 600_000;
// Large bodies
/** Octets that a handler may ask for of one body: 64 GiB. Ours. */
export const MAX_LARGE_BODY_BYTES = 64 * 1024 * 1024 * 1024;
/** Octets of a body that may be large which stay in memory; what is longer lies in a file. Ours. */
export const SPOOL_MEMORY_BYTES = 1024 * 1024;
/** Scope moves, and traps, of one crawl that are kept for its next run, each in a record of its own. */
export const MAX_LEARNED = 10_000;
/** Characters of a page that are compared with other pages: 4 ms of work. */
export const MAX_COMPARED_CHARS = 1_048_576;
// The DOM of a page
/** Elements nested in a page of which a tree is made. Browsers flatten from 512 on. */
export const MAX_DOM_DEPTH = 1_000;
/** Tags of a page of which a tree is made: some 300 MB. Ours. */
export const MAX_DOM_TAGS = 1_000_000;
/** Open elements that a tree builder may have to look at, over all tags of a page: about a second. Real pages nest ten to thirty deep. */
export const MAX_DOM_STEPS = 30_000_000;
/** Characters of a page up to which its tags are not counted: they cannot nest deep enough to matter. Ours. */
export const DOM_CHECKED_CHARS = 32_768;

// Questions about a crawl that is not running
/** URLs of one page while the queue of a host is looked through for one of them; the most that the frontier lists at a time. */
export const MAX_QUEUED_PAGE = 1_000;
/** URLs of a host's queue looked through for one of them: some ten seconds of reading. */
export const MAX_QUEUED_LOOKED = 1_000_000;
/** A wait this short ends no run, however little patience it has: instants are rounded up. */
export const SHORT_WAIT_MS = 100;
/** Pieces of work taken before the event loop turns: about what is prepared and sent in a millisecond. */
export const MAX_TAKEN_AT_ONCE = 16;
/** Milliseconds between two requests to a host from which on its pages give way to its answers' arrival. */
export const LONG_INTERVAL_MS = 500;
/** A request that left within this many milliseconds is about to be answered: pages wait for that. */
export const FRESH_EXCHANGE_MS = 20;

// Pages in a browser
/** Redirects of one thing that a page asks for. Ours, as for robots.txt (access §3). */
export const MAX_SUBRESOURCE_HOPS = 5;
/** Pages that are open at a time, by default and at most: each is a process of the browser, some 100 MB. */
export const DEFAULT_BROWSER_PAGES = 2;
export const MAX_BROWSER_PAGES = 16;
/** Things that one page may ask the crawl for, by default and at most. Ours: the middle page of the web has 70, most of them images. */
export const DEFAULT_PAGE_REQUESTS = 50;
export const MAX_PAGE_REQUESTS = 1_000;
/** Decoded octets of those together, by default and at most. */
export const DEFAULT_PAGE_LOADED_BYTES = 20 * 1024 * 1024;
export const MAX_PAGE_LOADED_BYTES = 1024 * 1024 * 1024;
/** Milliseconds that a page is open, by default, at least and at most: the longest that a request of its own may wait. */
export const DEFAULT_PAGE_MS = 60_000;
export const MIN_PAGE_MS = 1_000;
export const MAX_PAGE_MS = 600_000;
/** Milliseconds without a request of the page after which it counts as done, by default and at most. */
export const DEFAULT_QUIET_MS = 500;
export const MAX_QUIET_MS = 60_000;
/** Characters of a page's serialised DOM, by default and at most. */
export const DEFAULT_DOM_CHARS = 5_000_000;
export const MAX_DOM_CHARS = 50_000_000;
/** Browsers that are started after the first one is gone, by default and at most. */
export const DEFAULT_BROWSER_RESTARTS = 3;
export const MAX_BROWSER_RESTARTS = 100;
/** Milliseconds in which a browser has to start. Ours: a cold start on a busy machine takes some ten seconds. */
export const BROWSER_START_MS = 60_000;
/** Milliseconds in which it has to open a page, to hand over a DOM, and to close a page; past that it counts as hung. */
export const BROWSER_ANSWER_MS = 15_000;
/** Refusals of one page that are told one by one. */
export const MAX_TOLD_REFUSALS = 100;
/** Characters of a URL or a detail from the browser that are kept. */
export const MAX_BROWSER_TEXT = 2_000;

// The live view
/** Hosts that wait, and requests under way, which one question after the crawl's activity lists at most. */
export const MAX_ACTIVITY_HOSTS = 1_000;
/** Seeds that it names. */
export const MAX_ACTIVITY_SEEDS = 10;
/** Hosts that the live view lists, by what is due. Ours: some hundreds are what a person looks through. */
export const MAX_DASHBOARD_HOSTS = 300;
/** Requests under way that it lists; the others are counted. */
export const MAX_DASHBOARD_UNDERWAY = 100;
/** Requests, and notes, that it shows of those past. */
export const MAX_DASHBOARD_RECENT = 25;
/** Seconds of pace that it draws. */
export const MAX_DASHBOARD_SAMPLES = 120;
/** Hosts whose requests it counts one by one; the host asked longest ago is forgotten first. About 2 MB. */
export const MAX_DASHBOARD_LEDGER = 10_000;
/** Characters of a URL, host or detail that it shows. */
export const MAX_DASHBOARD_TEXT = 400;
/** People, or tabs, that look on at a time. */
export const MAX_DASHBOARD_STREAMS = 16;
/** Connections that it takes at a time: those that look on, their buttons, and a reader of metrics. */
export const MAX_DASHBOARD_CONNECTIONS = 64;
/** Octets of a request's header section. */
export const MAX_DASHBOARD_HEADER_BYTES = 8 * 1024;
/** Milliseconds in which a request has to be whole. */
export const DASHBOARD_REQUEST_MS = 10_000;
/** Milliseconds between two frames. */
export const DASHBOARD_EVERY_MS = 1_000;
/** Milliseconds for which somebody who looks on may leave a frame unread. */
export const DASHBOARD_STALL_MS = 15_000;
/** Milliseconds that those who look on get for the last frame when it closes. */
export const DASHBOARD_CLOSE_MS = 1_000;
/** Octets of a token that is drawn: 256 bits, 43 characters. */
export const DASHBOARD_TOKEN_BYTES = 32;
/** Characters of a token that is given, at least. */
export const MIN_DASHBOARD_TOKEN = 32;
/** Host names that a dashboard may be asked for under. */
export const MAX_DASHBOARD_NAMES = 100;

// The archive of exchanges
/** Octets of a WARC file at least, and at most, after which the next one begins. Ours; the field writes files of a gigabyte. */
export const MIN_WARC_BYTES = 1024 * 1024;
export const MAX_WARC_BYTES = 1024 * 1024 * 1024 * 1024;
/** Payloads that an archive knows again, some 300 octets each. Ours: one that is forgotten is kept a second time. */
export const MAX_KNOWN_PAYLOADS = 100_000;
/** Octets at the beginning of a record in which its fields and the header section behind them end: both sections' own limits, and room. */
export const MAX_RECORD_HEAD_BYTES = 1024 * 1024;
/** Octets of a record up to which it is compressed where it is: some 50 µs. Measured: another thread costs as much by itself. */
export const SMALL_RECORD_BYTES = 8_192;
/** Characters of index lines that wait to be written; a kill loses them, and they are made anew. */
export const INDEX_BUFFER_CHARS = 65_536;
/** Octets of records that are written in one go. */
export const ARCHIVE_WRITE_BYTES = 1024 * 1024;
/** Links of a page in its metadata record. Ours; the page itself holds all of them. */
export const MAX_OUTLINKS = 10_000;

// Several processes at one crawl (our own).
/** Processes that share a crawl directory at a time. */
export const MAX_DIRECTORY_PARTS = 512;
/** How long a process that shares a directory waits for its lock, milliseconds; others have it for a moment. */
export const LOCK_WAIT_MS = 5_000;
/** Between two looks at it, milliseconds. */
export const LOCK_RETRY_MS = 25;
/** Items whose ids are remembered while the files of several processes are joined; 64 octets each at most. */
export const MAX_JOINED_IDS = 20_000_000;
/** Octets of a CSV file read at a time when it opens. */
export const CSV_READ_BYTES = 1024 * 1024;
/** Octets of the row that names its columns. */
export const MAX_CSV_HEADER_BYTES = 1024 * 1024;
/** A process that has not written its totals for so long, milliseconds, is not taken to be at work. */
export const PROCESS_SILENT_MS = 30_000;
/** Octets of seeds that a store keeps to compare, as JSON; of more, their hash counts. */
export const MAX_TERMS_SEEDS_BYTES = 262_144;
/** Characters of an option that the message about a difference shows. */
export const MAX_TERM_TEXT = 300;
/** How long a process with nothing to do goes without a look into a store that others change, milliseconds. */
export const SHARED_LOOK_MS = 250;

// Exports (our own).
/** Columns of a table of items; what else items have stands together in one. */
export const MAX_EXPORT_COLUMNS = 500;
/** Items that go into a CSV table at a time; the columns are those of the first piece. */
export const CSV_PIECE_ITEMS = 1_000;
/** Rows of one Parquet row group, and characters of their lines: a group is held in memory while it is written. */
export const PARQUET_GROUP_ROWS = 20_000;
export const PARQUET_GROUP_CHARS = 16 * 1024 * 1024;

// Manifests of runs (our own).
/** Seeds that the manifest of a run lists; `crawl.json` has all of them. */
export const MAX_MANIFEST_SEEDS = 10_000;
/** Authorities whose robots.txt it lists; `robots/index.jsonl` has all of them. */
export const MAX_MANIFEST_ROBOTS = 10_000;
/** Runs before it that it names. */
export const MAX_EARLIER_RUNS = 100;
/** Files that are hashed at the end of a run, and their octets together: some ten minutes' work. */
export const MAX_HASHED_FILES = 100_000;
export const MAX_HASHED_BYTES = 256 * 1024 * 1024 * 1024;

// Seeded crawls (our own).
/** Characters of the text that decides the order. */
export const MAX_SEED_CHARS = 128;
/** URLs that wait for the next wave of a seeded crawl, half a kilobyte each; of more, those that stand last are dropped. */
export const MAX_WAITING_URLS = 500_000;
/** URLs of a wave that go into the frontier with one call. */
export const WAVE_BATCH_URLS = 1_000;
/** Characters of URLs after which the next record begins; a record of a store holds a mebibyte. */
export const WAITING_RECORD_CHARS = 128 * 1024;

// Plans (our own).
/** URLs of sitemaps that a plan counts; the crawl itself knows no such bound. */
export const MAX_PLANNED_URLS = 500_000;
/** Requests that a plan lets pass one by one, a second's work; the rest is reckoned in proportion. */
export const MAX_PLAN_STEPS = 1_000_000;
/** Longest pause of a host that a plan sits out before it answers, milliseconds: a minute. */
export const MAX_PLAN_REST_MS = 60_000;
/** Hosts of the table that a plan prints. */
export const MAX_PLAN_ROWS = 60;
