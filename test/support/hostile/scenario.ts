// The shape of the hostile web. Each scenario is a host of its own that tries one attack, with the expected result.
// Scenarios are data, so one crawl can meet all of them at once next to healthy hosts
// (`test/crawl/hostile-web.test.ts`). Those about the network are in `framing.ts`, `endings.ts`, `bodies.ts` and
// others; those about content are next to them.

import type { Socket } from 'node:net';
import type { HandledPage, Item, RequestRecord, UrlDecision, UrlStatus } from 'mannerly';

/** A hostile host. */
export interface HostileScenario {
  /** Lower-case letters, digits and hyphens, unique in the catalogue. The host name is `NAME.test`. */
  readonly name: string;
  /** What the server does, in one sentence. */
  readonly does: string;
  /** Answers every request except for robots.txt. `sends`, `responds` and others make the usual answers. */
  readonly serve: (socket: Socket, request: HostileRequest) => void;
  /** Answers robots.txt. @default 404 without a body */
  readonly robots?: (socket: Socket, request: HostileRequest) => void;
  /** Uses TLS with this certificate; the start URL is then https. @default plain HTTP */
  readonly tls?: 'good' | 'self-signed' | 'expired' | 'wrong-name';
  /** Where the crawl starts: path and query. @default '/' */
  readonly start?: string;
  /** Addresses of its name. `inside` is an address that nothing may connect to. @default 127.0.0.1 */
  readonly addresses?: readonly (string | 'inside')[] | (() => Promise<readonly string[]>);
  /** Other host names of the scenario, at 127.0.0.1 on the same server: `OTHER.NAME.test`. @default [] */
  readonly others?: readonly string[];
  /** What the handler does with its pages. @default emits `{ url, truncated }` and follows every link */
  readonly handle?: (page: HandledPage) => Promise<void>;
  readonly expects: HostileExpectation;
}

/** One request as the scenario's server sees it. */
export interface HostileRequest {
  /** The requested host name, without port. */
  readonly host: string;
  /** The request target, query included. */
  readonly path: string;
  /** The whole header section. */
  readonly head: string;
  /** How many requests for this path this host has had before. */
  readonly before: number;
  /** The absolute URL of a path on this host, or on another. */
  url(path: string, host?: string): string;
  /** A URL at the address that nothing may connect to. */
  insideUrl(path: string): string;
}

/** The expected result of a scenario. */
export interface HostileExpectation {
  /** How the request log shows each exchange for the start URL: a failure code or a status. `null`: no exchange. */
  readonly result: string | number | null;
  /**
   * Whether the start URL is retried: four requests in all, with the final status failed, `retries-exhausted`, unless
   * the crawl ends first. @default false
   */
  readonly isRetried?: boolean;
  /** The start URL's final status and reason, unless it is retried. */
  readonly status: UrlStatus;
  readonly reason: string;
  /** How the page of the start URL reports the end of its body; absent if no page reaches a handler. */
  readonly truncated?: 'limit' | 'connection' | null;
  /**
   * Requests that its servers see, as `path` or `OTHER.NAME.test/path`, each once, in any order, without robots.txt.
   * @default the start
   */
  readonly paths?: readonly string[];
  /**
   * The most bytes read from the network in an exchange with the start URL. @default the limit of the body and 4 MiB
   */
  readonly maxReadBytes?: number;
  /** Further checks with vitest's `expect`; called once, after the crawl. */
  readonly check?: (story: ScenarioStory) => void | Promise<void>;
}

/** What happened in one scenario: its servers' log, and what the crawl reported about its hosts. */
export interface ScenarioStory {
  /** The start URL. */
  readonly startUrl: string;
  /** Header sections of the requests that its servers saw, in order of arrival, robots.txt included. */
  readonly seen: readonly SeenRequest[];
  /**
   * Bytes that the crawl read from its servers. They may have written more, which is still in a buffer of the system.
   */
  readonly readBytes: number;
  readonly decisions: readonly UrlDecision[];
  readonly requests: readonly RequestRecord[];
  readonly items: readonly Item[];
  /** Pages in the order in which the handler got them. */
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
