// Connections to judged addresses: undici clients that never look up a name and never retry. After a clean exchange
// they are kept for the next request to the same origin and address. Their number is bounded; each serves one exchange
// at a time.

import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect as connectTcp, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Client, Dispatcher } from 'undici';
import { isError } from '../errors.js';
import { keepLatest } from '../keep-latest.js';
import { present } from '../present.js';
import {
  IDLE_CONNECTION_MS,
  MAX_HEADER_BYTES,
  MAX_IDLE_CONNECTION_MS,
  MAX_IDLE_CONNECTIONS,
  MAX_IDLE_PROXY_CONNECTIONS,
  MAX_RESETTING_ORIGINS,
  MAX_TLS_SESSIONS,
} from './limits.js';
import type { OperatorProxy } from './proxy.js';
import { maxConcurrentRequests } from './socket-limit.js';
import { openTunnel } from './tunnel.js';

const ENDED = new Error('the connection was ended by its exchange');
const ENDED_UNUSED = Object.assign(new Error('it ended, or bytes came, before the request was sent'), {
  code: 'ECONNRESET',
});
const SOCKET_READ_BYTES = 64 * 1024;
let loaded: typeof Client | null = null;

/**
 * Idle connections, and the TLS sessions that shorten the next handshake. One connection is kept for each origin and
 * address, since a host gets one request at a time.
 */
export class ConnectionPool {
  readonly proxy: OperatorProxy | null;
  readonly #ca: string | string[] | undefined;
  /** By key, in the order in which they became idle. */
  readonly #idle = new Map<string, Connection>();
  readonly #tlsSessions = new Map<string, Buffer>();
  /** Keys whose server closes kept connections without saying so. */
  readonly #resetting = new Map<string, true>();
  readonly #maxIdle: number;
  #isClosed = false;

  /** @param ca - PEM, trusted instead of the platform's; `undefined`: the platform's. @param proxy - `null`: none */
  constructor(ca: string | readonly string[] | undefined, proxy: OperatorProxy | null) {
    this.proxy = proxy;
    const maxIdle = proxy === null ? MAX_IDLE_CONNECTIONS : MAX_IDLE_PROXY_CONNECTIONS;
    this.#maxIdle = Math.min(maxIdle, maxConcurrentRequests());
    this.#ca = ca === undefined || typeof ca === 'string' ? ca : [...ca];
  }

  /** An idle connection to exactly this address for this origin, or a new one, not yet connected. */
  take(origin: string, address: string): Connection {
    const key = `${origin} ${address}`;
    const idle = this.#idle.get(key);
    this.#idle.delete(key);
    return idle ?? new Connection(key, origin, address, this);
  }

  /** Takes a connection back after an exchange that ended cleanly. */
  release(connection: Connection): void {
    if (this.#isClosed || this.#idle.has(connection.key) || this.#resetting.has(connection.key)) {
      connection.destroy();
      return;
    }
    this.#idle.set(connection.key, connection);
    const [oldest] = this.#idle.size > this.#maxIdle ? this.#idle.values() : [];
    if (oldest !== undefined) this.onDisconnect(oldest);
  }

  /** A kept connection ended before it answered. None is kept from now on: the URL could fail at each attempt. */
  onKeptFailed({ key }: Connection): void {
    keepLatest(this.#resetting, key, true, MAX_RESETTING_ORIGINS);
  }

  /** A connection lost its socket. An idle one is removed. */
  onDisconnect(connection: Connection): void {
    if (this.#idle.get(connection.key) !== connection) return;
    this.#idle.delete(connection.key);
    connection.destroy();
  }

  /** Ends idle connections. One in use ends with its exchange. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#idle.values()) connection.destroy();
    this.#idle.clear();
  }

  /** Connects to this address and to no other. @param tunnel - A socket that already leads there; `null`: none. */
  openSocket({ isTls, hostname, port }: Target, address: string, tunnel: Socket | null): Socket {
    const to: TcpNetConnectOpts = { host: address, port, lookup: refuseLookup };
    if (!isTls) return tunnel ?? connectTcp(Object.assign(to, { highWaterMark: SOCKET_READ_BYTES }));
    // SNI has neither addresses nor trailing dots (RFC 6066 §3); a certificate for an address is checked against
    // `host`.
    const servername = hostname === address && isIP(address) !== 0 ? '' : hostname.replace(/\.$/, '');
    const sessionKey = `${hostname}:${port}`;
    const session = this.#tlsSessions.get(sessionKey);
    const more = present({ socket: tunnel, session, ca: this.#ca });
    const socket = connectTls({ ...to, servername, ALPNProtocols: ['http/1.1'], ...more });
    return socket.on('session', (fresh) => keepLatest(this.#tlsSessions, sessionKey, fresh, MAX_TLS_SESSIONS));
  }
}

/** `hostname`: without brackets. */
type Target = { readonly isTls: boolean; readonly hostname: string; readonly port: number };

/** A connection in use by one exchange, or idle. */
export class Connection {
  /** Origin and address. */
  readonly key: string;
  /** The address that the socket reports; behind a proxy, the one that the proxy was given. */
  remoteAddress: string | null = null;
  /** `null`: not connected, or the site sees another address. */
  localAddress: string | null = null;
  /** Whether the socket failed. undici reports a body without a length as complete even when a reset ended it. */
  hasFailed = false;
  /** Whether the proxy has not yet accepted the connection. From then on, the site causes the wait. */
  waitsForProxy = false;
  readonly #target: Target;
  readonly #address: string;
  readonly #pool: ConnectionPool;
  readonly #client: Client;
  /** Gives a tunnel up, whether open or not. */
  #tunnelControl: AbortController | null = null;
  #socket: Socket | null = null;
  /** Connected before the request that needs it was passed to undici. */
  #preparedSocket: Socket | null = null;
  /** Whether undici was given a socket in this exchange. If one ends unused, undici asks again, without end. */
  #hasTakenSocket = false;
  /** `null`: no exchange is under way. */
  #onRead: ((bytes: number) => void) | null = null;
  /** Bytes that the socket had read before the exchange. */
  #readBefore = 0;

  constructor(key: string, origin: string, address: string, pool: ConnectionPool) {
    const { protocol, hostname, port } = new URL(origin);
    const isTls = protocol === 'https:';
    this.key = key;
    this.#target = { isTls, hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (isTls ? 443 : 80)) };
    this.#address = address;
    this.#pool = pool;
    this.#client = new (clientClass())(origin, {
      // The exchange has its own timer instead of three.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: MAX_IDLE_CONNECTION_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      pipelining: 1,
      connect: (_target, done) => {
        this.#takeSocket().then(
          (socket) => done(null, socket),
          (error) => done(error, null),
        );
      },
    });
    this.#client.on('disconnect', () => {
      this.#socket = null;
      pool.onDisconnect(this);
    });
  }

  get isOpen(): boolean {
    return this.#socket !== null;
  }

  /** Connects, for a request that is made afterwards. Rejects if connecting fails. */
  async open(): Promise<void> {
    this.#preparedSocket = await this.#connect();
  }

  /** Passes a request to undici; every ending comes through the handler. */
  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#hasTakenSocket = false;
    this.#client.dispatch(request, handler);
  }

