// The town replaces the web in the demo: it must answer according to its plan and log every request.

import { get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startTown } from './town.js';

const ask = (
  port: number,
  host: string,
  path: string,
): Promise<{ status: number; location: string | undefined; body: string }> =>
  new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers: { host: `${host}:${port}`, 'user-agent': 'tester' } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        body += piece;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, location: response.headers.location, body }),
      );
    }).on('error', reject);
  });

describe('the town', () => {
  it('answers by host, and logs its requests', async () => {
    const town = await startTown();
    try {
      expect(await ask(town.port, 'castle.test', '/robots.txt')).toMatchObject({ status: 503 });
      expect(await ask(town.port, 'harbour.test', '/robots.txt')).toMatchObject({ status: 404 });
      expect(await ask(town.port, 'harbour.test', '/pilot')).toMatchObject({
        status: 302,
        location: `http://quarry.test:${town.port}/blasting/plan`,
      });
      expect((await ask(town.port, 'maze.test', '/left/left/ahead')).body).toContain('href="/left/left/ahead/right"');
      expect(await town.resolve('maze.test')).toEqual(['127.0.0.1']);
      expect(await town.resolve('example.org')).toEqual([]);
    } finally {
      await town.close();
    }
    expect(town.log.map(({ host, path, status, userAgent }) => [host, path, status, userAgent])).toEqual([
      ['castle.test', '/robots.txt', 503, 'tester'],
      ['harbour.test', '/robots.txt', 404, 'tester'],
      ['harbour.test', '/pilot', 302, 'tester'],
      ['maze.test', '/left/left/ahead', 200, 'tester'],
    ]);
    for (const { startedAtMs, endedAtMs } of town.log) expect(endedAtMs).toBeGreaterThan(startedAtMs);
  });
});
