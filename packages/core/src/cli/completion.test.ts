// Completion is generated, so it cannot forget a flag; what can go wrong is the shell's grammar. So the shells are asked.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeIo } from './io.fixture.js';
import { runCommand } from './program.js';

async function printed(...argv: string[]): Promise<string> {
  const io = fakeIo();
  expect(await runCommand(argv, io), io.errLines.join('\n')).toBe(0);
  return io.outLines.join('\n');
}

/** Commands and flags as the help has them. */
async function offered(...command: string[]): Promise<string[]> {
  const help = await printed(...command, '--help');
  return [...new Set(help.split('\n').flatMap((line) => /^ +(?:-\w, )?(--[\w-]+)/.exec(line)?.[1] ?? []))];
}

const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;
let base: string;
const scripts: Record<string, string> = {};

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-completion-'));
  mkdirSync(join(base, 'tide pools'));
  writeFileSync(join(base, 'tides.txt'), '');
  for (const shell of ['bash', 'zsh', 'fish']) {
    scripts[shell] = join(base, `completion.${shell}`);
    writeFileSync(scripts[shell], `${await printed('completion', shell)}\n`);
  }
});
afterAll(() => rmSync(base, { recursive: true }));

function answerOf(program: string, args: readonly string[]): string[] {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: base, encoding: 'utf8', timeout: 300_000 });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter((line) => line !== '');
}

/** What bash offers for the last of these words. */
function bash(...words: string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const ask = `source '${scripts['bash']}'; COMP_WORDS=(${quoted}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _mannerly; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return answerOf('bash', ['--norc', '--noprofile', '-c', ask]);
}

/** What fish offers for the end of a line, without descriptions. */
function fish(line: string): string[] {
  const ask = `source '${scripts['fish']}'; complete -C '${line}'`;
  return answerOf('fish', ['--no-config', '-c', ask]).map((offer) => offer.split('\t')[0] ?? '');
}

describe.skipIf(!has('bash'))('bash', () => {
  it('offers commands, then the flags of the command: all that the help has, and no others', async () => {
    expect(bash('mannerly', 'cr')).toEqual(['crawl']);
    expect(bash('mannerly', '')).toEqual(
      expect.arrayContaining(['crawl', 'robots', 'completion', 'help', '--version']),
    );
    for (const command of ['crawl', 'robots', 'queue', 'completion']) {
      const flags = bash('mannerly', command, '--').filter((flag) => flag.startsWith('--'));
      expect(flags.sort()).toEqual((await offered(command)).sort());
    }
  });

  it.each<[string[], string[]]>([
    [
      ['crawl', '--progress', ''],
      ['auto', 'lines', 'none'],
    ],
    [['crawl', '--progress', 'l'], ['lines']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['help', 'que'], ['queue']],
    // A value that nobody can guess.
    [['crawl', '--name', ''], []],
    [['crawl', 'https://example.org/', '--met'], ['--metrics']],
    [['nonsense', 'cr'], ['crawl']],
  ])('%j: %j', (words, answer) => {
    expect(bash('mannerly', ...words)).toEqual(answer);
  });

  it('offers directories where a crawl directory belongs, files where a file does', () => {
    expect(bash('mannerly', 'crawl', '--out', 'ti')).toEqual(expect.not.arrayContaining(['tides.txt']));
    expect(bash('mannerly', 'report', 'ti').join(' ')).toContain('tide');
    expect(bash('mannerly', 'robots', 'tides')).toEqual(['tides.txt']);
  });
});

describe.skipIf(!has('fish'))('fish', () => {
  it('offers commands, then the flags of the command: all that the help has, and no others', async () => {
    expect(fish('mannerly cra')).toEqual(['crawl']);
    for (const command of ['crawl', 'queue']) {
      const flags = fish(`mannerly ${command} --`);
      expect(flags.sort()).toEqual((await offered(command)).sort());
    }
  });

  it('offers words and directories as values', () => {
    expect(fish('mannerly crawl --progress ').sort()).toEqual(['auto', 'lines', 'none']);
    expect(fish('mannerly completion ').sort()).toEqual(['bash', 'fish', 'zsh']);
    expect(fish('mannerly report ti')).toEqual(['tide pools/']);
    expect(fish('mannerly crawl --name ')).toEqual([]);
  });
});

/** What the script says to `_arguments` of zsh for a command, one specification a line. */
function zsh(command: string): string[] {
  const ask = `autoload -Uz compinit; compinit -D -u; source '${scripts['zsh']}'
[[ $_comps[mannerly] == _mannerly ]] || print -r -- 'not loaded'
_arguments() { if [[ $1 == -C ]]; then state=rest; words=(${command}); else print -rl -- "$@"; fi }
_mannerly`;
  return answerOf('zsh', ['-f', '-c', ask]);
}

describe.skipIf(!has('zsh'))('zsh', () => {
  it('offers the flags of the command: all that the help has, and no others', async () => {
    for (const command of ['crawl', 'queue']) {
      const specifications = zsh(command);
      const flags = specifications.flatMap((line) => /^\*(--[\w-]+)\[/.exec(line)?.[1] ?? []);
      expect(flags.sort()).toEqual((await offered(command)).sort());
      // Within brackets and before an action, these end a part.
      for (const line of specifications) {
        expect(line).toMatch(/^(\*?--?[\w-]+\[(\\.|[^[\]:\\])*\](::? :\S.*)?|(\*|\d): :\S.*)$/);
      }
    }
  });

  it('offers words and directories as values', () => {
    expect(zsh('crawl').find((line) => line.startsWith('*--progress'))).toMatch(/: :\(auto lines none\)$/);
    expect(zsh('completion').at(-1)).toBe('*: :(bash zsh fish)');
    expect(zsh('report').at(-1)).toBe('*: :_files -/');
  });
});

describe('mannerly completion', () => {
  it('says how to load it, and which shells it knows', async () => {
    expect(await printed('completion', '--help')).toMatch(
      /eval "\$\(mannerly completion bash\)"[\s\S]*source <\(mannerly/,
    );
    const io = fakeIo();
    expect(await runCommand(['completion', 'tcsh'], io)).toBe(2);
    expect(io.errLines.join('\n')).toMatch(/bash, zsh, fish/);
  });
});
