// A store whose verbs all pass through one function, which may refuse, delay or watch them. What a store leaves out stays out.

import type { FrontierStore } from '../store.js';

/**
 * @param pass - Called for each verb, `close` apart, with what calls it.
 * @throws Never; what `pass` rejects with goes to whoever called the verb.
 */
export function aroundStore(store: FrontierStore, pass: <T>(verb: () => Promise<T>) => Promise<T>): FrontierStore {
  const { reserve, readHost } = store;
  return {
    capabilities: store.capabilities,
    open: (request) => pass(() => store.open(request)),
    add: (entries) => pass(() => store.add(entries)),
    lease: (request) => pass(() => store.lease(request)),
    wake: (host) => pass(() => store.wake(host)),
    commit: (hosts, links) => pass(() => store.commit(hosts, links)),
    nextDueInMs: () => pass(() => store.nextDueInMs()),
    readRecord: (key) => pass(() => store.readRecord(key)),
    writeRecord: (key, value) => pass(() => store.writeRecord(key, value)),
    ...(reserve === undefined ? {} : { reserve: (slots) => pass(() => reserve.call(store, slots)) }),
    ...(readHost === undefined ? {} : { readHost: (host) => pass(() => readHost.call(store, host)) }),
    stats: () => pass(() => store.stats()),
    scan: (cursor, limit, host) => pass(() => store.scan(cursor, limit, host)),
    close: () => store.close(),
  };
}
