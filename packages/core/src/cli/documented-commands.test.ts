// Every command line in README and documents names commands and flags that exist, and those in blocks run. At stake: a
// newcomer copies a line and gets "unknown option".

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { type TestSite, testSite } from '../../test-support/test-site.js';
import { addFlags, createProgram, runCommand } from './program.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const folders = [
  '',
  'docs',
  'docs/reference',
  'docs/tasks',
  'packages/robots',
  'packages/frontier',
  'packages/core',
  'examples',
];
const documents = folders.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md' && name !== 'UPGRADING.md')
    .map((name) => join(folder, name)),
);

/** The command lines of a document, without comments, continued lines as one. */
function linesOf(document: string): { readonly blocks: readonly string[]; readonly inline: readonly string[] } {
  const text = readFileSync(join(ROOT, document), 'utf8');
  // Matches every block, or the end of one would count as the start of the next.
  const blocks = [...text.matchAll(/^```(.*)\n([\s\S]*?)^```/gm)]
    .filter(([, language = '']) => ['', 'sh', 'bash', 'console'].includes(language.trim()))
    .flatMap(([, , block = '']) => block.replace(/\\\n/g, ' ').split('\n'))
    .map((line) =>
      line
        .replace(/\s#.*$/, '')
        .replace(/^\$ /, '')
        .trim(),
    );
  const inline = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`((?:npx )?(?:mannerly|pnpm(?:@10)?) [^`]+)`/g)];
  return { blocks, inline: inline.map(([, line = '']) => line) };
}

const all = documents.flatMap((document) => {
  const { blocks, inline } = linesOf(document);
  return [...blocks, ...inline].map((line) => ({ document, line }));
});

/** The words after `mannerly`, up to a pipe; `null` for another program. */
function wordsOf(line: string): string[] | null {
  const command = /^(?:npx (?:-y )?)?mannerly\s+([^|&>]*)/.exec(line)?.[1];
  return command === undefined ? null : command.trim().split(/\s+/);
}

const ours = all.flatMap(({ document, line }) => {
  const words = wordsOf(line);
  return words === null ? [] : [{ document, line, words }];
});

describe('a documented command line', () => {
  it('is found', () => {
    expect(ours.length).toBeGreaterThan(50);
  });

  it.each(ours)('$document: $line', async ({ words }) => {
    const [name = '', ...args] = words.filter((word) => !word.includes('…'));
    if (!/^[a-z]/.test(name)) return;
    const command = createProgram(fakeIo(), () => undefined).commands.find((each) => each.name() === name);
    expect(command, `mannerly ${name}`).toBeDefined();
    if (command !== undefined) await addFlags(command);
    const flags = args.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0]);
    const known = command?.options.map(({ long }) => long) ?? [];
    expect(flags.filter((flag) => flag !== '--help' && !known.includes(flag))).toEqual([]);
  });

  it('names scripts of the workspace', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const named = all.flatMap(({ line }) => [...line.matchAll(/\bpnpm(?:@10)? (?:run )?([a-z][\w:-]*)/g)]);
    const unknown = named.map(([, script = '']) => script).filter((script) => !Object.hasOwn(scripts, script));
    expect(named.length).toBeGreaterThan(10);
    expect([...new Set(unknown)].filter((each) => !['exec', 'install', 'add', 'bench'].includes(each))).toEqual([]);
  });
});

describe('a command line in a block', () => {
  let site: TestSite;
  let folder: string;
  const before = process.cwd();
  const who = ['--name', 'tester', '--contact', 'me@example.org'];
  const reachable = ['--allow-address', '127.0.0.0/8'];
  const local = [...reachable, '--interval', '0', '--pages', '3'];

  beforeAll(async () => {
    site = await testSite(['/a', '/b', '/closed']);
    folder = mkdtempSync(join(tmpdir(), 'mannerly-documented-'));
    process.chdir(folder);
    writeFileSync('seeds.txt', `${site.url}/\n`);
    writeFileSync('handlers.mjs', 'export default { html: async (page) => page.emit({ title: page.title }) };\n');
    await runCommand(['crawl', `${site.url}/`, ...who, ...local, '--warc', '--out', 'tidepools'], fakeIo());
  });
  afterAll(async () => {
    process.chdir(before);
    await site.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Lines that do not run here, each with the reason. */
  const elsewhere = [
    [/…|</, 'has a place to fill in'],
    [/^init/, 'asks at a terminal; cli/init-command.test.ts answers'],
    [/ --proxy /, 'needs a proxy; test/crawl/goes-through-one-proxy.test.ts has some'],
    [/ --browser/, 'needs a Chromium; test/soak/browser.soak.ts has one'],
    [/^serve/, 'stays open; cli/serve-command.test.ts ends it'],
    [/^identity check https/, 'asks an https host; cli/identity-check-verify.test.ts has one'],
  ] as const;
  const inBlocks = documents
    .flatMap((document) => linesOf(document).blocks.map((line) => ({ document, line, words: wordsOf(line) ?? [] })))
    .filter(({ words }) => words.length > 0);
  const runnable = inBlocks.filter(({ words }) => !elsewhere.some(([pattern]) => pattern.test(words.join(' '))));

  it.each(elsewhere)('may be left out as %s because it %s', (pattern) => {
    expect(inBlocks.filter(({ words }) => pattern.test(words.join(' ')))).not.toEqual([]);
  });

  it('is found in most documents', () => {
    expect(runnable.length).toBeGreaterThanOrEqual(12);
  });

  it.each(runnable)('$document: $line', async ({ document, line, words }) => {
    const io = fakeIo();
    const argv = words.map((word, at) => {
      const bare = word.replace(/^(['"])(.*)\1$/, '$2');
      return words[at - 1] === '--contact' ? bare : bare.replace(/^https?:\/\/[^/]+/, site.url);
    });
    const isCrawl = argv[0] === 'crawl' || argv[0] === 'plan';
    // Each crawl gets its own directory: documents use different identities.
    const own = argv.includes('--retry')
      ? [...local, ...who, '--pages', '30']
      : isCrawl
        ? [...local, '--out', runnable.findIndex((each) => each.line === line && each.document === document).toString()]
        : argv[0] === 'licence'
          ? reachable
          : [];
    const code = await runCommand([...argv, ...own], io);
    expect(code, [...io.errLines, ...io.outLines].join('\n')).toBe(0);
  });
});
