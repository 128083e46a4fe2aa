// A body that is too large for memory must be complete in its file, which must be removed afterwards.

import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { SPOOL_MEMORY_BYTES } from './limits.js';
import { Spool } from './spool.js';

// These tests take long on a busy machine.
vi.setConfig({ testTimeout: 300_000 });

async function all(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const piece of bytes) chunks.push(piece);
  return Buffer.concat(chunks);
}

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
    expect(readdirSync(spool.directory()).filter((name) => name.startsWith('body-'))).toEqual([]);
    await spool.close();
  });

  it('leaves no file when it is removed, discarded or closed', async () => {
    const spool = new Spool();
    const paths: string[] = [];
    for (const end of ['remove', 'discard', 'close'] as const) {
      const spooled = spool.open(10_000_000);
      spooled.take(body(SPOOL_MEMORY_BYTES + 1));
      if (end === 'discard') await spooled.discard();
      else {
        const { file } = spooled.end();
        const stream = file!.read() as AsyncIterable<Uint8Array> & { readonly path?: string; destroy?(): void };
        paths.push(String(stream.path));
        stream.destroy?.();
        if (end === 'remove') await file!.remove();
      }
    }
    await spool.close();
    expect(paths).toHaveLength(2);
    expect(paths.filter((path) => existsSync(path))).toEqual([]);
  });
});
