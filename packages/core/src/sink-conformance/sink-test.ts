// One test of a sink: items to write, sessions to write them in, and a check of what the medium holds afterwards.

import type { JsonValue } from '@mannerly/frontier';
import { assert, assertEqual } from '../fetcher-conformance/assert.js';
import type { Item, Sink } from '../output/sink.js';
import type { KeptItem, SinkCapabilities, SinkMedium } from './medium.js';

/** One guarantee of the contract, and its test. */
export interface SinkTest {
  /** A sentence; the runner's title. */
  readonly title: string;
  /** The capability that it needs; without it the test is left out. */
  readonly needs?: keyof SinkCapabilities;
  readonly run: (medium: SinkMedium, capabilities: SinkCapabilities) => Promise<void>;
}

/** An item as a page emits it. */
export function item(id: string, data: JsonValue = { n: 1 }, more: Partial<Item> = {}): Item {
  return {
    id,
    url: `https://example.org/${encodeURIComponent(id)}`,
    fetchedAtMs: Date.UTC(2026, 10, 20, 12),
    data,
    expiresAtMs: null,
    preferences: {},
    ...more,
  };
}

/** The items of one page. */
export function page(name: string, count = 2): Item[] {
  return Array.from({ length: count }, (_, at) => item(`${name}/${at}`, { n: at, name }));
}

/** One run: opens, writes page by page, closes. */
export async function session(medium: SinkMedium, ...pages: readonly (readonly Item[])[]): Promise<void> {
  const sink = medium.makeSink();
  await sink.open();
  for (const items of pages) await sink.write(items);
  await sink.close();
}

/** Opens a sink that the test goes on with. */
export async function opened(medium: SinkMedium): Promise<Sink> {
  const sink = medium.makeSink();
  await sink.open();
  return sink;
}

/** @throws ContractBroken unless the medium holds exactly these ids, in this order. */
export async function assertHolds(medium: SinkMedium, ids: readonly string[], what: string): Promise<void> {
  assertEqual(
    (await medium.read()).map(({ id }) => id),
    ids,
    what,
  );
}

/** @throws ContractBroken unless the item is there as it was written. */
export function assertKept(kept: KeptItem | undefined, written: Item, capabilities: SinkCapabilities): void {
  assert(kept !== undefined, `the item ${written.id} is not there`);
  assertEqual(kept.url, written.url, `the URL of ${written.id}`);
  assertEqual(kept.expiresAtMs, written.expiresAtMs, `from when ${written.id} should no longer be kept`);
  assertEqual(kept.preferences, written.preferences, `the use preferences of ${written.id}`);
  if (capabilities.exactData) assertEqual(kept.data, written.data, `the data of ${written.id}`);
}
