// The bounds of fetching, each with its unit and its source.

// Reports and logs
/** Characters of a response field kept in the request log: those of a URL, and one more to show that it was cut. */
export const MAX_LOGGED_FIELD_CHARS = 8_193;

// Fetching
export const FETCHER_STOP_MS = 5_000; // milliseconds that a fetcher gets after its abort: as long as a sink. Ours
/** Milliseconds past the time-outs of a request, to sign and to decode. Ours: the process may be busy. */
export const FETCHER_EXTRA_MS = 60_000;
/** Milliseconds that a fetcher may take to close: a browser may still be starting (`BROWSER_START_MS`). Ours. */
export const FETCHER_CLOSE_MS = 180_000;
/** Milliseconds that `close` and `render` may take after a stop at once: a browser takes `BROWSER_ANSWER_MS`. Ours. */
export const RENDERER_STOP_MS = 20_000;
/** Milliseconds by which the times of a fetcher may be outside its call: its clock may run a little apart. Ours. */
export const MAX_TIME_ERROR_MS = 1_000;
/** Fields that an operator adds to requests, and characters of one including its name. Ours. */
export const MAX_EXTRA_HEADERS = 20;
export const MAX_EXTRA_HEADER_CHARS = 1_000;
/** Bytes of a response's header section: twice the most that common servers and proxies accept. */
export const MAX_HEADER_BYTES = 64 * 1024;
export const MAX_HEADER_FIELDS = 1_000; // header fields of a response. Ours: busy pages set fewer than a hundred
/** Bytes read off the wire before a header section is complete: interim responses, the section, two reads after it. */
export const MAX_HEADER_PHASE_BYTES = 256 * 1024;
/** Bytes on the wire outside of a body: chunk sizes, extensions, trailers. Honest framing is under 1 % of a body. */
export const FRAMING_SLACK_BYTES = 1024 * 1024;
/** Bytes by which a coded body may be longer on the wire than the decoded bytes kept: the coding's own framing. */
export const ENCODED_SLACK_BYTES = 64 * 1024;
/** Bodies up to this many encoded bytes are decoded in one call; longer ones as they arrive, in a thread. */
export const MAX_SYNC_DECODE_BYTES = 256 * 1024;
/** Decoded bytes per byte on the wire past `MIN_DECODED_LIMIT_BYTES`. Pages reach 30, zeros 300, deflate 1,032. */
export const MAX_DECODED_RATIO = 500;
export const MIN_DECODED_LIMIT_BYTES = 1024 * 1024; // decoded bytes that any body may have, however short on the wire
export const MAX_ZSTD_WINDOW_LOG = 23; // window of a zstd body, binary logarithm of bytes: 8 MiB (RFC 9659 §3)
/** From this many bytes on, a body is collected in one buffer instead of in the pieces in which it arrived. */
export const LARGE_BODY_BYTES = 1024 * 1024;
/** Bytes of the first such buffer: a body's usual limit, and more. Memory is committed only when written. */
export const MAX_SPARE_BODY_BYTES = 12 * 1024 * 1024;
/** Content codings in one list; each costs a decoder. One is usual, two are rare, more are an attack. */
export const MAX_CONTENT_CODINGS = 3;
/** Milliseconds for which an unused connection is kept. Shorter than the idle time-out of common servers (5 s). */
export const IDLE_CONNECTION_MS = 4_000;
export const MAX_IDLE_CONNECTION_MS = 60_000; // the same when the server names a time (`Keep-Alive: timeout=`)
export const MAX_IDLE_CONNECTIONS = 512; // unused connections that are kept; the least recently used is closed first
export const MAX_TLS_SESSIONS = 256; // TLS sessions kept for resumption
/** The same behind a proxy, which all connections count at: with those in use, about as many as clients usually may. */
export const MAX_IDLE_PROXY_CONNECTIONS = 32;
/** Origins and addresses for which no connection is kept, since a kept one ended unanswered. Ours. */
export const MAX_RESETTING_ORIGINS = 1_024;

