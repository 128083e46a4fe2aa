// Several hosts of one PostgreSQL, of which one accepts writes: statements go to the one that did last, and to the next
// after one that cannot be reached or only reads (a standby). The store sends a failed statement again.

/** What is used of a pool of pg. */
export interface HostPool<Query> {
  readonly ended: boolean;
  query(query: Query): Promise<{ readonly rows: unknown[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<void>;
}

/** Codes of a server that reads only, shuts down or starts, and of connections. */
const ELSEWHERE = /^(?:25006|57P0\d|08|E[A-Z]+$)/;

/** One pool over those of all hosts. @param pools - One per host; they are ended with it. */
export function overHosts<Query>(pools: readonly HostPool<Query>[]): HostPool<Query> {
  let current = 0;
  return {
    get ended() {
      return pools.every(({ ended }) => ended);
    },
    async query(query) {
      const asked = current;
      try {
        return await pools[asked]!.query(query);
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : '';
        // Without a code: a timeout, or a connection that broke. Of concurrent statements one moves on.
        if (current === asked && (code === '' || ELSEWHERE.test(code))) current = (asked + 1) % pools.length;
        throw error;
      }
    },
    on: (event, listener) => pools.map((pool) => pool.on(event, listener)),
    removeListener: (event, listener) => pools.map((pool) => pool.removeListener(event, listener)),
    end: async () => void (await Promise.all(pools.map((pool) => pool.end()))),
  };
}
