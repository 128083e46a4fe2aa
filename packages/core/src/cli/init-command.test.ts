// A new project has what the user answered, and nothing that a crawl would refuse. Existing files are never changed.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { runWith } from '../../test-support/run-command.js';
import { MANNERLY_VERSION } from '../own-package.js';
import { BROWSER_DRIVER, PROJECT_TOOLS } from './commands/init.js';
import { readConfig } from './config-file.js';
import { createTerminalPrompter, type Prompter, type Question } from './io.js';

let base: string;
let count = 0;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-init-'));
});
afterAll(() => rmSync(base, { recursive: true }));

/** A directory that does not exist yet. */
function fresh(): string {
  count += 1;
  return join(base, `project ${count}`);
}

/** A person who gives these answers in turn; after a faulty answer, they give the next one. */
function person(
  ...answers: readonly (string | null)[]
): Prompter & { readonly questions: Question[]; readonly faults: string[] } {
  const left = [...answers];
  const questions: Question[] = [];
  const faults: string[] = [];
  return {
    questions,
    faults,
    async ask(question) {
      questions.push(question);
      for (;;) {
        const answer = left.shift() ?? null;
        const fault = answer === null ? null : question.fault(answer || (question.initial ?? ''));
        if (fault === null) return answer === '' ? (question.initial ?? '') : answer;
        faults.push(fault);
      }
    },
  };
}

const SAID = ['--name', 'tidepool-study', '--contact', 'https://example.org/us', '--seed', 'https://a.example/'];

const init = (args: readonly string[], asker?: Prompter) =>
  runWith(fakeIo(asker === undefined ? {} : { prompter: asker }), 'init', ...args);

function jsonIn(directory: string, name: string): unknown {
  return JSON.parse(readFileSync(join(directory, name), 'utf8'));
}

describe('mannerly init', () => {
  it('names the seed in its README as given', async () => {
    const directory = fresh();
    await init([directory, ...SAID.slice(0, 4), '--seed', "https://a.example/?$&=$'"]);
    expect(readFileSync(join(directory, 'README.md'), 'utf8')).toContain("https://a.example/?$&=$'");
  });

  it('writes a project from flags alone, without asking', async () => {
    const directory = fresh();
    const { code, out } = await init([
      directory,
      ...SAID,
      '--seed',
      'https://b.example/',
      '--pages',
      '7',
      '--depth',
      '3',
      '--within',
      'domain',
    ]);
    expect(code).toBe(0);
    expect(out).toContain(`cd ${JSON.stringify(directory)}, npm install`);
    expect(readdirSync(directory, { recursive: true }).sort()).toEqual(
      [
        '.gitignore',
        'README.md',
        'mannerly.config.json',
        'package.json',
        'src',
        join('src', 'handlers.test.ts'),
        join('src', 'handlers.ts'),
        'tsconfig.json',
      ].sort(),
    );
    expect(jsonIn(directory, 'mannerly.config.json')).toMatchObject({
      identity: { name: 'tidepool-study', contact: 'https://example.org/us' },
      scope: { seeds: ['https://a.example/', 'https://b.example/'], within: 'domain' },
      bounds: { pages: 7, depth: 3, minutes: 30 },
    });
    expect(jsonIn(directory, 'package.json')).toMatchObject({
      name: 'tidepool-study-crawl',
      type: 'module',
      dependencies: { mannerly: `^${MANNERLY_VERSION}` },
    });
    // The crawl reads what was written.
    expect((await readConfig(join(directory, 'mannerly.config.json'))).identity?.name).toBe('tidepool-study');
  });

  it('asks for what no flag says, and again if a crawl would refuse the answer', async () => {
    const directory = fresh();
    const asker = person(
      'a b',
      'tide',
      'no one',
      'me@example.org',
      'a.example',
      'https://a.example/ https://b.example/',
      '0',
      '12',
      'perhaps',
      'Yes',
    );
    const { code, out } = await init([directory, '--minutes', '5'], asker);
    expect(code).toBe(0);
    expect(asker.questions).toHaveLength(5);
    expect(asker.faults).toHaveLength(5);
    expect(asker.faults[0]).toContain('letters, digits');
    expect(asker.faults[1]).toContain('mail address');
    expect(asker.faults[2]).toContain('https://');
    expect(asker.faults[3]).toContain('from 1 to');
    expect(jsonIn(directory, 'mannerly.config.json')).toMatchObject({
      identity: { name: 'tide', contact: 'me@example.org' },
      scope: { seeds: ['https://a.example/', 'https://b.example/'], within: 'host' },
      bounds: { pages: 12, minutes: 5 },
      browser: true,
    });
    expect(jsonIn(directory, 'package.json')).toMatchObject({ dependencies: BROWSER_DRIVER });
    expect(out).toContain('chromium');
  });

  it.each(['name', 'contact', 'seeds', 'pages'])(
    'writes nothing if the user leaves at the question for %s',
    async (at) => {
      const directory = fresh();
      const before = ['name', 'contact', 'seeds', 'pages'].indexOf(at);
      const { code, err } = await init(
        [directory],
        person(...['tide', 'me@example.org', 'https://a.example/'].slice(0, before), null),
      );
      expect({ code, err }).toEqual({ code: 130, err: 'Nothing was written.' });
      expect(readdirSync(base)).not.toContain(directory.slice(base.length + 1));
    },
  );

  it('asks nothing with --yes', async () => {
    const asker = person();
    expect((await init([fresh(), '--yes', ...SAID], asker)).code).toBe(0);
    expect((await init([fresh(), '--yes', '--name', 'tide'], asker)).code).toBe(2);
    expect(asker.questions).toEqual([]);
  });

  it.each<[string, readonly string[], string]>([
    ['names every flag that is missing', [], 'missing --name, --contact, --seed'],
    ['names the one flag that is missing', SAID.slice(0, 4), 'missing --seed, and'],
    ['refuses a name that no robots.txt can address', ['--name', 'a b'], 'identity.name'],
    ['refuses a contact that reaches no one', ['--contact', 'me'], 'identity.contact'],
    ['refuses a seed that is no URL', ['--seed', 'a.example'], 'seed'],
    ['refuses a seed that is not of the web', ['--seed', 'ftp://a.example/'], 'seed'],
    ['refuses bounds out of range', ['--pages', '0'], 'from 1 to'],
    ['refuses a scope that wants a list', [...SAID, '--within', 'list'], 'Allowed choices are host, domain'],
  ])('%s', async (_title, args, says) => {
    const directory = fresh();
    const { code, err } = await init([directory, ...args]);
    expect(code).toBe(2);
    expect(err).toContain(says);
    expect(readdirSync(base)).not.toContain(directory.slice(base.length + 1));
  });

  it('refuses a directory that is not empty before it asks, and a new repository counts as empty', async () => {
    const directory = fresh();
    expect((await init([directory, ...SAID])).code).toBe(0);
    writeFileSync(join(directory, 'mannerly.config.json'), 'mine');
    const asker = person();
    const { code, err } = await init([directory, ...SAID.slice(0, 2)], asker);
    expect(code).toBe(2);
    expect(err).toContain('is not empty: it holds .gitignore, README.md, mannerly.config.json and 3 more');
    expect(asker.questions).toEqual([]);
    expect(readFileSync(join(directory, 'mannerly.config.json'), 'utf8')).toBe('mine');

    const file = join(base, 'file');
    writeFileSync(file, '');
    expect((await init([file, ...SAID])).err).toContain('is a file');
    const repository = mkdtempSync(join(base, 'repository-'));
    writeFileSync(join(repository, '.git'), 'gitdir: elsewhere');
    expect((await init([repository, ...SAID])).code).toBe(0);
  });

  it.each([
    ['mannerly', 'mannerly-crawl'],
    ['_Tide_', 'tide_-crawl'],
    ['--', 'my-crawl'],
  ])('gives the crawl "%s" a valid package name', async (name, expected) => {
    const directory = fresh();
    expect((await init([directory, `--name=${name}`, ...SAID.slice(2)])).code).toBe(0);
    expect(jsonIn(directory, 'package.json')).toMatchObject({ name: expected });
  });

  it('requires the tools in the versions with which this repository is tested', () => {
    const root = join(import.meta.dirname, '../../../..');
    const [own, shared] = [join(root, 'packages/core'), root].map(
      (folder) => jsonIn(folder, 'package.json') as { devDependencies: Record<string, string> },
    );
    const tested = { ...own?.devDependencies, ...shared?.devDependencies };
    for (const [name, range] of Object.entries({ ...PROJECT_TOOLS, ...BROWSER_DRIVER }))
      expect({ name, range }).toEqual({ name, range: tested[name] });
  });
});

