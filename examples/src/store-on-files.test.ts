// The example of a store must be a valid store, because people start from it: it passes the published suite, within its
// declared capabilities. It also runs under node:test, which shows that the suite needs no particular runner.

import { execFile } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { frontierStoreSuite } from '@mannerly/frontier/conformance';
import { describe, expect, it } from 'vitest';
import { FILES_CAPABILITIES, storeOnFiles } from './store-on-files.js';

/** Far from the wall clock, so that a timestamp that is used as a duration shows. */
const START_MS = Date.UTC(2020, 0, 1);

describe('the example of a store', () => {
  frontierStoreSuite({
    test: (title, body) => void it(title, body, 60_000),
    capabilities: FILES_CAPABILITIES,
    without: ['X4'],
    modelSteps: 600,
    makeStore: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'mannerly-example-'));
      let now = START_MS;
      const make = () => storeOnFiles(join(folder, 'crawl.jsonl'), () => now);
      return {
        store: make(),
        reopen: async () => make(),
        advance: async (ms) => {
          now += ms;
        },
        nowMs: () => now,
        dispose: () => rm(folder, { recursive: true, force: true }),
      };
    },
  });

  it('skips a line that a kill has cut off', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mannerly-example-'));
    const path = join(folder, 'crawl.jsonl');
    const entry = { host: 'h', fingerprint: new Uint8Array(8), priority: 4, body: new Uint8Array([7]) };
    const request = { crawl: 'c', create: true };
    const store = storeOnFiles(path);
    await store.open(request);
    await store.add([entry]);
    appendFileSync(path, '{"verb":"wake","giv');
    const next = storeOnFiles(path);
    await next.open(request);
    expect(await next.add([entry])).toEqual(['known']);
    const last = storeOnFiles(path);
    await last.open(request);
    expect((await last.stats()).queued).toBe(1);
    await rm(folder, { recursive: true, force: true });
  });
});

const built = fileURLToPath(new URL('../dist/try-a-store.js', import.meta.url));

describe.skipIf(!existsSync(built))('the suite under node:test', () => {
  it('passes on the example', { timeout: 300_000 }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', built]);
    expect(stdout).toMatch(/# pass [4-9]\d\b/);
    expect(stdout).toMatch(/# fail 0\b/);
  });
});
