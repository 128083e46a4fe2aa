// The shape of the hostile web: each scenario is a host of its own that tries one thing, and says what has to come of
// it. Scenarios are data, so that one crawl can meet all of them at once next to healthy hosts
// (`test/crawl/hostile-web.test.ts`). Those about the network stand in `framing.ts`, `endings.ts`, `bounds.ts`, …;
// those about content next to them.

import type { Socket } from 'node:net';
import type { HandledPage, Item, RequestRecord, UrlDecision, UrlStatus } from 'mannerly';

/** One host that means no good. */
export interface HostileScenario {
  /** Lower-case letters, digits and hyphens, unique in the catalogue. The host is called `NAME.test`. */
  readonly name: string;
  /** What the server does, one sentence. */
  readonly does: string;
  /** Answers a request for anything but robots.txt. `sends`, `page`, … make the usual ones. */
  readonly serve: (socket: Socket, request: HostileRequest) => void;
  /** Answers robots.txt. @default 404 without a body */
  readonly robots?: (socket: Socket, request: HostileRequest) => void;
  /** Speaks TLS with this certificate; the start URL is https then. @default plain HTTP */
  readonly tls?: 'good' | 'self-signed' | 'expired' | 'wrong-name';
  /** Where the crawl starts: path and query. @default '/' */
  readonly start?: string;
  /** Addresses its name resolves to. `inside` is an address at which nothing may ever connect. @default 127.0.0.1 */
  readonly addresses?: readonly (string | 'inside')[] | (() => Promise<readonly string[]>);
  /** Other names of the scenario, each resolving to 127.0.0.1 and served by it: `OTHER.NAME.test`. @default [] */
  readonly others?: readonly string[];
  /** What the handler does with its pages. @default emits `{ url, truncated }` and follows every link */
  readonly handle?: (page: HandledPage) => Promise<void>;
  readonly expects: HostileExpectation;
}

/** One request as the scenario's server sees it. */
export interface HostileRequest {
  /** Host name as asked for, without port. */
  readonly host: string;
  /** The request target, query included. */
  readonly path: string;
  /** The whole header section. */
  readonly head: string;
  /** How often this host was asked for this path before. */
  readonly before: number;
  /** The absolute URL of a path on this host, or on another. */
  url(path: string, host?: string): string;
  /** A URL at the address where nothing may ever connect. */
  insideUrl(path: string): string;
}

/** What has to come of a scenario. */
export interface HostileExpectation {
  /**
   * How each exchange for the start URL stands in the request log: a failure word or a status. `null`: none may leave.
   */
  readonly told: string | number | null;
  /**
   * Whether the start URL is asked for again after that: four times in all, unless the crawl ends first, and then its
   * word is failed, `retries-exhausted`. @default false
   */
  readonly again?: boolean;
  /** The start URL's final word and reason, unless it is asked for again. */
  readonly status: UrlStatus;
  readonly reason: string;
  /** How the page of the start URL says that its body ended; absent where no page comes to a handler. */
  readonly truncated?: 'limit' | 'connection' | null;
  /**
   * Requests that its servers see, as `path` or `OTHER.NAME.test/path`, each once, in any order, robots.txt left out.
   * @default the start
   */
  readonly paths?: readonly string[];
  /** Bytes read off the wire at most, for each exchange with the start URL. @default the cap of the body and 4 MiB */
  readonly maxRead?: number;
  /** Whatever else has to hold, with vitest's `expect`; called once, after the crawl. */
  readonly also?: (story: ScenarioStory) => void | Promise<void>;
}

/** What happened at one scenario: its servers' log and what the crawl told about its hosts. */
export interface ScenarioStory {
  /** The start URL. */
  readonly startUrl: string;
  /** Header sections of the requests its servers saw, in order of arrival, robots.txt included. */
  readonly seen: readonly SeenRequest[];
  /** Bytes that the crawl read from its servers. What they wrote may still lie in a buffer of the system's. */
  readonly readBytes: number;
  readonly decisions: readonly UrlDecision[];
  readonly requests: readonly RequestRecord[];
  readonly items: readonly Item[];
  /** Pages as they came to the handler, in order. */
  readonly pages: readonly SeenPage[];
}

/** What the handler saw of a page. */
export interface SeenPage {
  readonly url: string;
  readonly status: number;
  readonly title: string | null;
  readonly truncated: 'limit' | 'connection' | null;
  readonly maxBodyBytes: number;
}

/** A request in a server's log. */
export interface SeenRequest {
  readonly host: string;
  readonly path: string;
  readonly head: string;
  /** Milliseconds of `performance.now`. */
  readonly atMs: number;
}
