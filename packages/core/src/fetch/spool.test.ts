// A body that is too large for memory must be complete in its file, which must be removed afterwards.

import { closeSync, fstatSync, openSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { SPOOL_MEMORY_BYTES } from './limits.js';
import { Spool } from './spool.js';

async function all(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const piece of bytes) chunks.push(piece);
  return Buffer.concat(chunks);
}

const bodiesInFolder = (): string[] => readdirSync(tmpdir()).filter((name) => /^mannerly-body-[\da-f]{8}-/.test(name));

const body = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, (_, at) => at % 251));

describe('a body', () => {
  it('that is small stays in memory', () => {
    const spooled = new Spool().open(10_000_000);
    for (const byte of body(1_000)) spooled.take(Uint8Array.of(byte));
    expect(spooled.end()).toEqual({ body: body(1_000), file: null });
  });

  it.each([1, 4_096, 65_536, SPOOL_MEMORY_BYTES + 10])(
    'in pieces of %d is complete in its file, each time it is read',
    async (piece) => {
      const whole = body(SPOOL_MEMORY_BYTES + 10);
      const spool = new Spool();
      const spooled = spool.open(10_000_000);
      for (let at = 0; at < whole.length; at += piece) spooled.take(whole.subarray(at, at + piece));
      const { body: start, file } = spooled.end();
      expect(start.length).toBeLessThanOrEqual(SPOOL_MEMORY_BYTES);
      expect(file?.bytes).toBe(whole.length);
      expect(whole.subarray(0, start.length).equals(start)).toBe(true);
      expect((await all(file!.read())).equals(whole)).toBe(true);
      expect((await all(file!.read())).equals(whole)).toBe(true);
      await spool.close();
    },
  );

  it('that is discarded takes no more bytes', async () => {
    const spool = new Spool();
    const spooled = spool.open(10_000_000);
    await spooled.discard();
    spooled.take(body(SPOOL_MEMORY_BYTES + 1));
    expect(bodiesInFolder()).toEqual([]);
    expect(() => spooled.end()).toThrow();
    await spool.close();
  });

  it('has no name while it is kept, so that no killed process leaves a file', async () => {
    const spool = new Spool();
    const spooled = spool.open(10_000_000);
    spooled.take(body(SPOOL_MEMORY_BYTES + 1));
    expect(spooled.end().file?.bytes).toBe(SPOOL_MEMORY_BYTES + 1);
    expect(bodiesInFolder()).toEqual([]);
    await spool.close();
  });

  it.each(['remove', 'discard', 'close'] as const)(
    'cannot be read after %s, and its file is closed once',
    async (end) => {
      const spool = new Spool();
      const spooled = spool.open(10_000_000);
      spooled.take(body(SPOOL_MEMORY_BYTES + 100_000));
      const { file } = spooled.end();
      const reader = file!.read()[Symbol.asyncIterator]();
      await reader.next();
      const underWay = reader.next();
      if (end === 'remove') await file!.remove();
      else if (end === 'discard') await spooled.discard();
      else await spool.close();
      expect((await underWay).value).toHaveLength(65_536);
      // Its number is free again: another file may have it, and is not read in its place.
      const other = openSync(process.execPath, 'r');
      await expect(reader.next()).rejects.toThrow('the body was removed');
      await expect(all(file!.read())).rejects.toThrow('the body was removed');
      await file!.remove();
      await spool.close();
      expect(fstatSync(other).isFile()).toBe(true);
      closeSync(other);
    },
  );
});
