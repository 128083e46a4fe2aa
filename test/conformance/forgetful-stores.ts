// Stores that each forget one thing when they are opened again, as if their author had left it out of a file.

import type { FrontierStore } from '@mannerly/frontier';
import type { BrokenStore } from './broken-stores.js';

export interface ForgetfulStore extends Omit<BrokenStore, 'wrap'> {
  /** What is opened again. `skip` moves the clock of what was stored, so that its times have passed. */
  readonly reopen: (kept: FrontierStore, skip: () => void) => FrontierStore;
}

export const FORGETFUL_STORES: readonly ForgetfulStore[] = [
  {
    fault: 'forgets what is known',
    invariant: 'A2',
    reopen: (kept) => ({
      ...kept,
      add: (entries) => kept.add(entries.map((entry) => ({ ...entry, dedupe: false }))),
    }),
  },
  {
    fault: 'forgets when hosts may be requested',
    invariant: 'L2',
    reopen: (kept, skip) => {
      skip();
      return kept;
    },
  },
  {
    fault: 'forgets how often an entry was handed out',
    invariant: 'L5',
    reopen: (kept) => ({
      ...kept,
      lease: async (request) => {
        const leases = await kept.lease(request);
        return leases.map((lease) => ({ ...lease, entries: lease.entries.map((one) => ({ ...one, attempt: 0 })) }));
      },
    }),
  },
];
