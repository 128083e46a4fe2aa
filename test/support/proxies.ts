// Two proxies on loopback that follow their protocols: CONNECT (RFC 9110 §9.3.6) and SOCKS5 (RFC 1928, RFC 1929). They
// are written from the standards and share no code with the crawler; their log has what a proxy learns.

import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A running proxy. */
export interface TestProxy {
  readonly url: string;
  readonly port: number;
  /** Requested targets as `host:port`, in order. Live. */
  readonly targets: readonly string[];
  /** What else was sent: the fields of CONNECT, or the address type and the credentials of SOCKS5. Live. */
  readonly received: readonly string[];
  close(): Promise<void>;
}

/** The behaviour of a proxy. */
export interface TestProxyOptions {
  /** Required as `name:password`. @default no credentials are required */
  readonly password?: string;
  /** Refuses with this status of CONNECT, or this reply of SOCKS5. @default the target is connected to */
  readonly refusal?: number;
  /** Never connects to the target, and never answers. @default false */
  readonly isSilent?: boolean;
  /** The port to listen on. @default a free port */
  readonly port?: number;
}

/** The protocol of a proxy. */
export type ProxyKind = 'CONNECT' | 'SOCKS5';

/** Starts a proxy that closes with its test. */
export async function proxyForTest(kind: ProxyKind, options: TestProxyOptions = {}): Promise<TestProxy> {
  const proxy = await startProxy(kind, options);
  onTestFinished(proxy.close);
  return proxy;
}

/** Starts a proxy. The caller closes it. */
export function startProxy(kind: ProxyKind, options: TestProxyOptions = {}): Promise<TestProxy> {
  return kind === 'CONNECT' ? startConnect(options) : startSocks(options);
}

function startConnect({ password, refusal, isSilent = false, port }: TestProxyOptions): Promise<TestProxy> {
  return startListening('http', port, (socket, log) => {
    let head = '';
    const onData = (chunk: Buffer): void => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.off('data', onData);
      const [, target = ''] = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head) ?? [];
      log.targets.push(target);
      log.received.push(head);
      const expected = `Proxy-Authorization: Basic ${Buffer.from(password ?? '').toString('base64')}`;
      if (password !== undefined && !head.includes(expected)) {
        socket.end('HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic realm="test"\r\nContent-Length: 0\r\n\r\n');
      } else if (refusal !== undefined || target === '') {
        socket.end(`HTTP/1.1 ${target === '' ? 400 : refusal} No\r\nContent-Length: 0\r\n\r\n`);
      } else if (!isSilent) {
        connectBoth(
          socket,
          target,
          () => socket.write('HTTP/1.1 200 Connected\r\n\r\n'),
          () => {
            socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
          },
        );
      }
    };
    socket.on('data', onData);
  });
}

function startSocks({ password, refusal, isSilent = false, port }: TestProxyOptions): Promise<TestProxy> {
  return startListening('socks5', port, (socket, log) => {
    let bytes = Buffer.alloc(0);
    let phase: 'greeting' | 'password' | 'request' = 'greeting';
    const take = (count: number): Buffer => {
      const taken = bytes.subarray(0, count);
      bytes = bytes.subarray(count);
      return taken;
    };
    const onData = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      if (phase === 'greeting' && bytes.length >= 2 && bytes.length >= 2 + (bytes[1] ?? 0)) {
        const methods = [...take(2 + (bytes[1] ?? 0)).subarray(2)];
        const method = password === undefined ? 0 : 2;
        if (!methods.includes(method)) return void socket.end(Buffer.from([5, 0xff]));
        socket.write(Buffer.from([5, method]));
        phase = method === 2 ? 'password' : 'request';
      }
      if (phase === 'password' && bytes.length >= 2) {
        const nameLength = bytes[1] ?? 0;
        const length = 3 + nameLength + (bytes[2 + nameLength] ?? Number.POSITIVE_INFINITY);
        if (bytes.length < length) return;
        const message = take(length);
        const credentials = `${message.subarray(2, 2 + nameLength)}:${message.subarray(3 + nameLength)}`;
        log.received.push(credentials);
        socket.write(Buffer.from([1, credentials === password ? 0 : 1]));
        if (credentials !== password) return void socket.end();
        phase = 'request';
      }
      if (phase === 'request' && bytes.length >= 5) {
        const kind = bytes[3] ?? 0;
        const addressLength = kind === 1 ? 4 : kind === 4 ? 16 : 1 + (bytes[4] ?? 0);
        if (bytes.length < 6 + addressLength) return;
        const request = take(6 + addressLength);
        socket.off('data', onData);
        const address = request.subarray(4, 4 + addressLength);
        const host = kind === 1 ? address.join('.') : kind === 4 ? groups(address) : address.subarray(1).toString();
        log.received.push(`address type ${kind}`);
        const target = `${host}:${request.readUInt16BE(4 + addressLength)}`;
        log.targets.push(target);
        const reply = (code: number): Buffer => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
        if (refusal !== undefined) socket.end(reply(refusal));
        else if (!isSilent)
          connectBoth(
            socket,
            target,
            () => socket.write(reply(0)),
            () => socket.end(reply(5)),
          );
      }
    };
    socket.on('data', onData);
  });
}

function groups(address: Buffer): string {
  return `[${Array.from({ length: 8 }, (_, at) => address.readUInt16BE(at * 2).toString(16)).join(':')}]`;
}

/** Connects the client to its target, in both directions. */
function connectBoth(client: Socket, target: string, onOpen: () => void, onFail: () => void): void {
  const [, host = '', port] = /^\[?(.+?)\]?:(\d+)$/.exec(target) ?? [];
  const site = connect({ host, port: Number(port) });
  let isOpen = false;
  site.once('connect', () => {
    isOpen = true;
    onOpen();
    client.pipe(site);
    site.pipe(client);
  });
  // A reset is passed on as a reset, an end as an end.
  site.on('error', () => (isOpen ? client.resetAndDestroy() : onFail()));
  client.once('close', () => site.destroy());
}

interface ProxyLog {
  readonly targets: string[];
  readonly received: string[];
}

async function startListening(
  scheme: string,
  port: number | undefined,
  serve: (socket: Socket, log: ProxyLog) => void,
): Promise<TestProxy> {
  const log: ProxyLog = { targets: [], received: [] };
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
    serve(socket, log);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port ?? 0, '127.0.0.1', resolve);
  });
  const close = (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  const used = (server.address() as AddressInfo).port;
  return { ...log, port: used, url: `${scheme}://127.0.0.1:${used}`, close };
}
