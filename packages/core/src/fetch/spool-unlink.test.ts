// A file whose name cannot be removed must not stay open: each large body would take one more descriptor.

import { expect, it, vi } from 'vitest';
import { SPOOL_MEMORY_BYTES } from './limits.js';
import { Spool } from './spool.js';

const { opened, closed } = vi.hoisted(() => ({ opened: [] as number[], closed: [] as number[] }));

vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>();
  return {
    ...fs,
    openSync: (path: string, flags: string, mode?: number) => {
      opened.push(fs.openSync(path, flags, mode));
      return opened.at(-1);
    },
    closeSync: (file: number) => {
      closed.push(file);
      fs.closeSync(file);
    },
    unlinkSync: (path: string) => {
      fs.unlinkSync(path);
      throw new Error('the name stays');
    },
  };
});

it('fails the body, and leaves no file open', async () => {
  const spool = new Spool();
  const spooled = spool.open(10_000_000);
  spooled.take(new Uint8Array(SPOOL_MEMORY_BYTES + 1));
  expect(() => spooled.end()).toThrow('the name stays');
  expect(opened).toHaveLength(1);
  expect(closed).toEqual(opened);
  await spooled.discard();
  await spool.close();
  expect(closed).toEqual(opened);
});
