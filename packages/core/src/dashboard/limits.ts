// The bounds of the live view, each with its unit and its source.

/** Hosts that the live view lists, by what is due. Ours: some hundreds are what a person looks through. */
export const MAX_DASHBOARD_HOSTS = 300;
/** Requests under way that it lists; the others are counted. */
export const MAX_DASHBOARD_UNDERWAY = 100;
/** Requests, and notes, that it shows of those past. */
export const MAX_DASHBOARD_RECENT = 25;
/** Seconds of pace that it draws. */
export const MAX_DASHBOARD_SAMPLES = 120;
/** Hosts whose requests it counts one by one; the host requested longest ago is forgotten first. About 2 MB. */
export const MAX_DASHBOARD_LEDGER = 10_000;
/** Characters of a URL, host or detail that it shows. */
export const MAX_DASHBOARD_TEXT = 400;
/** Clients that watch at a time. */
export const MAX_DASHBOARD_STREAMS = 16;
/** Connections that it takes at a time: clients that watch, their buttons, and a reader of metrics. */
export const MAX_DASHBOARD_CONNECTIONS = 64;
/** Connections among them that have not shown the token: for one more, the oldest is closed. */
export const MAX_DASHBOARD_STRANGERS = 32;
/** Bytes of a request's header section. */
export const MAX_DASHBOARD_HEADER_BYTES = 8 * 1024;
/** Milliseconds in which a request has to be whole. */
export const DASHBOARD_REQUEST_MS = 10_000;
/** Milliseconds between two frames. */
export const DASHBOARD_EVERY_MS = 1_000;
/** Milliseconds for which a client may leave a frame unread. */
export const DASHBOARD_STALL_MS = 15_000;
/** Milliseconds that clients get for the last frame when it closes. */
export const DASHBOARD_CLOSE_MS = 1_000;
/** Bytes of a token that is drawn: 256 bits, 43 characters. */
export const DASHBOARD_TOKEN_BYTES = 32;
/** Characters of a token that is given, at least. */
export const MIN_DASHBOARD_TOKEN = 32;
/** Host names under which a dashboard may be requested. */
export const MAX_DASHBOARD_NAMES = 100;
/** Bytes of a body that the HTTP API takes: about 80,000 URLs of 100 characters. More come in several requests. */
export const MAX_API_BODY_BYTES = 8 * 1024 * 1024;
