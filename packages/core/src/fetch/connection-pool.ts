// Connections that ended their last exchange cleanly, kept for the next request to the same origin and judged address.
// Bounded in number; it hands each out to one exchange at a time.

import { Connection, type ConnectionHome, type ConnectionOptions } from './connection.js';
import { MAX_IDLE_CONNECTIONS, MAX_TLS_SESSIONS } from './limits.js';

/** Idle connections by origin and address, bounded in number, and the TLS sessions they share. */
export class ConnectionPool implements ConnectionHome {
  readonly tlsSessions = new Map<string, Buffer>();
  readonly options: ConnectionOptions;
  /** In the order in which they became idle. */
  readonly #idle = new Set<Connection>();
  readonly #idleByKey = new Map<string, Connection[]>();
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    this.options = options;
  }

  /** An idle connection to this very address for this origin, or a new one, not connected yet. */
  take(origin: string, address: string): Connection {
    const key = `${origin} ${address}`;
    const idle = this.#idleByKey.get(key)?.at(-1);
    if (idle === undefined) return new Connection(key, origin, address, this);
    this.#forget(idle);
    return idle;
  }

  /** Takes a connection back after an exchange that ended cleanly. */
  giveBack(connection: Connection): void {
    if (this.#isClosed) {
      connection.destroy();
      return;
    }
    this.#idle.add(connection);
    const same = this.#idleByKey.get(connection.key);
    if (same === undefined) this.#idleByKey.set(connection.key, [connection]);
    else same.push(connection);
    if (this.#idle.size > MAX_IDLE_CONNECTIONS) {
      for (const oldest of this.#idle) {
        this.#forget(oldest);
        oldest.destroy();
        return;
      }
    }
  }

  /** A connection lost its socket: an idle one is of no more use. */
  onDisconnect(connection: Connection): void {
    if (!this.#idle.has(connection)) return;
    this.#forget(connection);
    connection.destroy();
  }

  keepSession(key: string, session: Buffer): void {
    this.tlsSessions.delete(key);
    this.tlsSessions.set(key, session);
    const oldest = this.tlsSessions.keys().next();
    if (this.tlsSessions.size > MAX_TLS_SESSIONS && !oldest.done) this.tlsSessions.delete(oldest.value);
  }

  /** Ends what is idle; what is in use ends with its exchange. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#idle) connection.destroy();
    this.#idle.clear();
    this.#idleByKey.clear();
  }

  #forget(connection: Connection): void {
    this.#idle.delete(connection);
    const same = this.#idleByKey.get(connection.key);
    if (same === undefined) return;
    same.splice(same.indexOf(connection), 1);
    if (same.length === 0) this.#idleByKey.delete(connection.key);
  }
}
