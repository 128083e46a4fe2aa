// A crawl that is on its way to another store, or has left: no process works on it here. The record names the crawl by
// its secret.

import { FrontierError } from '../errors.js';
import type { FrontierStore } from '../store.js';

/** The key of the record; absent: the crawl is here. */
export const RECORD_MOVED = 'moved';

/** `leaving`, `moved`: in the store that it leaves; `arriving`: in the other, until all of it is there. */
type MoveState = 'leaving' | 'arriving' | 'moved';

export function stateOfMove(state: MoveState, secret: string): string {
  return `${state} ${secret}`;
}

/** @throws FrontierError (rejects) `store-mismatch` where the crawl is elsewhere, or not yet all here. */
export async function refuseMoved(store: Pick<FrontierStore, 'readRecord'>): Promise<void> {
  const bytes = await store.readRecord(RECORD_MOVED);
  if (bytes === null) return;
  const hasLeft = new TextDecoder().decode(bytes).startsWith('moved ');
  const message = hasLeft ? 'the crawl was moved to another store' : 'the crawl is being moved to another store';
  const hint = hasLeft ? 'Name the store that it was moved to.' : 'End the move first: the same mannerly move again.';
  throw new FrontierError('store-mismatch', message, { hint });
}
