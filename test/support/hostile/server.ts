// The servers of the hostile web: one port for plain HTTP and one for each kind of certificate, shared by all scenarios
// and told apart by the Host field; and one at a loopback address that nothing may connect to. Their log is the
// evidence.

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { responds } from './answers.js';
import { CERTIFICATES, HOSTILE_KEY } from './certificates.js';
import type { HostileRequest, HostileScenario, SeenRequest } from './scenario.js';

/** The address that nothing may connect to. */
export const INSIDE_ADDRESS = '127.0.0.2';

const OUTSIDE_ADDRESS = '127.0.0.1';

/** A hostile web that is listening. */
export interface HostileWeb {
  /** The URL at which the crawl of a scenario starts. */
  startUrl(scenario: HostileScenario): string;
  /** Every host name of a scenario. */
  hostsOf(scenario: HostileScenario): readonly string[];
  /** Resolves names as the scenarios define them. */
  resolve(hostname: string): Promise<readonly string[]>;
  seen(scenario: HostileScenario): readonly SeenRequest[];
  /** The crawl's local ports of the scenario's connections. */
  clientPorts(scenario: HostileScenario): ReadonlySet<number>;
  /** Connections made to the forbidden address. */
  insideConnections(): number;
  close(): Promise<void>;
}

type Port = 'plain' | NonNullable<HostileScenario['tls']>;

/** What the servers know of a connection. */
interface Wire {
  readonly socket: Socket;
  readonly clientPort: number;
}

/** Starts the servers. The caller closes them. */
export async function startHostileWeb(scenarios: readonly HostileScenario[]): Promise<HostileWeb> {
  const byHost = new Map(scenarios.flatMap((scenario) => hostsOf(scenario).map((host) => [host, scenario] as const)));
  const seen = new Map<HostileScenario, SeenRequest[]>(scenarios.map((scenario) => [scenario, []]));
  const wires = new Set<Wire>();
  const clientPorts = new Map<HostileScenario, Set<number>>(scenarios.map((scenario) => [scenario, new Set()]));
  const servers: Server[] = [];
  const ports = new Map<Port, number>();
  let insidePort = 0;
  let insideConnections = 0;

  const urlOn = (port: Port, host: string, path: string): string =>
    `${port === 'plain' ? 'http' : 'https'}://${host}:${ports.get(port)}${path}`;

  const requested = (wire: Wire, head: string): void => {
    const host = hostIn(head);
    const scenario = byHost.get(host);
    if (scenario === undefined) {
      wire.socket.destroy();
      return;
    }
    clientPorts.get(scenario)?.add(wire.clientPort);
    const path = /^\S+ (\S+)/.exec(head)?.[1] ?? '';
    const before = seen.get(scenario)?.filter((one) => one.host === host && one.path === path).length ?? 0;
    seen.get(scenario)?.push({ host, path, head, atMs: performance.now() });
    const request: HostileRequest = {
      host,
      path,
      head,
      before,
      url: (to, on = host) => urlOn(scenario.tls ?? 'plain', on, to),
      insideUrl: (to) => `http://${INSIDE_ADDRESS}:${insidePort}${to}`,
    };
    const answer = path === '/robots.txt' ? (scenario.robots ?? NO_ROBOTS) : scenario.serve;
    answer(wire.socket, request);
  };

  const connected = (socket: Socket): void => {
    const wire: Wire = { socket, clientPort: socket.remotePort ?? 0 };
    wires.add(wire);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => wires.delete(wire));
    let pending = '';
    socket.on('data', (chunk) => {
      pending += chunk.toString('latin1');
      for (let end = pending.indexOf('\r\n\r\n'); end >= 0; end = pending.indexOf('\r\n\r\n')) {
        const head = pending.slice(0, end);
        pending = pending.slice(end + 4);
        requested(wire, head);
      }
    });
  };

  const listenAs = async (port: Port): Promise<void> => {
    const server =
      port === 'plain'
        ? createServer(connected)
        : createTlsServer({ key: HOSTILE_KEY, cert: CERTIFICATES[port] }, connected);
    server.on('tlsClientError', () => undefined);
    servers.push(server);
    ports.set(port, await listen(server, OUTSIDE_ADDRESS));
  };
  for (const port of ['plain', ...Object.keys(CERTIFICATES)] as Port[]) await listenAs(port);
  const inside = createServer((socket) => {
    insideConnections += 1;
    socket.destroy();
  });
  servers.push(inside);
  insidePort = await listen(inside, INSIDE_ADDRESS);

  return {
    startUrl: (scenario) => urlOn(scenario.tls ?? 'plain', hostsOf(scenario)[0] ?? '', scenario.start ?? '/'),
    hostsOf,
    async resolve(hostname) {
      const scenario = byHost.get(hostname.replace(/\.$/, '').toLowerCase());
      if (scenario === undefined) throw new Error(`queryA ENOTFOUND ${hostname}`);
      const { addresses = [OUTSIDE_ADDRESS] } = scenario;
      const found = typeof addresses === 'function' ? await addresses() : addresses;
      return found.map((address) => (address === 'inside' ? INSIDE_ADDRESS : address));
    },
    seen: (scenario) => seen.get(scenario) ?? [],
    clientPorts: (scenario) => clientPorts.get(scenario) ?? new Set(),
    insideConnections: () => insideConnections,
    async close() {
      for (const { socket } of wires) socket.destroy();
      await Promise.all(servers.map((server) => new Promise<void>((done) => server.close(() => done()))));
    },
  };
}

const NO_ROBOTS = responds('', { status: '404 Not Found', headers: [] });

function hostsOf({ name, others = [] }: HostileScenario): readonly string[] {
  return [`${name}.test`, ...others.map((other) => `${other}.${name}.test`)];
}

function hostIn(head: string): string {
  return (/^host: *([^:\r\n]+)/im.exec(head)?.[1] ?? '').toLowerCase().replace(/\.$/, '');
}

function listen(server: Server, address: string): Promise<number> {
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(0, address, () => done((server.address() as AddressInfo).port));
  });
}
