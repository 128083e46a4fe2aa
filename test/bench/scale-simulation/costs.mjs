// The cost of the stores' verbs, CPU microseconds, for the calling process and for the server. Measured by
// `calibrate.mjs` on a shared machine with 2 cores, like the figures of docs/stores.md.

/**
 * Microseconds by store. `callUs` is an empty call, `linkUs` one link of a page; the others are for one host or entry.
 */
export const COSTS = {
  redis: {
    client: { callUs: 46, linkUs: 3 },
    server: {
      callUs: 8,
      linkUs: 6.1,
      keepUs: 18,
      leaseUs: 25,
      releaseUs: 25,
      entryUs: 2,
      readRecordUs: 0,
      writeRecordUs: 2,
    },
    /** The wait for the disk before a write is answered, milliseconds. */
    syncMs: 0,
    /**
     * Bytes on the server: for a fingerprint, for a queued URL besides its body, for a host with its state
     * (docs/stores.md).
     */
    bytes: { seen: 9.3, queued: 23, host: 372 },
    isParallel: false,
  },
  postgres: {
    client: { callUs: 130, linkUs: 2.1 },
    server: {
      callUs: 20,
      linkUs: 11.7,
      keepUs: 210,
      leaseUs: 310,
      releaseUs: 310,
      entryUs: 23,
      readRecordUs: 20,
      writeRecordUs: 60,
    },
    /** A server's disk; an assumption. */
    syncMs: 1,
    bytes: { seen: 67, queued: 99, host: 450 },
    /** Its processes use all cores of one machine; the store cannot be spread over several machines. */
    isParallel: true,
  },
};
