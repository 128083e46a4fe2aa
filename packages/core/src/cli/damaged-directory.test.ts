// A disk, an interrupted copy or a person changes files of a crawl directory. Each file is damaged in each way, and the
// commands must report it: an answer that silently leaves out half of the log, or a stack trace, is a bug.

import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createCrawler } from 'mannerly';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../test-support/run-command.js';
import { type TestSite, testSite } from '../../test-support/test-site.js';
import { findDamage } from '../run/directory-damage.js';

let base: string;
let site: TestSite;

const WHO = ['--name', 'tester', '--contact', 'https://example.org/us', '--allow-address', '127.0.0.0/8'];
const crawl = (out: string, ...more: string[]) =>
  run('crawl', `${site.url}/`, ...WHO, '--interval', '0', '--out', out, '--warc', ...more);

/** A finished crawl, and one that a bound has interrupted. */
const STATES: Readonly<Record<string, readonly string[]>> = { finished: [], interrupted: ['--pages', '3'] };

const COMMANDS: readonly ((directory: string) => string[])[] = [
  (directory) => ['report', directory],
  (directory) => ['audit', directory],
  (directory) => ['explain', directory, `${site.url}/1`],
  (directory) => ['explain', directory, '127.0.0.1', '--json'],
  (directory) => ['queue', directory],
  (directory) => ['export', directory],
  (directory) => ['replay', directory],
  (directory) => ['wacz', directory],
];

const DAMAGES: Readonly<Record<string, (file: string) => void>> = {
  cut: (file) => truncateSync(file, Math.floor(statSync(file).size * 0.6)),
  flipped(file) {
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1]! ^= 0x10;
    writeFileSync(file, bytes);
  },
  zeroed: (file) => writeFileSync(file, readFileSync(file).fill(0, 10, 20)),
  emptied: (file) => writeFileSync(file, ''),
  removed: (file) => rmSync(file),
  'made a folder'(file) {
    rmSync(file);
    mkdirSync(file);
  },
};

