// Every command and flag stands in the reference, with its default, and nothing stands there that the command does not know. If this
// breaks, somebody reads of a flag that is refused, or never hears of one.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fakeIo } from './io.fixture.js';
import { runCommand } from './program.js';

const page = readFileSync(new URL('../../../../docs/reference/command.md', import.meta.url), 'utf8');

/** The rows of the tables between two headings, as cells. */
function rows(from: string, to: string): string[][] {
  const start = page.indexOf(`\n${from}\n`);
  const end = page.indexOf(`\n${to}\n`);
  expect([from, start > 0, end > start]).toEqual([from, true, true]);
  const lines = page.slice(start, end).split('\n');
  const cells = lines
    .filter((line) => line.startsWith('| `') || line.startsWith('| all but'))
    .map((line) => line.slice(1, -1).split('|'));
  return cells.map((row) => row.map((cell) => cell.trim()));
}

const inCode = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

async function helpOf(...words: string[]): Promise<string> {
  const io = fakeIo();
  await runCommand([...words, '--help'], io);
  return io.outLines.join('\n');
}

/** `--pages` and the like, with what the help says of each; `--help` itself left out. */
async function flagsOf(command: string): Promise<Map<string, string>> {
  const options = (await helpOf(command)).split(/^(?:Examples|Exit codes):$/m)[0] ?? '';
  const found = [...options.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)([\s\S]*?)(?=^ {2}-|^\S|$(?![\s\S]))/gm)];
  return new Map(
    found.flatMap(([, name = '', says = '']) => (name === '--help' ? [] : [[name, says.replace(/\s+/g, ' ')]])),
  );
}

const commands = async (): Promise<string[]> =>
  [...(await helpOf()).matchAll(/^ {2}([a-z]+) /gm)].flatMap(([, name]) => name ?? []);

describe('docs/reference/command.md', () => {
  it('has every command, and no other', async () => {
    const said = rows('## Commands', '## `crawl` and `plan`').map(([cell]) => inCode(cell)[0]?.split(' ')[1]);
    const known = await commands();
    expect(known.length).toBeGreaterThan(10);
    expect([...said].sort()).toEqual([...known].sort());
  });

  it.each(['crawl', 'plan'])('has every flag of %s with its default, and no other', async (command) => {
    const flags = await flagsOf(command);
    const table = rows('## `crawl` and `plan`', '## The other commands');
    expect(table.map(([cell]) => inCode(cell)[0]?.split(' ')[0]).sort()).toEqual([...flags.keys()].sort());
    const wrong = table.filter(([flag, , said = '']) => {
      const says = flags.get(inCode(flag)[0]?.split(' ')[0] ?? '') ?? '';
      const [, number] = /\(default: (\d[\d.]*)\b/.exec(says) ?? [];
      return number !== undefined && said !== Number(number).toLocaleString('en-US');
    });
    expect(wrong).toEqual([]);
  });

  it('has every flag of the other commands, and no other', async () => {
    const table = rows('## The other commands', '## Exit codes');
    const others = (await commands()).filter((name) => !['crawl', 'plan', 'help'].includes(name));
    const known = await Promise.all(
      others.map(async (name) => [...(await flagsOf(name)).keys()].map((flag) => `${name} ${flag}`)),
    );
    const said = table.flatMap(([who = '', flags]) => {
      const named = inCode(who);
      const whose = who.startsWith('all but') ? others.filter((name) => !named.includes(name)) : named;
      return whose.flatMap((name) => inCode(flags).map((flag) => `${name} ${flag.split(' ')[0]}`));
    });
    expect(said.sort()).toEqual(known.flat().sort());
  });

  it('would see a flag that is not there', async () => {
    expect([...(await flagsOf('wacz')).keys()].sort()).toEqual(['--json', '--title', '--to']);
  });
});