describe('a terminal', () => {
  it('shows what is wrong with an answer, and asks again', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    let shown = '';
    const answers: [seen: string, typed: string][] = [
      ['Who asks?', 'ab\r'],
      ['too long', '\b\r'],
    ];
    output.on('data', (bytes: Buffer) => {
      shown += bytes.toString();
      const [next] = answers;
      if (next === undefined || !shown.includes(next[0])) return;
      answers.shift();
      // Waits until the drawing is complete.
      setImmediate(() => input.write(next[1]));
    });
    const asker = createTerminalPrompter(
      input as unknown as NodeJS.ReadStream,
      output as unknown as NodeJS.WriteStream,
    );
    const answer = await asker.ask({ message: 'Who asks?', fault: (text) => (text.length > 1 ? 'too long' : null) });
    expect(answer).toBe('a');
  });

  it.each([
    ['\r', '100'],
    ['50\r', '50'],
  ])('offers a default that is not added to the input: %j is %s', async (typed, expected) => {
    const input = new PassThrough();
    const output = new PassThrough();
    let shown = '';
    output.on('data', (bytes: Buffer) => {
      if (shown === '') setImmediate(() => input.write(typed));
      shown += bytes.toString();
    });
    const asker = createTerminalPrompter(
      input as unknown as NodeJS.ReadStream,
      output as unknown as NodeJS.WriteStream,
    );
    expect(await asker.ask({ message: 'How many?', initial: '100', fault: () => null })).toBe(expected);
    expect(shown).toContain('How many? (Enter: 100)');
  });

  it('returns null at Ctrl-C', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    output.once('data', () => setImmediate(() => input.write('\x03')));
    const asker = createTerminalPrompter(
      input as unknown as NodeJS.ReadStream,
      output as unknown as NodeJS.WriteStream,
    );
    expect(await asker.ask({ message: 'Who asks?', fault: () => null })).toBeNull();
  });
});
