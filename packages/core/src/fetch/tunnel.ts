// A connection to a checked address through the operator's proxy: HTTP CONNECT (RFC 9110 §9.3.6) by the platform,
// SOCKS5 (RFC 1928) by undici. The proxy is always told the address, never a name: it could resolve it to another one.

import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { connect, isIPv6, type Socket } from 'node:net';
import { isError } from '../errors.js';
import type { OperatorProxy } from './proxy.js';

/** Where a tunnel leads to. */
interface TunnelTarget {
  readonly address: string;
  readonly port: number;
  /** Gives the tunnel up, whether open or not. */
  readonly signal: AbortSignal;
  /** Called when the proxy has accepted the connection. From then on, the site causes the wait. */
  readonly onReached: () => void;
}

/** @throws (rejects) With a code that says what failed: `PROXY_DOWN`, `PROXY_REFUSED`, or a connection error. */
export async function openTunnel(proxy: OperatorProxy, target: TunnelTarget): Promise<Socket> {
  let isReached = false;
  const onReached = (): void => {
    isReached = true;
    target.onReached();
  };
  try {
    return await (proxy.isSocks ? openSocks : openConnect)(proxy, { ...target, onReached });
  } catch (cause) {
    if (!isReached) throw fault('PROXY_DOWN', `the proxy ${proxy.url} cannot be reached: ${messageOf(cause)}`);
    if (FAULT_CODES.some((known) => known === codeOf(cause))) throw cause;
    // What does not speak HTTP is no HTTP proxy.
    const code = codeOf(cause).startsWith('HPE_') ? 'PROXY_DOWN' : 'EHOSTUNREACH';
    throw fault(code, `the proxy ${proxy.url} gave up: ${messageOf(cause)}`);
  }
}

async function openConnect(proxy: OperatorProxy, { address, port, signal, onReached }: TunnelTarget): Promise<Socket> {
  // Loaded only with a proxy, since its namespace loads Node's own fetch, which takes 25 ms from Node.js 22 on.
  const { request: requestHttp } = await import('node:http');
  const target = `${isIPv6(address) ? `[${address}]` : address}:${port}`;
  const credentials = proxy.credentials();
  const basic =
    credentials === null ? '' : Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
  return new Promise((resolve, reject) => {
    const request = requestHttp({
      method: 'CONNECT',
      host: proxy.host,
      port: proxy.port,
      path: target,
      headers: { Host: target, ...(basic === '' ? {} : { 'Proxy-Authorization': `Basic ${basic}` }) },
      agent: false,
      signal,
    });
    request.once('socket', (socket) => socket.once('connect', onReached));
    request.once('error', reject);
    request.once('connect', ({ statusCode = 0 }, socket: Socket, head) => {
      const isOpen = statusCode >= 200 && statusCode <= 299;
      // No site speaks first, so bytes behind the answer are those of the proxy.
      if (isOpen && head.length === 0) return resolve(socket);
      socket.on('error', () => undefined).destroy();
      const detail = isOpen ? ' with a page instead of a connection' : '';
      const code = isOpen ? 'EHOSTUNREACH' : codeOfStatus(statusCode);
      reject(fault(code, `the proxy ${proxy.url} answered ${statusCode} for ${target}${detail}`));
    });
    request.end();
  });
}

/** Redirects, such as to a login page, and statuses that say "later". */
const TEMPORARY: ReadonlySet<number> = new Set([301, 302, 303, 307, 308, 408, 425, 429]);

/** A proxy that wants a password serves no one; a 5xx means it could not reach the site; other statuses mean a rule. */
function codeOfStatus(status: number): FaultCode {
  if (status === 407) return 'PROXY_DOWN';
  if (status === 504) return 'ETIMEDOUT';
  return (status >= 500 && status !== 501) || TEMPORARY.has(status) ? 'EHOSTUNREACH' : 'PROXY_REFUSED';
}

async function openSocks(proxy: OperatorProxy, { address, port, signal, onReached }: TunnelTarget): Promise<Socket> {
  const Client = socksClientClass();
  return new Promise((resolve, reject) => {
    const socket = connect({ host: proxy.host, port: proxy.port, signal });
    // Before the connection, no handshake can fail.
    socket.once('error', reject);
    socket.once('connect', () => {
      onReached();
      const client = new Client(socket, proxy.credentials() ?? {});
      client.on('error', (error: Error) => {
        socket.destroy();
        const code = codeOfSocks(codeOf(error));
        reject(fault(code, `the proxy ${proxy.url} for ${address} port ${port}: ${error.message}`));
      });
      client.once('close', () => reject(new Error('it closed the connection')));
      client.once('authenticated', () => client.connect(address, port));
      client.once('connected', () => {
        // undici's client was reading; from here on the exchange reads.
        socket.pause();
        resolve(socket);
      });
      client.handshake();
    });
  });
}

/** By undici's codes, whose last part is the reply (RFC 1928 §6). */
function codeOfSocks(code: string): FaultCode {
  if (/^UND_ERR_SOCKS5_(?:AUTH|VERSION)/.test(code)) return 'PROXY_DOWN';
  if (code === 'UND_ERR_SOCKS5_REPLY_2') return 'PROXY_REFUSED';
  if (code === 'UND_ERR_SOCKS5_REPLY_5') return 'ECONNREFUSED';
  return code === 'UND_ERR_SOCKS5_REPLY_6' ? 'ETIMEDOUT' : 'EHOSTUNREACH';
}

/** The parts of undici's client that are used. Its public entry does not offer it separately (docs/decisions/0030). */
interface SocksClient extends EventEmitter {
  handshake(): void;
  connect(address: string, port: number): void;
}

type SocksClientClass = new (socket: Socket, credentials: { username?: string; password?: string }) => SocksClient;

/** @throws If this release of undici keeps it elsewhere. */
function socksClientClass(): SocksClientClass {
  const require = createRequire(import.meta.url);
  return (require('undici/lib/core/socks5-client.js') as { Socks5Client: SocksClientClass }).Socks5Client;
}

const FAULT_CODES = ['PROXY_DOWN', 'PROXY_REFUSED', 'EHOSTUNREACH', 'ECONNREFUSED', 'ETIMEDOUT'] as const;
type FaultCode = (typeof FAULT_CODES)[number];

/** An error that says whose fault it is. */
function fault(code: FaultCode, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function codeOf(error: unknown): string {
  return isError(error) && 'code' in error ? String(error.code) : '';
}

function messageOf(error: unknown): string {
  return (isError(error) && error.message) || codeOf(error) || String(error);
}
