// What the verbs of the stores cost, microseconds of a processor: of the process that asks and of the server that
// answers. Measured by `calibrate.mjs` on a shared machine of 2 cores; the figures of docs/stores.md are of the same
// make.

/**
 * Microseconds by store. `callUs` is a call that does nothing, `linkUs` a link of a page, the others one host or entry
 * of it.
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
    /** Wait for the disk before a write is answered, milliseconds. */
    syncMs: 0,
    /**
     * Bytes of the server: for a fingerprint, a queued URL next to its body, a host with its state (docs/stores.md).
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
    /** A disk of a server, not measured here. */
    syncMs: 1,
    bytes: { seen: 67, queued: 99, host: 450 },
    /** Its processes use all cores of one machine; a crawl cannot be spread over several machines. */
    isParallel: true,
  },
};