/** All files except the frontier's, which belong to lmdb. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return statSync(path).size > 0 ? [path] : [];
    return entry.name === 'frontier' ? [] : filesIn(path);
  });
}

let copies = 0;
function copyOf(state: string): string {
  copies += 1;
  const copy = join(base, `copy-${copies}`);
  cpSync(join(base, state), copy, { recursive: true });
  return copy;
}

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-damage-'));
  site = await testSite(['/1', '/2', '/3', '/4', '/closed']);
  for (const [state, flags] of Object.entries(STATES)) expect((await crawl(join(base, state), ...flags)).code).toBe(0);
});
afterAll(async () => {
  await site.close();
  rmSync(base, { recursive: true });
});

describe.each(Object.keys(STATES))('a directory of a crawl that is %s', (state) => {
  it('is read silently as long as it is intact', async () => {
    expect(await findDamage(join(base, state))).toEqual([]);
    const copy = copyOf(state);
    for (const command of COMMANDS) expect(await run(...command(copy))).toMatchObject({ code: 0, err: '' });
  });

  it.each(Object.entries(DAMAGES))(
    'has each second file %s, and every command says which',
    { timeout: 60_000 },
    async (_, damage) => {
      for (const [at, file] of filesIn(join(base, state)).entries()) {
        if (at % 2 !== Object.keys(STATES).indexOf(state)) continue;
        const name = relative(join(base, state), file);
        const directory = copyOf(state);
        damage(join(directory, name));
        const command = COMMANDS[(at >> 1) % COMMANDS.length]!(directory);
        const { code, out, err } = await run(...command);
        const message = `${command[0]}: ${err}`;
        expect(message).toContain(name === 'crawl.json' && code === 2 ? directory : join(directory, name));
        expect(message).not.toMatch(/\n {4}at |is a bug/);
        expect(code === 2 ? out : '').toBe('');
        rmSync(directory, { recursive: true });
      }
    },
  );

  it.each(['wacz', 'replay'])('%s fails if a WARC file is missing, and uses the others', async (command) => {
    const directory = copyOf(state);
    const [warc = ''] = filesIn(join(directory, 'archive')).filter((file) => file.endsWith('.warc.gz'));
    rmSync(warc);
    expect(await run(command, directory)).toMatchObject({
      code: 1,
      out: expect.stringContaining(command === 'wacz' ? '0 WARC files' : '0 pages'),
      err: expect.stringContaining(`${warc} is missing`),
    });
  });

  it('continues with a damaged file and names it, or does not begin', { timeout: 60_000 }, async () => {
    const damages = Object.values(DAMAGES);
    for (const [at, file] of filesIn(join(base, state)).entries()) {
      if (at % 2 !== Object.keys(STATES).indexOf(state)) continue;
      const name = relative(join(base, state), file);
      const directory = copyOf(state);
      damages[at % damages.length]!(join(directory, name));
      site.requestedPaths.length = 0;
      const { code, err } = await crawl(directory);
      expect(err).toContain(name === 'crawl.json' && code === 2 ? directory : join(directory, name));
      expect(err).not.toMatch(/\n {4}at |is a bug/);
      expect(code === 2 ? site.requestedPaths : []).toEqual([]);
      rmSync(directory, { recursive: true });
    }
  });

  it.each(['robots', 'archive', 'frontier'])('refuses a file in place of the folder %s', async (name) => {
    const directory = copyOf(state);
    rmSync(join(directory, name), { recursive: true });
    writeFileSync(join(directory, name), 'text');
    for (const { code, err } of [await crawl(directory), await run('report', directory)]) {
      expect(err).toContain(`${join(directory, name)} is a file, and a folder belongs there`);
      expect(code).toBe(2);
    }
  });
});

describe.each(Object.keys(STATES))('a frontier that is lost, of a crawl that is %s', (state) => {
  const LOSSES: Readonly<Record<string, (folder: string) => void>> = {
    removed: (folder) => rmSync(folder, { recursive: true }),
    emptied: (folder) => writeFileSync(join(folder, 'data.mdb'), ''),
    'without its file': (folder) => rmSync(join(folder, 'data.mdb')),
    'cut short': (folder) => truncateSync(join(folder, 'data.mdb'), 20_000),
    'with one bit flipped': (folder) => DAMAGES['flipped']!(join(folder, 'data.mdb')),
    zeroed: (folder) => DAMAGES['zeroed']!(join(folder, 'data.mdb')),
  };

  it.each(Object.entries(LOSSES).filter((_, at) => at % 2 === Object.keys(STATES).indexOf(state)))(
    '%s: nothing is requested again, and the command says what to do',
    async (_, lose) => {
      const directory = copyOf(state);
      lose(join(directory, 'frontier'));
      site.requestedPaths.length = 0;
      for (const { code, err } of [await crawl(directory), await run('queue', directory)]) {
        expect(err).toContain(join(directory, 'frontier'));
        expect(err).toMatch(/Put a copy of the folder back, or start over|Restore it from a copy or start anew/);
        expect(err).not.toMatch(/\n {4}at |is a bug/);
        expect([1, 2]).toContain(code);
      }
      expect(site.requestedPaths).toEqual([]);
      expect(await crawl(directory, '--reset')).toMatchObject({ code: 0 });
    },
  );
});

it('takes a manifest that nests without end for damaged, and a decision without its other fields as it is', async () => {
  const directory = copyOf('finished');
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  writeFileSync(join(directory, 'run.json'), `{"sha256":"","deep":${deep}}`);
  const url = `${site.url}/1`;
  const decision = { atMs: Date.now() + 1_000, url, status: 'fetched', reason: 'fetched', layer: 'page' };
  const lines = [decision, { ...decision, robots: {} }].map((line) => JSON.stringify(line));
  writeFileSync(join(directory, 'decisions.jsonl'), `${lines.join('\n')}\n`);
  for (const command of ['report', 'audit']) {
    const { err } = await run(command, directory);
    expect(err).toMatch(/^Damaged: .*run\.json cannot be read/);
    expect(err).not.toContain('bug');
  }
  const explained = await run('explain', directory, url);
  expect([explained.out, explained.code]).toEqual([expect.stringContaining('Fetched.'), 0]);
});

it('prints no line that a log from elsewhere made up', async () => {
  const directory = copyOf('finished');
  const decisions = join(directory, 'decisions.jsonl');
  const forged = '"$1":"$2\\nAudit:  forged"';
  writeFileSync(
    decisions,
    readFileSync(decisions, 'utf8').replaceAll(/"(reason|authority|from|phase)":"([^"]*)"/g, forged),
  );
  for (const command of [['report'], ['explain', `${site.url}/1`]]) {
    const [name = '', ...more] = command;
    const { out } = await run(name, directory, ...more);
    expect(out).toContain('forged');
    expect(out.split('\n').filter((line) => /^Audit: {2}forged/.test(line))).toEqual([]);
  }
});

it('changes nothing behind a symbolic link', async () => {
  const directory = copyOf('finished');
  const elsewhere = join(base, 'thesis.txt');
  writeFileSync(elsewhere, 'years of work');
  symlinkSync(elsewhere, join(directory, 'added.jsonl'));
  const isRefused = { code: 2, err: expect.stringContaining('added.jsonl is a symbolic link') };
  expect(await run('add', directory, `${site.url}/new`)).toMatchObject(isRefused);
  expect(await run('move', directory, copyOf('interrupted'))).toMatchObject(isRefused);
  rmSync(join(directory, 'added.jsonl'));
  symlinkSync(elsewhere, join(directory, 'archive', 'a.warc.gz.open'));
  expect(await run('wacz', directory)).toMatchObject({ code: 2, err: expect.stringContaining('is a symbolic link') });
  expect(readFileSync(elsewhere, 'utf8')).toBe('years of work');
  symlinkSync(base, join(directory, 'replayed-files'));
  expect(await run('replay', directory)).toMatchObject({ code: 2, err: expect.stringContaining('replayed-files is') });
});

it('does not replay into the target of a symbolic link', async () => {
  const directory = copyOf('finished');
  const elsewhere = join(base, 'elsewhere.jsonl');
  symlinkSync(elsewhere, join(directory, 'replayed.jsonl'));
  expect(await run('replay', directory)).toMatchObject({ code: 2, err: expect.stringContaining('exists already') });
  expect(existsSync(elsewhere)).toBe(false);
});

it('leaves out unreadable lines of a killed run, and says how many', async () => {
  const directory = copyOf('interrupted');
  const killed = { ...JSON.parse(readFileSync(join(directory, 'run.json'), 'utf8')), end: null, sha256: undefined };
  const sha256 = createHash('sha256').update(JSON.stringify(killed)).digest('hex');
  writeFileSync(join(directory, 'run.json'), JSON.stringify({ ...killed, sha256 }));
  const items = join(directory, 'items.jsonl');
  const [first, ...rest] = readFileSync(items, 'utf8').split('\n');
  writeFileSync(items, [`${first?.slice(0, 40)}\u0000`, ...rest, '{"id":"half'].join('\n'));
  const { out, err } = await run('export', directory);
  expect(err).toBe(`Damaged: 1 line of ${items} cannot be read: what follows leaves it out.`);
  expect(out.split('\n')).toEqual(rest.slice(0, -1));
});

it('is not damaged if a process that shares the directory wrote its settings after a run alone', async () => {
  const copy = copyOf('interrupted');
  const crawler = createCrawler({
    identity: { name: 'tester', contact: 'https://example.org/us' },
    scope: { seeds: [`${site.url}/`], within: 'host' },
    bounds: { pages: 4 },
    politeness: { profile: { factor: 0, minMs: 0, maxMs: 0 } },
    network: { allowAddresses: ['127.0.0.0/8'] },
    log: 'silent',
  });
  crawler.on('html', (page) => page.follow());
  expect(await crawler.run({ out: copy, shared: true })).toMatchObject({ pages: 4 });
  expect(await findDamage(copy)).toEqual([]);
});

it('leaves a cell empty where an item has no readable time', async () => {
  const directory = copyOf('finished');
  const items = join(directory, 'items.jsonl');
  writeFileSync(items, readFileSync(items, 'utf8').replace(/"fetchedAt":"[^"]*"/, '"fetchedAt":"x"'));
  const lines = readFileSync(items, 'utf8').trim().split('\n').length;
  for (const table of ['items.csv', 'items.parquet']) {
    const { code, err } = await run('export', directory, '--to', join(directory, table));
    expect(err).toContain(`${lines} items in `);
    expect(code).toBe(0);
  }
  expect(readFileSync(join(directory, 'items.csv'), 'utf8').split('\n')[1]).toMatch(/^[^,]+,[^,]+,,/);
});

it('is found by an audit after later runs too, if it was in the request log', async () => {
  const directory = copyOf('interrupted');
  const log = join(directory, 'requests.jsonl');
  truncateSync(log, readFileSync(log).lastIndexOf('\n', -2) + 1);
  expect((await crawl(directory, '--pages', '9')).code).toBe(0);
  const { code, out, err } = await run('audit', directory);
  expect({ code, err }).toEqual({ code: 5, err: '' });
  expect(out).toMatch(/^Not proven polite: /);
  expect(out).toMatch(/ log: when a run started, \S+requests\.jsonl has \d+ bytes, and the last run left \d+$/m);
});

describe('a line with a value that no run writes', () => {
  it.each([
    ['runs.jsonl', { tokens: [] }],
    ['runs.jsonl', { tokens: [null] }],
    ['runs.jsonl', { tokens: ['<'] }],
    ['runs.jsonl', { versions: null }],
    ['runs.jsonl', { robots: { dialect: 'x' } }],
    ['requests.jsonl', { startedAtMs: 1e300, endedAtMs: 1e300 }],
    ['decisions.jsonl', { reason: 7 }],
    ['decisions.jsonl', { atMs: 'x' }],
    ['decisions.jsonl', { detail: {}, pattern: 7, from: [] }],
    ['warnings.jsonl', { atMs: 1e300 }],
    ['warnings.jsonl', { untilMs: 'x' }],
    ['warnings.jsonl', { detail: null }],
    ['decisions.jsonl', { replaces: null }],
    ['decisions.jsonl', { replaces: { status: 'failed' } }],
  ])('in %s is read as none: %j', async (name, values) => {
    const directory = copyOf('finished');
    const log = join(directory, name);
    const [first = '', ...rest] = readFileSync(log, 'utf8').split('\n');
    writeFileSync(log, [JSON.stringify({ ...JSON.parse(first), ...values }), ...rest].join('\n'));
    const isJudged = name === 'runs.jsonl' || name === 'requests.jsonl';
    expect((await run('audit', directory)).out).toMatch(isJudged ? /^Not (proven )?polite: / : /^Polite: /);
    for (const about of ['127.0.0.1', `${site.url}/closed`, `${site.url}/`])
      expect(await run('explain', directory, about)).toMatchObject({ code: 0 });
    expect(await run('report', directory)).toMatchObject({ code: 0, out: expect.stringContaining('Report: ') });
  });
});

it.each([
  ['{"bounds":{},"paje":1}', /: unknown option `paje`/],
  ['{"trackingParameters":[5]}', /writes/],
])('names settings that no run wrote, and what to do: %s', async (settings, why) => {
  const directory = copyOf('finished');
  writeFileSync(join(directory, 'settings.json'), settings);
  for (const call of [
    ['queue', directory],
    ['explain', directory, '127.0.0.1'],
  ]) {
    const { code, err } = await run(...call);
    expect(err).toMatch(/settings\.json is not what this version writes[\s\S]*Remove it:/);
    expect(err).toMatch(why);
    expect(code).toBe(2);
  }
});