// The operator's proxy
export const MAX_PROXY_URL_CHARS = 2_048; // characters of its URL: enough for the password of any service. Ours
export const PROXY_WAIT_MS = 30_000; // milliseconds that a request waits for the proxy. Ours: a restart takes seconds
/** Milliseconds without the proxy after which the run stops. Ours: a longer outage needs an operator. */
export const PROXY_DOWN_MS = 300_000;

// robots.txt requests (specification, access 2)
export const ROBOTS_CONNECT_MS = 10_000; // milliseconds for a robots.txt connection
export const ROBOTS_EXCHANGE_MS = 30_000; // milliseconds for a whole robots.txt exchange

// Cookies, where an operator wants them
export const MAX_COOKIE_ORIGINS = 1_024; // origins whose cookies are kept; the least recently used is removed first
export const MAX_ORIGIN_COOKIES = 50; // cookies of one origin (RFC 6265 §6.1: at least 50)
export const MAX_COOKIE_LINE_CHARS = 4_096; // characters of a Set-Cookie line (RFC 6265 §6.1: at least 4,096 bytes)
/** Characters of a Cookie field; a longer one is not sent. Common servers accept this much in a field. */
export const MAX_COOKIE_HEADER_CHARS = 8_192;

// Names and addresses
export const DNS_TTL_MS = 120_000; // milliseconds that a name's addresses are used: the resolver reports no lifetimes
export const DNS_FAILURE_TTL_MS = 5_000; // milliseconds for which a failed look-up is not repeated
export const DNS_DEADLINE_MS = 10_000; // milliseconds for one look-up
/** Concurrent look-ups of the system's resolver: it uses the platform's four threads, and one stays free. */
export const MAX_SYSTEM_LOOKUPS = 3;
export const MAX_DNS_NAMES = 10_000; // names whose addresses are kept; the least recently used is removed first
export const MAX_DNS_ADDRESSES = 256; // addresses of one name that are judged; a longer answer is refused

// The second lock on requests
/** Hosts with their own limiter; the least recently used is removed first. A limiter costs about 10 KB. */
export const MAX_HOST_LIMITERS = 1_024;
export const LIMITER_RECHECK_MS = 25; // milliseconds before a limiter that refused may be consulted again
export const MAX_LIMITER_SLEEP_MS = 2 ** 31 - 1; // the longest pause of a limiter: the limit of the platform's timers
export const LIMITER_JOB_MS = 20; // milliseconds that one job of bottleneck may take; on an idle machine 2 to 3
export const MAX_GAP_HOSTS = 20_000; // hosts whose last exchange is remembered for the gaps of the request log

// Large bodies
/** Bytes of a potentially large body that stay in memory; a longer body is in a file. Ours. */
export const SPOOL_MEMORY_BYTES = 1024 * 1024;
export const SPOOL_READ_BYTES = 64 * 1024; // bytes of such a file that are read at a time

// Identity
export const MAX_TOKEN_LENGTH = 64; // characters of a product token or a version
export const MAX_CONTACT_LENGTH = 256; // characters of a contact, which is sent with every request
export const MAX_TOKENS = 16; // product tokens of one crawl
/** Characters of a payment offer that are read, its entries, and characters reported of a refusal. Ours. */
export const MAX_OFFER_CHARS = 16_384;
export const MAX_OFFERS = 20;
export const MAX_REFUSAL_DETAIL = 300;

export const STOPPED_WAIT_MS = 60_000; // milliseconds that an unsigned request waits, since the run is stopping

export const MAX_EGRESS_RANGES = 1_000; // ranges of an address list (our own)

// Signing in. Ours.
/** Characters of the statement of who allows it; a shorter one says nothing. */
export const MIN_CONSENT_CHARS = 20;
export const MAX_CONSENT_CHARS = 500;
export const MAX_SECRET_CHARS = 8_192; // characters of a secret: enough for any token
export const MAX_FORM_FIELDS = 50; // fields of a login form
