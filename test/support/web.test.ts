// The test server is tested too: it must stamp arrivals, separate its hosts, and misbehave as configured.

import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { page, type Reply, redirect, text, type Web } from './web.js';
import { webForTest } from './web-for-test.js';

/** Sends a request as a plain client. Resolves to the status and body, or to the error's code. */
function ask(web: Web, host: string, path: string, timeoutMs = 2_000): Promise<string> {
  return new Promise((done) => {
    const sent = request({
      host: '127.0.0.1',
      port: web.port,
      path,
      headers: { host: `${host}:${web.port}`, 'user-agent': 'probe' },
      agent: false,
      timeout: timeoutMs,
    });
    sent.on('timeout', () => sent.destroy(Object.assign(new Error(), { code: 'TIMEOUT' })));
    sent.on('error', (error) => done('code' in error ? String(error.code) : error.message));
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => done(`${response.statusCode} cut`));
      response.on('end', () => done(`${response.statusCode} ${Buffer.concat(chunks).toString()}`));
    });
    sent.end();
  });
}

describe('the loopback web', () => {
  it.each<[string, Reply, string, number | null]>([
    ['a page', 'hello', '200 hello', 200],
    ['plain text', text('rules'), '200 rules', 200],
    ['a redirect', redirect('/x', 307), '307 ', 307],
    ['a reset', { misbehave: 'reset' }, 'ECONNRESET', null],
    ['silence', { misbehave: 'silent' }, 'TIMEOUT', null],
    ['a cut body', { body: 'half', misbehave: 'cut' }, '200 cut', 200],
  ])('answers with %s and stamps it', async (_title, reply, answer, status) => {
    const web = await webForTest({ hosts: { 'a.test': { '/': reply } } });
    expect(await ask(web, 'a.test', '/', answer === 'TIMEOUT' ? 200 : 15_000)).toBe(answer);
    await expect.poll(() => web.log[0]?.endMs, { timeout: 300_000 }).toBeLessThan(Number.POSITIVE_INFINITY);
    expect(web.log).toHaveLength(1);
    expect(web.log[0]).toMatchObject({
      host: 'a.test',
      authority: `a.test:${web.port}`,
      path: '/',
      status,
      userAgent: 'probe',
    });
    expect(web.log[0]?.endMs).toBeGreaterThan(web.log[0]?.startMs ?? 0);
  });

  it('distinguishes hosts, paths and repetitions', async () => {
    const web = await webForTest({
      hosts: { 'a.test': { '/n': ({ before }) => `${before}`, '*': page('any') }, 'b.test': { '/n': 'b' } },
    });
    expect(await ask(web, 'a.test', '/n')).toBe('200 0');
    expect(await ask(web, 'a.test', '/n')).toBe('200 1');
    expect(await ask(web, 'b.test', '/n')).toBe('200 b');
    expect(await ask(web, 'b.test', '/other')).toBe('404 not here');
    expect(await ask(web, 'c.test', '/')).toBe('404 not here');
    expect(web.paths('a.test')).toEqual(['/n', '/n']);
  });

  it('stamps the end after the configured delay', async () => {
    const web = await webForTest({ hosts: { 'a.test': { '/': { body: 'late', delayMs: 60 } } } });
    await ask(web, 'a.test', '/');
    expect((web.log[0]?.endMs ?? 0) - (web.log[0]?.startMs ?? 0)).toBeGreaterThanOrEqual(59);
  });
});
