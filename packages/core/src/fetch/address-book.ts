// Names to addresses: one look-up at a time for each name, remembered for a bounded time and in bounded number.
// What it hands out is judged elsewhere; it never decides.

import { lookup } from 'node:dns/promises';
import { DNS_DEADLINE_MS, DNS_FAILURE_TTL_MS, DNS_TTL_MS, MAX_DNS_NAMES } from './limits.js';
import { inLanes } from './lookup-lanes.js';

/** Names to addresses, as an operator or a test may put it in the place of the system's resolver. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** What came of a look-up. */
export type AddressAnswer =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  | { readonly kind: 'failed'; readonly detail: string };

/** Looks names up. */
export interface AddressBook {
  /** Never rejects. The same promise for everybody who asks while it is under way or fresh. */
  addressesOf(hostname: string): Promise<AddressAnswer>;
}

interface Entry {
  readonly answer: Promise<AddressAnswer>;
  /** Epoch milliseconds; `null` while the look-up is under way. */
  untilMs: number | null;
}

/** Makes an address book. `nowMs` gives epoch milliseconds. Never throws. */
export function createAddressBook(resolve: Resolve | null, nowMs: () => number): AddressBook {
  const ask = resolve ?? inLanes(askSystem);
  const entries = new Map<string, Entry>();
  return {
    addressesOf(hostname) {
      const known = entries.get(hostname);
      if (known !== undefined && (known.untilMs === null || known.untilMs > nowMs())) {
        putLast(entries, hostname, known);
        return known.answer;
      }
      const answer = lookUp(ask, hostname).then((found) => {
        entry.untilMs = nowMs() + (found.kind === 'failed' ? DNS_FAILURE_TTL_MS : DNS_TTL_MS);
        return found;
      });
      const entry: Entry = { answer, untilMs: null };
      putLast(entries, hostname, entry);
      return answer;
    },
  };
}

/** A map keeps the order of insertion: the first is the one unused longest. */
function putLast(entries: Map<string, Entry>, hostname: string, entry: Entry): void {
  entries.delete(hostname);
  entries.set(hostname, entry);
  if (entries.size <= MAX_DNS_NAMES) return;
  const oldest = entries.keys().next();
  if (!oldest.done) entries.delete(oldest.value);
}

async function lookUp(ask: Resolve, hostname: string): Promise<AddressAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<AddressAnswer>((resolve) => {
    timer = setTimeout(resolve, DNS_DEADLINE_MS, { kind: 'failed', detail: `no answer within ${DNS_DEADLINE_MS} ms` });
  });
  try {
    return await Promise.race([deadline, settleAsk(ask, hostname)]);
  } finally {
    clearTimeout(timer);
  }
}

/** A resolver is somebody else's code: what it throws is an answer like any other. */
async function settleAsk(ask: Resolve, hostname: string): Promise<AddressAnswer> {
  try {
    const addresses = await ask(hostname);
    if (!Array.isArray(addresses)) return { kind: 'failed', detail: 'the resolver gave no list of addresses' };
    return { kind: 'addresses', addresses };
  } catch (error) {
    return { kind: 'failed', detail: error instanceof Error ? error.message : String(error) };
  }
}

async function askSystem(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}