  /**
   * An exchange begins on the connected socket: `onRead` is called with all bytes read since then, before any are
   * parsed. Not all belong to a body: interim responses, chunk extensions and trailers can be endless too, and no
   * parser reports them. `null`: the exchange is over.
   */
  watchWire(onRead: ((bytes: number) => void) | null): void {
    this.#readBefore = this.#socket?.bytesRead ?? 0;
    this.#onRead = onRead;
  }

  /** Ends the socket, connected or not, and the client. Safe to call twice. */
  destroy(): void {
    // With an error, because undici takes a close without one as the end of a body that has no length.
    this.#socket?.destroy(ENDED);
    this.#tunnelControl?.abort();
    this.#client.destroy(null, () => undefined);
  }

  async #takeSocket(): Promise<Socket> {
    if (this.#hasTakenSocket) throw ENDED_UNUSED;
    this.#hasTakenSocket = true;
    const prepared = this.#preparedSocket;
    this.#preparedSocket = null;
    return prepared === null || prepared.destroyed ? this.#connect() : prepared;
  }

  /** A connected socket. Rejects if connecting fails. */
  async #connect(): Promise<Socket> {
    const tunnel = await this.#openTunnel();
    const socket = this.#pool.openSocket(this.#target, this.#address, tunnel);
    this.#socket = socket;
    this.hasFailed = false;
    socket.setNoDelay(true);
    // Registered before undici's own listener, so that `hasFailed` is set when undici reports the end of the body.
    socket.on('error', () => {
      this.hasFailed = true;
    });
    if (this.#target.isTls) await once(socket, 'secureConnect');
    // A tunnel is already connected.
    else if (socket.connecting) await once(socket, 'connect');
    this.remoteAddress = (tunnel === null ? socket.remoteAddress : null) ?? this.#address;
    this.localAddress = (tunnel === null ? socket.localAddress : null) ?? null;
    // Registered before undici's own listener, so that limits are checked before anything is parsed.
    socket.on('readable', () => this.#onRead?.(socket.bytesRead - this.#readBefore));
    return socket;
  }

  /** A socket that leads to the address through the proxy; `null`: there is no proxy. */
  async #openTunnel(): Promise<Socket | null> {
    const { proxy } = this.#pool;
    if (proxy === null) return null;
    this.waitsForProxy = true;
    this.#tunnelControl = new AbortController();
    const onReached = (): void => {
      this.waitsForProxy = false;
    };
    const { signal } = this.#tunnelControl;
    return openTunnel(proxy, { address: this.#address, port: this.#target.port, signal, onReached });
  }
}

/**
 * undici's `Client`, loaded with the first connection and, if possible, without the rest of undici, whose entry also
 * loads fetch, caches, mocks and sockets (docs/decisions/0030). @throws What loading a module throws.
 */
export function clientClass(): typeof Client {
  if (loaded !== null) return loaded;
  const require = createRequire(import.meta.url);
  try {
    loaded = require('undici/lib/dispatcher/client.js') as typeof Client;
  } catch (error) {
    // This release of undici keeps the file elsewhere or does not export it.
    if (!(isError(error) && 'code' in error)) throw error;
    loaded = (require('undici') as typeof import('undici')).Client;
  }
  return loaded;
}

/** The address is already judged. A look-up here would be a second one, and could give another answer. */
const refuseLookup: LookupFunction = (hostname, _options, done) => {
  done(new Error(`a fetcher looks no names up, and was given ${hostname}`), '');
};
