// `mannerly … | head` closes the pipe early. A stack trace there, or a crawl that dies because no one reads its
// progress, is a bug.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND } from '../../test-support/command.js';
import { fakeIo } from '../../test-support/fake-io.js';
import { type TestSite, testSite, who } from '../../test-support/test-site.js';
import { createProgram, runCommand } from './program.js';

const TIMEOUT = { timeout: 60_000 };
const LINKS = Array.from({ length: 20 }, (_, at) => `/p${at}`);

const flags = [...who, '--interval', '0'];
let site: TestSite;
let folder: string;
let out: string;

beforeAll(async () => {
  site = await testSite(LINKS);
  folder = mkdtempSync(join(tmpdir(), 'mannerly-pipe-'));
  out = join(folder, 'crawl');
  await runCommand(['crawl', `${site.url}/`, ...flags, '--pages', '5', '--warc', '--out', out], fakeIo());
});
afterAll(async () => {
  await site.close();
  rmSync(folder, { recursive: true });
});

/** Starts the command, and closes these streams at once. */
function start(closed: readonly ('stdout' | 'stderr')[], ...argv: readonly string[]) {
  const child = spawn(process.execPath, [COMMAND, ...argv], { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder });
  for (const each of closed) child[each].destroy();
  return child;
}

/** Commands with tests of their own below, and those whose output here would be that of `init` or `pause`. */
const OTHERS = ['crawl', 'worker', 'serve', 'dashboard', 'move', 'delete', 'resume', 'stop'];
/** The arguments of the rest. */
const calls: Readonly<Record<string, () => readonly string[]>> = {
  init: () => ['--help'],
  plan: () => [`${site.url}/`, ...who],
  report: () => [out],
  audit: () => [out],
  explain: () => [out, `${site.url}/p1`],
  queue: () => [out],
  add: () => [out, `${site.url}/p1`],
  pause: () => [out],
  export: () => [out],
  replay: () => [out],
  wacz: () => [out],
  robots: () => [`${site.url}/robots.txt`, ...who],
  identity: () => ['init', '--key', join(folder, 'bot.key')],
  datasets: () => [site.url, ...who],
  licence: () => [site.url, ...who],
};
const commands = createProgram(fakeIo(), () => undefined)
  .commands.map((each) => each.name())
  .filter((name) => !OTHERS.includes(name));

it.each(commands)('mannerly %s is silent when its output has no reader', TIMEOUT, async (name) => {
  const call = calls[name];
  expect(call, `a call for mannerly ${name}`).toBeDefined();
  const child = start(['stdout'], name, ...(call?.() ?? []));
  const [output, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect({ output: output.match(/^ {4}at |EPIPE|Error/m), signal }).toEqual({ output: null, signal: null });
  expect(code, output).toBe(0);
});

it('a list of 200,000 lines ends with its reader', TIMEOUT, async () => {
  const items = Array.from({ length: 200_000 }, (_, at) => JSON.stringify({ id: `${at}`, data: { at } }));
  const long = join(folder, 'long');
  await runCommand(['crawl', `${site.url}/`, ...flags, '--pages', '1', '--out', long], fakeIo());
  const first = readFileSync(join(long, 'items.jsonl'), 'utf8');
  writeFileSync(join(long, 'items.jsonl'), `${first}${items.join('\n')}\n`);
  const child = start([], 'export', long);
  child.stdout.once('data', () => child.stdout.destroy());
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect({ code, output }).toEqual({ code: 0, output: '' });
});

it.each([
  ['standard output', ['stdout']],
  ['standard error', ['stderr']],
  ['both, as in `2>&1 | head -1`', ['stdout', 'stderr']],
] as const)('a crawl without readers of %s continues to its end', TIMEOUT, async (_, closed) => {
  const own = join(folder, closed.join('-'));
  const child = start(closed, 'crawl', `${site.url}/`, ...flags, '--out', own);
  const [code] = await once(child, 'exit');
  const items = readFileSync(join(own, 'items.jsonl'), 'utf8').trim().split('\n');
  expect({ code, items: items.length }).toEqual({ code: 0, items: LINKS.length + 1 });
});

describe.skipIf(!existsSync('/dev/full'))('a full disk (not run without /dev/full)', TIMEOUT, () => {
  /** Runs the command with one of its streams on a full disk. Returns the text of the other. */
  async function withFull(stream: 'stdout' | 'stderr', ...argv: readonly string[]) {
    const full = openSync('/dev/full', 'w');
    const stdio = stream === 'stdout' ? (['ignore', full, 'pipe'] as const) : (['ignore', 'pipe', full] as const);
    const child = spawn(process.execPath, [COMMAND, ...argv], { stdio: [...stdio], cwd: folder });
    closeSync(full);
    const other = child.stdout ?? child.stderr;
    const [output, [code]] = await Promise.all([other === null ? '' : text(other), once(child, 'exit')]);
    return { output, code };
  }

  it('a crawl whose standard error is on it continues to its end', async () => {
    const argv = ['crawl', `${site.url}/`, ...flags, '--out', join(folder, 'full'), '--progress', 'lines'];
    expect(await withFull('stderr', ...argv)).toMatchObject({ code: 0, output: expect.stringContaining('Finished') });
  });

  it('a list that is written to it is incomplete, and the command says so', async () => {
    const { code, output } = await withFull('stdout', 'export', out);
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringMatching(/^mannerly: standard output.*ENOSPC.*\n$/),
    });
  });
});
