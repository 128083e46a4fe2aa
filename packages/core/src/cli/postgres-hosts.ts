// Several hosts of one PostgreSQL, one of which accepts writes. Statements go to the host that accepted the last one,
// and to the next host if that one is unreachable or read-only (a standby). The store resends a failed statement.

/** The part of a pool of pg that is used. */
export interface HostPool<Query> {
  readonly ended: boolean;
  query(query: Query): Promise<{ readonly rows: unknown[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<void>;
}

/** Codes of a server that is read-only, shutting down or starting, and of connections. */
const TRY_NEXT_HOST = /^(?:25006|57P0\d|08|E[A-Z]+$)/;

/** One pool over the pools of all hosts. @param pools - One per host; they end with it. */
export function createMultiHostPool<Query>(pools: readonly HostPool<Query>[]): HostPool<Query> {
  let current = 0;
  return {
    get ended() {
      return pools.every(({ ended }) => ended);
    },
    async query(query) {
      const used = current;
      try {
        return await pools[used]!.query(query);
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : '';
        // No code: a timeout or a broken connection. Only one of several concurrent statements switches the host.
        if (current === used && (code === '' || TRY_NEXT_HOST.test(code))) current = (used + 1) % pools.length;
        throw error;
      }
    },
    on: (event, listener) => pools.map((pool) => pool.on(event, listener)),
    removeListener: (event, listener) => pools.map((pool) => pool.removeListener(event, listener)),
    end: async () => void (await Promise.all(pools.map((pool) => pool.end()))),
  };
}
