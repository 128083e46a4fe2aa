// What a site sends must not move the cursor, change colours, or turn text around on the operator's terminal.

import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { COMMAND } from '../../test-support/command.js';
import { fakeIo } from '../../test-support/fake-io.js';
import { testSite, who } from '../../test-support/test-site.js';
import { escapeControls } from '../report/table.js';
import { runCommand } from './program.js';

const run = promisify(execFile);
/** ESC, CSI of C1, DEL, BEL, a right-to-left override and an isolate. */
const NASTY = 'a\u001b[31mb\u009b2Jc\u007fd\u0007e\u202ef\u2066g';
const OBEYED = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;

it('shows control characters as escapes, keeps lines and tabs, and leaves JSON the same value', () => {
  expect(escapeControls(NASTY)).toBe('a\\u001b[31mb\\u009b2Jc\\u007fd\\u0007e\\u202ef\\u2066g');
  expect(escapeControls('one\n\ttwo é 漢 👩‍👩‍👧')).toBe('one\n\ttwo é 漢 👩‍👩‍👧');
  const value = { [NASTY]: [NASTY] };
  expect(JSON.parse(escapeControls(JSON.stringify(value, null, 2)))).toEqual(value);
});

it('items and errors with such characters are printed without them', { timeout: 60_000 }, async () => {
  const site = await testSite(['/a']);
  const folder = mkdtempSync(join(tmpdir(), 'mannerly-terminal-'));
  onTestFinished(async () => {
    await site.close();
    rmSync(folder, { recursive: true });
  });
  const out = join(folder, 'crawl');
  await runCommand(['crawl', `${site.url}/`, ...who, '--interval', '0', '--pages', '1', '--out', out], fakeIo());
  appendFileSync(join(out, 'items.jsonl'), `${JSON.stringify({ id: 'x/0', url: site.url, data: { title: NASTY } })}\n`);
  const { stdout } = await run(process.execPath, [COMMAND, 'export', out]);
  expect(stdout).not.toMatch(OBEYED);
  expect((JSON.parse(stdout.trim().split('\n').at(-1)!) as { data: object }).data).toEqual({ title: NASTY });
  const wrong = await run(process.execPath, [COMMAND, 'explain', out, `nowhere:${NASTY}`]).catch((error) => error);
  expect(`${wrong.stdout}${wrong.stderr}`).not.toMatch(OBEYED);
});
