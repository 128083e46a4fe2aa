// Runs the command in processes, next to a web on many loopback addresses that stamps arrivals.

import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { COMMAND } from './command.js';
import { webNow } from './web.js';

/** How a command ended. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in a folder. */
export function runMannerly(cwd: string, ...args: readonly string[]): Promise<CommandResult> {
  return startMannerly(cwd, ...args).ended;
}

/** Starts the command in a folder. `interrupt` sends what Ctrl-C sends. */
export function startMannerly(cwd: string, ...args: readonly string[]): StartedCommand {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'], cwd });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<CommandResult>((done) => child.once('close', (code) => done({ code, stdout, stderr })));
  return {
    ended,
    interrupt: () => void child.kill('SIGINT'),
    async waitForStderr(pattern) {
      for (;;) {
        const found = pattern.exec(stderr);
        if (found !== null) return found;
        if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${stderr}`);
        await new Promise((done) => setTimeout(done, 20));
      }
    },
  };
}

/** A running command. */
interface StartedCommand {
  readonly ended: Promise<CommandResult>;
  interrupt(): void;
  /** Waits until standard error matches. */
  waitForStderr(pattern: RegExp): Promise<RegExpExecArray>;
}

/** A request, as the server saw it. */
export interface Arrival {
  readonly url: string;
  readonly host: string;
  readonly startMs: number;
  /** When its answer went out. */
  readonly endMs: number;
}

/** Hosts at loopback addresses, as Linux provides them. The pages of each host link to one another. */
export interface ManyHosts {
  readonly seeds: readonly string[];
  /** In the order in which they ended, without robots.txt. */
  readonly arrivals: readonly Arrival[];
  /** Every page of every host. */
  readonly pages: readonly string[];
  close(): Promise<void>;
}

/** @param net - The first three numbers of the addresses: each test file has its own. */
export async function startHosts(net: string, hosts: number, pagesPerHost: number): Promise<ManyHosts> {
  const arrivals: Arrival[] = [];
  const servers: Server[] = [];
  let port = 0;
  for (let at = 1; at <= hosts; at += 1) {
    const host = `${net}.${at}`;
    const server = createServer((request, response) => {
      const startMs = webNow();
      const path = request.url ?? '/';
      if (path === '/robots.txt') {
        response.end('User-agent: *\nDisallow:\n');
        return;
      }
      const number = path === '/' ? 0 : Number(path.slice(1));
      response.setHeader('content-type', 'text/html');
      // Taken before the answer is sent: no client can have the last byte earlier, however late the `close` event is.
      const endMs = webNow();
      response.once('close', () => arrivals.push({ url: `http://${host}:${port}${path}`, host, startMs, endMs }));
      response.end(
        `<title>${number}</title>${number + 1 < pagesPerHost ? `<a href="/${number + 1}">on</a>` : ''}<p>Of ${host}.`,
      );
    });
    await new Promise<void>((done, failed) => {
      server.once('error', failed);
      server.listen(port, host, done);
    });
    port ||= (server.address() as AddressInfo).port;
    servers.push(server);
  }
  const seeds = servers.map((_, at) => `http://${net}.${at + 1}:${port}/`);
  return {
    seeds,
    arrivals,
    pages: seeds.flatMap((seed) => Array.from({ length: pagesPerHost }, (_, at) => `${seed}${at === 0 ? '' : at}`)),
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      }
    },
  };
}

/** Requests to one host that start less than `ms` after the end of the one before. */
export function tooEarly(arrivals: readonly Arrival[], ms: number): string[] {
  const last = new Map<string, number>();
  return arrivals
    .toSorted((a, b) => a.startMs - b.startMs)
    .flatMap(({ url, host, startMs, endMs }) => {
      const gapMs = startMs - (last.get(host) ?? Number.NEGATIVE_INFINITY);
      last.set(host, endMs);
      return gapMs < ms ? [`${url} after ${gapMs.toFixed(1)} ms`] : [];
    });
}
