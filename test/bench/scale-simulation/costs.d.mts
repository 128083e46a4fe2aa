// Types of `costs.mjs`.

/** The cost of a store's verbs, CPU microseconds. */
export interface StoreCosts {
  readonly client: { readonly callUs: number; readonly linkUs: number };
  readonly server: {
    readonly callUs: number;
    readonly linkUs: number;
    readonly keepUs: number;
    readonly leaseUs: number;
    readonly releaseUs: number;
    readonly entryUs: number;
    readonly readRecordUs: number;
    readonly writeRecordUs: number;
  };
  /** The wait for the disk, milliseconds. */
  readonly syncMs: number;
  readonly bytes: { readonly seen: number; readonly queued: number; readonly host: number };
  readonly isParallel: boolean;
}

export const COSTS: { readonly redis: StoreCosts; readonly postgres: StoreCosts };
