// One connection to one judged address for one origin: an undici client of its own, which never looks a name up and
// never retries.

import { connect as connectTcp, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector, Dispatcher } from 'undici';
import { IDLE_CONNECTION_MS, MAX_HEADER_BYTES, MAX_IDLE_CONNECTION_MS } from './limits.js';
import { Client } from './undici-client.js';

/** What connections share: where they are kept when idle, and the TLS sessions that shorten the next handshake. */
export interface ConnectionHome {
  readonly options: ConnectionOptions;
  readonly tlsSessions: ReadonlyMap<string, Buffer>;
  keepSession(key: string, session: Buffer): void;
  /** A connection lost its socket. */
  onDisconnect(connection: Connection): void;
}

/** How connections are made. */
export interface ConnectionOptions {
  /** Certificates trusted instead of the platform's own, PEM. */
  readonly ca: string | readonly string[] | null;
}

/** Who is told when more came off the wire than was expected. */
export interface WireWatcher {
  onWireFull(): void;
}

const ENDED = new Error('the connection was ended by its exchange');
const SOCKET_READ_BYTES = 64 * 1024;

/** A connection in use by one exchange, or idle. */
export class Connection {
  /** The address that the socket says it is connected to. */
  remoteAddress: string | null = null;
  /** The socket failed: undici calls a body without a length complete even when a reset ended it. */
  hasFailed = false;
  /** Origin and address. */
  readonly key: string;
  readonly #client: Client;
  #socket: Socket | null = null;
  #watcher: WireWatcher | null = null;
  /** The socket's count of bytes read at which the watcher is told, and when the present exchange began. */
  #wireEnd = Number.POSITIVE_INFINITY;
  #wireStart = 0;

  constructor(key: string, origin: string, address: string, home: ConnectionHome) {
    this.key = key;
    this.#client = new Client(origin, {
      // Deadlines are the exchange's own: one timer instead of three.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: MAX_IDLE_CONNECTION_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      pipelining: 1,
      connect: (target, done) => this.#open(target, address, home, done),
    });
    this.#client.on('disconnect', () => {
      this.#socket = null;
      home.onDisconnect(this);
    });
  }

  /** Hands a request to undici; every ending comes through the handler. */
  dispatch(path: string, headers: Readonly<Record<string, string>>, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch({ path, method: 'GET', headers }, handler);
  }

  /** An exchange begins on the connected socket. */
  watchWire(watcher: WireWatcher): void {
    this.#watcher = watcher;
    this.#wireStart = this.#socket?.bytesRead ?? 0;
  }

  /**
   * Tells the watcher, once, when more bytes than these were read since its exchange began. Not every byte belongs to a
   * body: interim responses, chunk extensions and trailers can be endless too, and no parser says anything about them.
   */
  limitWire(bytes: number): void {
    this.#wireEnd = this.#wireStart + bytes;
  }

  /** The exchange is over; what an idle connection reads ends it. */
  unwatchWire(): void {
    this.#watcher = null;
    this.#wireEnd = Number.POSITIVE_INFINITY;
  }

  /** Ends the socket, connected or not, and the client; safe to call twice. */
  destroy(): void {
    // With an error: undici takes a close without one for the end of a body that has no length.
    this.#socket?.destroy(ENDED);
    this.#client.destroy(null, ignore);
  }

  #open(target: buildConnector.Options, address: string, home: ConnectionHome, done: buildConnector.Callback): void {
    const isTls = target.protocol === 'https:';
    const socket = isTls ? openTls(target, address, home) : openTcp(target, address);
    this.#socket = socket;
    this.hasFailed = false;
    let isDone = false;
    socket.setNoDelay(true);
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      if (isDone) return;
      isDone = true;
      this.remoteAddress = socket.remoteAddress ?? address;
      // Before undici's own listener: it is told before what came is parsed.
      socket.on('readable', () => {
        if (socket.bytesRead > this.#wireEnd) this.#watcher?.onWireFull();
      });
      done(null, socket);
    });
    // Registered before undici's own listener, so that `hasFailed` is known when undici tells the end of the body.
    socket.on('error', (error) => {
      this.hasFailed = true;
      if (isDone) return;
      isDone = true;
      done(error, null);
    });
  }
}

function openTcp(target: buildConnector.Options, address: string): Socket {
  const options: TcpNetConnectOpts & { readonly highWaterMark: number } = {
    host: address,
    port: portOf(target, 80),
    lookup: refuseLookup,
    highWaterMark: SOCKET_READ_BYTES,
  };
  return connectTcp(options);
}

function openTls(target: buildConnector.Options, address: string, home: ConnectionHome): Socket {
  // SNI has neither addresses nor trailing dots (RFC 6066 §3); a certificate for an address is checked against `host`.
  const name = isIP(address) !== 0 && target.hostname === address ? '' : target.hostname.replace(/\.$/, '');
  const sessionKey = `${target.hostname}:${target.port}`;
  const session = home.tlsSessions.get(sessionKey);
  const { ca } = home.options;
  const socket = connectTls({
    host: address,
    port: portOf(target, 443),
    servername: name,
    lookup: refuseLookup,
    ALPNProtocols: ['http/1.1'],
    ...(session === undefined ? {} : { session }),
    ...(ca === null ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
  });
  socket.on('session', (fresh) => home.keepSession(sessionKey, fresh));
  return socket;
}

function portOf(target: buildConnector.Options, usual: number): number {
  return target.port === '' ? usual : Number(target.port);
}

/** The address is judged already; a look-up here would be a second one, and could give another answer. */
const refuseLookup: LookupFunction = (hostname, _options, done) => {
  done(new Error(`a fetcher looks no names up, and was given ${hostname}`), '');
};

function ignore(): void {
  // Ended is ended: nobody waits for it.
}
