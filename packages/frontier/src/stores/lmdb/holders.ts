// Clients that have the file open, each with its process, so that leases of one that is proven dead end at open (O1).

import { type ProcessIdentity, thisProcess } from '../processes/process-identity.js';
import type { Table } from './environment.js';
import { rowsOf } from './environment.js';
import { FIRST_HOLDER } from './host-table.js';

const PREFIX = 'holder ';
const FROM = Buffer.from(PREFIX);
const TO = Buffer.from('holder!');
/** More clients than can read the file at a time. */
const HOLDERS_MOST = 65_536;

/** A client as the file names it. */
export interface Holder extends ProcessIdentity {
  readonly number: number;
  /** As `open` was told. */
  readonly owner: string;
}

/** All clients that were registered and not removed. */
export function listHolders(meta: Table): Holder[] {
  return rowsOf(meta, FROM, TO, HOLDERS_MOST).map(({ value }) => JSON.parse(value.toString()) as Holder);
}

/** Registers this process under the least number that is free. */
export function addHolder(meta: Table, owner: string): Holder {
  const taken = new Set(listHolders(meta).map(({ number }) => number));
  let number = FIRST_HOLDER;
  while (taken.has(number)) number += 1;
  const holder = { number, owner, ...thisProcess() };
  meta.putSync(keyOf(number), Buffer.from(JSON.stringify(holder)));
  return holder;
}

/** Removes a client, which has no lease any more. */
export function removeHolder(meta: Table, number: number): void {
  meta.removeSync(keyOf(number));
}

function keyOf(number: number): Buffer {
  return Buffer.from(`${PREFIX}${String(number).padStart(6, '0')}`);
}
