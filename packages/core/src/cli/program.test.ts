// Most people use the crawler through the command. A wrong call must say what is wrong and what to write instead, and
// must never send a request.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UrlDecision } from 'mannerly';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../test-support/run-command.js';
import { openCrawlDirectory } from '../directory/crawl-directory.js';

const who = ['--name', 'tester', '--contact', 'https://example.org/us'];

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-cli-'));
});

afterEach(() => rmSync(base, { recursive: true }));

describe('an unknown flag', () => {
  it.each([
    ['--max-pages', 'crawl', 'Did you mean --pages?'],
    ['--max-pages=50', 'crawl', 'Did you mean --pages?'],
    ['--delay', 'crawl', 'Did you mean --interval?'],
    ['--wait', 'plan', 'Did you mean --interval?'],
    ['--user-agent', 'crawl', 'Did you mean --name?'],
    ['--output', 'crawl', 'Did you mean --out?'],
    ['--output', 'export', 'Did you mean --to?'],
    ['--depth-limit', 'crawl', 'Did you mean --depth?'],
    ['--level', 'crawl', 'Did you mean --depth?'],
    ['--max-concurrency', 'crawl', 'Did you mean --concurrency?'],
    ['--warc-file', 'crawl', 'Did you mean --warc?'],
    ['--input-file', 'crawl', 'Did you mean --seeds?'],
    ['--timeout', 'crawl', 'the configuration file has `network.requestTimeoutMs`'],
    ['--ignore-robots', 'crawl', 'robots.txt is always obeyed'],
    ['--robotstxt-obey', 'crawl', 'robots.txt is always obeyed'],
    ['--reprot', 'report', 'For help: mannerly report --help.'],
    ['--jsn', 'report', 'Did you mean --json?'],
    ['--nmae', 'crawl', 'Did you mean --name?'],
    ['--resume', 'crawl', 'The same command continues'],
    ['--no-sitemaps', 'crawl', 'It is off without --sitemaps'],
    ['--no-depth', 'crawl', 'Did you mean --depth?'],
    ['--cookies', 'crawl', 'the configuration file has `network.cookies`'],
  ])('%s of %s', async (flag, command, says) => {
    const { code, err } = await run(command, 'https://example.org/', flag);
    expect(code).toBe(2);
    expect(err).toMatch(/^mannerly: unknown option '--/);
    expect(err).toContain(says);
  });
});

describe('a wrong call', () => {
  it.each([
    [
      'no contact',
      ['crawl', 'https://example.org/', '--name', 'tester'],
      /missing --contact.*User-Agent of every request/s,
    ],
    ['no name', ['crawl', 'https://example.org/'], /missing --name.*--name tidepool-study/s],
    [
      'a contact that reaches no one',
      ['crawl', 'https://example.org/', '--name', 'tester', '--contact', 'me'],
      /contact/,
    ],
    [
      'a name that robots.txt cannot address',
      ['crawl', 'https://example.org/', '--name', 'my bot', '--contact', 'a@b.org'],
      /name/,
    ],
    ['no seed', ['crawl', ...who], /seed/],
    ['a seed that is no URL', ['crawl', 'example', ...who], /seed/],
    ['a country that is none', ['licence', 'https://example.org/', ...who, '--country', 'Germany'], /two letters/],
    ['a file that is not there', ['identity', 'verify', 'nowhere'], /ENOENT.*\n {2}Is its path right\?/],
    ['no pages', ['crawl', 'https://example.org/', ...who, '--pages', '0'], /from 1 to/],
    ['pages that are no number', ['crawl', 'https://example.org/', ...who, '--pages', 'many'], /whole number/],
    [
      'a scope that is none',
      ['crawl', 'https://example.org/', ...who, '--within', 'planet'],
      /host, domain, list.*planet/,
    ],
    ['hosts without a list', ['crawl', 'https://example.org/', ...who, '--host', 'a.test'], /--within list/],
    [
      'two paces',
      ['crawl', 'https://example.org/', ...who, '--interval', '5', '--profile', 'gentle'],
      /both set the pace/,
    ],
    ['a negative pause', ['crawl', 'https://example.org/', ...who, '--interval', '-1'], /from 0 to/],
    ['an unknown purpose', ['crawl', 'https://example.org/', ...who, '--purpose', 'profit'], /search, archive/],
    ['an unknown flag', ['crawl', 'https://example.org/', ...who, '--fast'], /--fast/],
    [
      'a flag without its value before another flag',
      ['crawl', 'https://example.org/', ...who, '--csv', '--sitemaps'],
      /--csv has no value: --sitemaps follows it\n {2}.*--csv=--sitemaps/,
    ],
    [
      'a flag without its value before one with a value',
      ['crawl', 'https://example.org/', '--contact', 'a@b.org', '--name', '--out=x'],
      /--name has no value: --out=x follows it/,
    ],
    ['an unknown command', ['conquer'], /conquer/],
    [
      'a directory and its store',
      ['explain', 'a', 'https://a.test/', '--store', 'redis://h'],
      /only one can be read\n {2}Omit/,
    ],
    ['an unknown dialect', ['robots', 'package.json', '--dialect', '2077'], /dialect/],
    ['an agent that is no token', ['robots', 'package.json', '--agent', 'my bot'], /token/],
    ['a directory as a robots.txt', ['robots', '/'], /cannot be read: .*EISDIR/],
    ['a robots.txt that is not there', ['robots', '/nowhere/robots.txt'], /cannot be read/],
    ['a robots URL without saying who asks', ['robots', 'https://example.org/robots.txt'], /missing --name/],
    ['a question that is no URL', ['robots', 'package.json', 'what?'], /neither a URL nor a path/],
    ['no directory to explain from', ['explain', 'https://example.org/'], /url-or-host/],
    ['a question that is neither a URL nor a host', ['explain', '.', 'a/b'], /neither a URL nor a host/],
    ['a directory to explain that holds no crawl', ['explain', '/', 'https://example.org/'], /no crawl\.json/],
    ['a queue of no crawl', ['queue', '/'], /no crawl\.json/],
    ['a page of the queue without end', ['queue', '/', '--limit', '1e6'], /from 1 to 1000.*1e6|1e6.*from 1 to 1000/s],
    ['a page of the queue that nothing has printed', ['queue', '/', '--cursor', 'xx'], /last listing has printed/],
    ['a file of no format', ['export', '/', '--to', 'x.xyz'], /no format is known for x\.xyz.*\.parquet, or --format/s],
    ['the terminal as a file', ['export', '/', '--csv', '-'], /"-" names no file.*are printed/s],
    ['cells of no CSV file', ['export', '/', '--to', 'x.jsonl', '--raw-cells'], /--raw-cells needs --csv/],
    ['cells of no CSV file', ['crawl', 'https://example.org/', ...who, '--raw-cells'], /--raw-cells needs --csv/],
    ['a directory that holds no crawl', ['report', '/'], /no crawl\.json/],
    ['datasets of something that is no site', ['datasets', 'ftp://example.org/', ...who], /not the URL of a site/],
  ])('%s', async (_, argv, says) => {
    const { code, out, err } = await run(...argv);
    expect(err).toMatch(says);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});

describe('help', () => {
  it('has examples and the exit codes, and is not an error', async () => {
    const { code, out } = await run('crawl', '--help');
    expect(code).toBe(0);
    expect(out).toMatch(/Examples:[\s\S]*--contact[\s\S]*Exit codes:[\s\S]*130/);
  });

  it('shows the flags in groups, those that are needed first', async () => {
    const { out } = await run('crawl', '--help');
    const groups = out.split('\n').filter((line) => /^[A-Z].*:$/.test(line));
    expect(groups[1]).toBe('Identity:');
    expect(groups).not.toContain('Options:');
    expect(groups.length).toBeGreaterThan(6);
  });

  it('prints the version', async () => {
    expect(await run('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  });
});

describe('mannerly robots', () => {
  const robots = `User-agent: tester
Comment: be kind
Disallow: /private/
Allow: /private/egress
Crawl-delay: 2

User-agent: *
Dissalow: /

Sitemap: https://example.org/sitemap.xml
`;
  let file: string;
  beforeEach(() => {
    file = join(base, 'robots.txt');
    writeFileSync(file, robots);
  });

  it('prints the file as read, with the lines, and the agents of each group', async () => {
    const { code, out } = await run('robots', file, '--agent', 'tester');
    expect(code).toBe(0);
    expect(out).toMatch(
      /Group for tester {3}<- speaks to us\n.*\n +3 {2}Disallow: \/private\/\n +4 {2}Allow: \/private\/egress/,
    );
    expect(out).toMatch(/Group for \*\n +8 {2}Disallow: \//);
    expect(out).toMatch(/Crawl-delay: 2 s .*\(line 5\)/);
    expect(out).toContain('Comment: be kind');
    expect(out).toMatch(/8 {2}info: .*\(field-typo\)/);
  });

  it('gives a decision per URL: the line, the reason, and what would have decided differently', async () => {
    const urls = ['https://example.org/private/x', 'https://example.org/private/egress', 'https://example.org/'];
    const { out } = await run('robots', file, ...urls, '--agent', 'tester');
    expect(out).toMatch(
      /disallowed {2}https:\/\/example\.org\/private\/x\n.*line 3.*\n +no other line says the opposite/,
    );
    expect(out).toMatch(
      /allowed {5}https:\/\/example\.org\/private\/egress\n.*line 4.*\n.*line 3 would decide: disallow \/private\//,
    );
    expect(out).toMatch(/allowed {5}https:\/\/example\.org\/\n.*no rule/);
  });

  it('reads it for another agent with --agent, and prints JSON', async () => {
    const { out } = await run('robots', file, '/private/egress', '--agent', 'other', '--json');
    expect(JSON.parse(out)).toMatchObject({
      groups: [
        { agents: ['tester'], speaksToUs: false },
        { agents: ['*'], speaksToUs: true },
      ],
      diagnostics: [{ code: 'field-typo', line: 8, meaning: expect.any(String) }],
      verdicts: [{ url: '/private/egress', decision: { allowed: false, line: 8, reason: 'rule' } }],
    });
  });

  it('says per URL what its content may be used for, and whether a Noindex line matches it', async () => {
    const lines = [
      'Content-Usage: train-ai=y',
      'Content-Usage: /img/ train-ai=n, search=y',
      'Noindex: /n',
      'Disallow: /x',
    ];
    writeFileSync(file, ['User-agent: *', ...lines].join('\n'));
    const { out } = await run('robots', file, '/img/a', 'https://example.org/n', '/x');
    expect(out).toMatch(/allowed {5}\/img\/a\n.*\n +use of its content: train-ai disallow, search allow\n/);
    expect(out).toMatch(/org\/n\n.*\n +use of its content: train-ai allow\n +a Noindex line matches it/);
    expect(out.split('use of its content')).toHaveLength(3);
    expect(JSON.parse((await run('robots', file, '/img/a', '--json')).out).verdicts).toMatchObject([
      { url: '/img/a', preferences: { 'train-ai': 'disallow', search: 'allow' }, isNoindex: false },
    ]);
  });

  it('says how each odd line is read, and which rules have no effect', async () => {
    writeFileSync(file, 'User-agent: *\nDisalow: cgi-bin/ /a\nAllow: images/\n');
    const { out } = await run('robots', file, '/cgi-bin/ /ab');
    expect(out).toMatch(/\(path-no-slash\)\n {8}Disalow: cgi-bin\/ \/a\n {8}counts as Disallow: \/cgi-bin\/%20\/a\n/);
    expect(out.split('counts as')).toHaveLength(2);
    expect(out).toMatch(/\(path-no-slash\)\n {8}Allow: images\/\n {8}does not count/);
    expect(out).toContain('line 2, cgi-bin/ /a (read as Disallow: /cgi-bin/%20/a) in the group for *');
    expect(out).toContain('line 3 does not count: allow images/');
  });

  it('lists a hundred sitemaps, and says how many there are', async () => {
    const lines = Array.from({ length: 101 }, (_, at) => `Sitemap: https://example.org/${at}.xml`);
    writeFileSync(file, lines.slice(1).join('\n'));
    expect((await run('robots', file)).out).toMatch(/100\.xml$/);
    writeFileSync(file, lines.join('\n'));
    const { out } = await run('robots', file);
    expect(out).toMatch(/99\.xml\n… 101 sitemaps in all; --json names every one\.$/);
    expect(JSON.parse((await run('robots', file, '--json')).out).sitemaps).toHaveLength(101);
  });

  it('shows no control characters of the file', async () => {
    writeFileSync(file, 'User-agent: *\nDisallow: /\u001b[31mred\n');
    const { out } = await run('robots', file, '/x');
    expect(out).toContain('/[31mred');
    expect(out).not.toContain('\u001b');
  });
});

describe('explaining and reporting from a crawl directory', () => {
  const excluded: UrlDecision = {
    url: 'https://example.org/private/x',
    host: 'example.org',
    status: 'excluded',
    reason: 'robots-rule',
    layer: 'robots',
    httpStatus: null,
    line: 2,
    pattern: '/private/',
    dialect: 'rfc9309',
    robots: { authority: 'https://example.org', phase: 'rules', hash: '00112233aabbccdd', receivedAtMs: 1 },
    depth: 1,
    from: 'https://example.org/',
    atMs: 2,
    detail: null,
  };

  beforeEach(async () => {
    const crawl = { name: 'tester', tokens: ['tester'], seeds: ['https://example.org/'] };
    const directory = await openCrawlDirectory(join(base, 'crawl'), crawl);
    await directory.saveRobots(
      'https://example.org',
      '00112233aabbccdd',
      Buffer.from('User-agent: *\nDisallow: /private/ # ours\n'),
    );
    writeFileSync(directory.decisionsPath, `${JSON.stringify(excluded)}\n`);
  });

  it('says why, and quotes the line from the copy that decided', async () => {
    const { code, out } = await run('explain', join(base, 'crawl'), 'https://example.org/private/x#part');
    expect(code).toBe(0);
    expect(out).toMatch(/Excluded.*robots-rule/);
    expect(out).toContain('Line 2 of https://example.org/robots.txt: /private/');
    expect(out).toContain('Line 2 reads: Disallow: /private/ # ours');
  });

  it('says how a repaired line was read', async () => {
    const robots = { authority: 'https://example.org', phase: 'rules', hash: 'aabbccdd', receivedAtMs: 1 };
    const directory = await openCrawlDirectory(join(base, 'repaired'), {
      name: 'tester',
      tokens: ['tester'],
      seeds: ['https://example.org/'],
    });
    await directory.saveRobots('https://example.org', 'aabbccdd', Buffer.from('User-agent: *\nDisalow: private/\n'));
    writeFileSync(directory.decisionsPath, `${JSON.stringify({ ...excluded, pattern: 'private/', robots })}\n`);
    const { out } = await run('explain', join(base, 'repaired'), 'https://example.org/private/x');
    expect(out).toMatch(/Line 2 reads: Disalow: private\/\n +It counts as: Disallow: \/private\/$/);
  });

  it('says that it does not know a URL that the crawl never found', async () => {
    const { code, out } = await run('explain', join(base, 'crawl'), 'https://example.org/other', '--json');
    expect({ code, status: (JSON.parse(out) as { status: string }).status }).toEqual({ code: 0, status: 'unknown' });
  });

  it('reports what was excluded, and by which line', async () => {
    const { code, out } = await run('report', join(base, 'crawl'));
    expect(code).toBe(0);
    expect(out).toContain('excluded: robots-rule 1');
    expect(out).toContain('https://example.org/robots.txt: /private/');
  });
});
