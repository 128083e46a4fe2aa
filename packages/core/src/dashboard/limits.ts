// The bounds of the live view, each with its unit and its source.

/** Hosts that the live view lists, by what is due. Ours: people look through some hundreds. */
export const MAX_DASHBOARD_HOSTS = 300;
export const MAX_DASHBOARD_UNDERWAY = 100; // requests in flight that it lists; the others are counted
export const MAX_DASHBOARD_RECENT = 25; // past requests, and notes, that it shows
export const MAX_DASHBOARD_SAMPLES = 120; // seconds of pace that it draws
/** Hosts whose requests it counts one by one; the host requested longest ago is forgotten first. About 2 MB. */
export const MAX_DASHBOARD_TALLIES = 10_000;
export const MAX_DASHBOARD_TEXT = 400; // characters of a URL, host or detail that it shows
export const MAX_DASHBOARD_STREAMS = 16; // clients that watch at a time
/** Connections at a time: watching clients, their buttons, and a reader of metrics. */
export const MAX_DASHBOARD_CONNECTIONS = 64;
/** Connections without the token; for one more, the oldest is closed. */
export const MAX_UNAUTHENTICATED_CONNECTIONS = 32;
export const MAX_DASHBOARD_HEADER_BYTES = 8 * 1024; // bytes of a request's header section
export const DASHBOARD_REQUEST_MS = 10_000; // milliseconds in which a request must be complete
export const DASHBOARD_INTERVAL_MS = 1_000; // milliseconds between two frames
export const DASHBOARD_STALL_MS = 15_000; // milliseconds for which a client may leave a frame unread
export const DASHBOARD_CLOSE_MS = 1_000; // milliseconds that clients get for the last frame when it closes
export const DASHBOARD_TOKEN_BYTES = 32; // bytes of a random token: 256 bits, 43 characters
export const MIN_DASHBOARD_TOKEN_CHARS = 32; // least characters of a given token
export const MAX_DASHBOARD_NAMES = 100; // host names under which a dashboard may be requested
/** Bytes of a body that the HTTP API accepts: about 80,000 URLs of 100 characters. More need several requests. */
export const MAX_API_BODY_BYTES = 8 * 1024 * 1024;
/** Bytes of a longer body that are received and dropped: most clients read no answer before all of it is sent. */
export const MAX_DROPPED_BODY_BYTES = 64 * 1024 * 1024;
