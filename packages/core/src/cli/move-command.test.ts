// At stake: an operator whose move fails must read what to do, and that the crawl is not lost.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { testSite, who } from '../../test-support/test-site.js';
import { runCommand } from './program.js';

/** A PostgreSQL server that refuses every client. @returns Its port */
async function refusingPostgres(): Promise<number> {
  const fields = Buffer.from('SERROR\0C28P01\0Mpassword authentication failed for user "crew"\0\0');
  const head = Buffer.from([0x45, 0, 0, 0, fields.length + 4]);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([head, fields])));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

it('a move to a server that refuses says what to do, and the crawl can continue where it was', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mannerly-move-'));
  const site = await testSite(['/a', '/b']);
  onTestFinished(async () => {
    await site.close();
    rmSync(folder, { recursive: true });
  });
  const out = join(folder, 'crawl');
  const crawl = (pages: number) =>
    runCommand(['crawl', `${site.url}/`, ...who, '--interval', '0', '--out', out, '--pages', String(pages)], fakeIo());
  await crawl(1);
  const toItself = fakeIo();
  expect(await runCommand(['move', out, `${out}/.`], toItself)).toBe(2);
  expect(toItself.errLines.join('\n')).toContain('both places are the same');
  const io = fakeIo();
  const port = await refusingPostgres();
  expect(await runCommand(['move', out, `postgres://crew:secret@127.0.0.1:${port}/db`], io)).toBe(1);
  const stderr = io.errLines.join('\n');
  expect(stderr).toMatch(
    /^mannerly: PostgreSQL refused: password.*\n {2}Are the name and the password in its URL right/,
  );
  expect(stderr).not.toContain('secret');
  expect(await crawl(9)).toBe(0);
});
