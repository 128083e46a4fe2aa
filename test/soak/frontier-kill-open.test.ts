// A process that opens the file must not undo another's last commit. lmdb itself does, in about one of several hundred
// opens, if nothing separates openers and writers.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NewEntry } from '@mannerly/frontier';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { expect, it } from 'vitest';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const OPENERS = 2;
const LONG_MS = 2_500;

it('committed data stays while other processes open and close the file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-open-'));
  const path = join(folder, 'frontier');
  const { entryOf } = (await import(here('frontier-kill-entries.mjs'))) as {
    entryOf(host: string, name: string): NewEntry;
  };
  const store = lmdbStore({ path, commitEveryMs: 0 });
  await store.open({ crawl: 'kill', create: true });
  const openers = Array.from({ length: OPENERS }, () =>
    spawn(process.execPath, [here('frontier-kill-opener.mjs'), path], { stdio: ['ignore', 'ignore', 'inherit'] }),
  );
  const ended = openers.map((opener) => new Promise((resolve) => opener.once('close', resolve)));
  try {
    const startMs = performance.now();
    for (let count = 1; performance.now() - startMs < LONG_MS; count += 1) {
      await store.add([entryOf('h', `n${count}`)]);
      const { known, queued } = await store.stats();
      expect({ known, queued }).toEqual({ known: count, queued: count });
    }
    // A failed open would have ended an opener, and the test would prove nothing.
    expect(openers.map(({ exitCode }) => exitCode)).toEqual(openers.map(() => null));
  } finally {
    for (const opener of openers) opener.kill('SIGKILL');
    await Promise.all(ended);
    await store.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}, 300_000);
