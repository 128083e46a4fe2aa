// A small town on loopback: eight hosts on one server, distinguished by the Host field, with a log of every request.
// The servers keep the log on their own monotonic clock, independently of the crawl.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TownAnswer, type TownHost, townPlan } from './plan.js';

/** One request as the town saw it. Times are milliseconds of a monotonic clock. */
export interface TownRequest {
  readonly host: string;
  /** Path and query. */
  readonly path: string;
  /** When its header section had arrived. */
  readonly startedAtMs: number;
  /** When the answer was sent, or the connection was closed. */
  readonly endedAtMs: number;
  readonly userAgent: string;
  readonly status: number;
}

/** A running town. */
export interface Town {
  readonly port: number;
  readonly hosts: readonly TownHost[];
  /** The root URL of every host. */
  readonly seeds: readonly string[];
  /** Every ended request, in the order of their ends. Grows during the crawl. */
  readonly log: readonly TownRequest[];
  /** For the crawl's `network.resolve`: the names of the town, and no others, lead to 127.0.0.1. */
  readonly resolve: (hostname: string) => Promise<readonly string[]>;
  /** Closes every connection. A second call does nothing. */
  close(): Promise<void>;
}

/** The town delays each answer by so many milliseconds, so that exchanges have a length. */
const ANSWER_MS = 15;
/** Later requests are not logged, so that a runaway crawler cannot fill the memory. */
const MAX_LOG = 10_000;

/**
 * Starts the town on 127.0.0.1.
 *
 * @param more - Hosts next to those of its plan; they get the port.
 * @param wanted - The port; 0: a free one.
 * @throws The platform's error if no port is free.
 */
export async function startTown(more: (port: number) => readonly TownHost[] = () => [], wanted = 0): Promise<Town> {
  const log: TownRequest[] = [];
  let hosts: TownHost[] = [];
  const server = createServer((request, response) => {
    const visit = beginVisit(request);
    const found = hosts.find((host) => host.name === visit.host)?.answer(visit.path);
    const answer = found ?? notFound;
    response.on('close', () => {
      const ended = { ...visit, endedAtMs: performance.now(), status: answer.status };
      if (log.length < MAX_LOG) log.push(ended);
    });
    setTimeout(() => send(response, answer), ANSWER_MS);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  hosts = [...townPlan(port), ...more(port)];
  const names = new Set(hosts.map((host) => host.name));
  return {
    port,
    hosts,
    seeds: hosts.map((host) => `http://${host.name}:${port}/`),
    log,
    resolve: async (hostname) => (names.has(hostname) ? ['127.0.0.1'] : []),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const notFound: TownAnswer = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Not found.\n' };

function beginVisit(request: IncomingMessage): Omit<TownRequest, 'endedAtMs' | 'status'> {
  return {
    host: (request.headers.host ?? '').replace(/:\d+$/, ''),
    path: request.url ?? '/',
    startedAtMs: performance.now(),
    userAgent: request.headers['user-agent'] ?? '',
  };
}

function send(response: ServerResponse, answer: TownAnswer): void {
  response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) });
  response.end(answer.body);
}
