// The store on PostgreSQL, for any number of processes on any number of machines. Every verb is one call of one
// function in the crawl's schema, so it is one transaction and one round trip. The functions are in
// `postgres/sql-*.ts`.

import type { FrontierStore } from '../store.js';
import { Connection, type PostgresStoreOptions, resolvePostgresOptions } from './postgres/connection.js';
import { postgresEngine } from './postgres/engine.js';
import { claimCrawl, readDurability, WEAKNESS } from './postgres/open-crawl.js';
import { serverQueues } from './server/server-queues.js';
import { serverStore } from './server/server-store.js';

export type { PostgresPool, PostgresQuery, PostgresStoreOptions } from './postgres/connection.js';
export type { ServerNotice } from './server/server-store.js';

/**
 * A store on a PostgreSQL server, 13 or newer.
 *
 * `capabilities.durable` is known after `open`, from the server's settings: `none` with `synchronous_commit = off`,
 * `process` with `full_page_writes = off` or an allowed `fsync = off`, else `power`. While the server cannot be
 * reached, verbs wait for it, up to `holdMs`. After a restart or a failover of the server the links of the last ten
 * seconds are added again, and no host is granted before the longest lease has ended and the host's delay has passed.
 *
 * @param options - The pool belongs to the caller, who ends it after the store.
 * @returns A store that is not open yet.
 * @throws FrontierError `option-invalid`; `open` rejects with `store-mismatch` for tables of another crawl, identity or
 *   version and for a server that is too old; every verb rejects with `store-failed` if the server refuses or stays
 *   unreachable.
 * @example const store = postgresStore({ pool: new Pool({ database: 'crawls' }), schema: 'docs' })
 */
export function postgresStore(options: PostgresStoreOptions): FrontierStore {
  const resolved = resolvePostgresOptions(options);
  let connection: Connection | null = null;
  return serverStore({
    options: resolved,
    weakness: WEAKNESS,
    open: async (request) => {
      const opened = new Connection(resolved);
      try {
        const durable = await readDurability(opened, resolved.allowUnsafe);
        await claimCrawl(opened, request, resolved);
        connection = opened;
        return { queues: serverQueues(postgresEngine(opened, resolved), resolved, 1), durable };
      } catch (error) {
        opened.close();
        throw error;
      }
    },
    close: () => connection?.close(),
  });
}
