// Pages that are granted to a process are free again once it has been silent. If it then goes on, it must not hand out
// the same pages as those who took them.

import { expect, it } from 'vitest';
import { Budget } from './budget.js';
import { PART_GONE_MS, PART_SILENT_MS } from './limits.js';
import type { PartRecords } from './processes.js';

const PAGES = 100;
const bounds = {
  ...{ pages: PAGES, pagesPerHost: null, bytesPerHost: null },
  ...{ runningPerHostMs: null, runningMs: null, bytes: null },
};

/** Records that both processes share, and a clock. */
function setUp() {
  const values = new Map<string, Uint8Array>();
  const parts = new Set(['first', 'second']);
  let nowMs = 1_000_000;
  const open = async (name: string): Promise<Budget> => {
    const records: Partial<PartRecords> = {
      name: () => name,
      isListed: () => parts.has(name),
      addToList: async () => void parts.add(name),
      list: async () => [...parts],
      read: async (part) => values.get(part) ?? null,
      write: async (_, value) => void values.set(name, value),
      lock: { exclusively: (act) => act(() => true), tryExclusively: (act) => act(() => true) },
    };
    const clock = { nowMs: () => nowMs };
    const budget = new Budget({ bounds, records: records as PartRecords, isPart: true, clock });
    await budget.open(nowMs);
    return budget;
  };
  const pass = (ms: number) => {
    nowMs += ms;
    return nowMs;
  };
  return { open, pass, parts };
}

/** Takes all pages that it can get. @returns How many. */
async function takeAll(budget: Budget): Promise<number> {
  let pages = 0;
  for (let attempts = 0; attempts < 2 * PAGES; attempts += 1) {
    await budget.prepare();
    if (!budget.canReserve()) continue;
    budget.reserve();
    pages += 1;
  }
  return pages;
}

it.each(['writes its time', 'settles a page'])(
  'a process that was suspended and first %s hands out no page that another has taken meanwhile',
  async (first) => {
    const { open, pass } = setUp();
    const [suspended, other] = [await open('first'), await open('second')];
    await suspended.saveTime(pass(0));
    await other.saveTime(pass(0));
    await suspended.prepare();
    suspended.reserve();
    await other.saveTime(pass(1_000));
    await other.saveTime(pass(PART_SILENT_MS));
    // All but the one that is done meanwhile.
    const taken = await takeAll(other);
    suspended.settle(true);
    if (first === 'writes its time') await suspended.saveTime(pass(0));
    else await suspended.save(pass(0));
    expect(taken).toBeGreaterThanOrEqual(PAGES - 1);
    expect(await takeAll(suspended)).toBe(0);
  },
);

it('a process that its server has forgotten is listed again, unless others may have merged its account', async () => {
  const { open, pass, parts } = setUp();
  const budget = await open('first');
  parts.clear();
  await budget.saveTime(pass(PART_GONE_MS / 2 - 1));
  expect([...parts]).toEqual(['first']);
  parts.clear();
  await expect(budget.saveTime(pass(PART_GONE_MS / 2))).rejects.toThrow('silent for too long');
  expect([...parts]).toEqual([]);
});
