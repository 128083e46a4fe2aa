// An audit that finds nothing must mean something. One crawl with every kind of rule is audited: no violation. Then its
// log is falsified, one line at a time, and the audit must name each falsification. In virtual time, so that the log is
// the same on every machine. One file: every case falsifies the same crawl.

import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditCrawl, type RequestRecord, readCrawlDirectory } from 'mannerly';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crawlVirtually, type VirtualStory } from '../support/virtual-crawl.js';
import { page, redirect, text, type WebOptions } from '../support/web.js';

type AuditReport = Awaited<ReturnType<typeof auditCrawl>>;
type ViolationKind = keyof AuditReport['counts'];

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** Every kind of rule that a host can have. */
const HOSTS: WebOptions['hosts'] = {
  'slow.test': {
    '/robots.txt': text('User-agent: *\nDisallow: /closed\nCrawl-delay: 0.4\n', { etag: '"1"' }),
    '/': page('slow', ['/a', '/closed/x', '/moved']),
    '/a': page('a', ['/b']),
    '/b': page('b'),
    '/moved': redirect('/c'),
    '/c': page('c'),
  },
  'rated.test': {
    '/robots.txt': text('User-agent: *\nRequest-rate: 2/1s\nDisallow: /closed\n'),
    '/': page('rated', ['/a', '/b', '/closed']),
    '/a': page('a'),
    '/b': page('b'),
  },
  'busy.test': {
    '/robots.txt': text('User-agent: *\nDisallow:\n'),
    '/': page('busy', ['/later', '/a']),
    '/later': ({ before }) => (before === 0 ? { status: 429, headers: { 'retry-after': '45' } } : page('later')),
    '/a': page('a'),
  },
  'moved.test': {
    '/robots.txt': redirect('http://open.test/rules.txt'),
    '/': page('moved', ['/closed', '/a']),
    '/a': page('a'),
  },
  'open.test': {
    '/rules.txt': text('User-agent: *\nDisallow: /closed\n'),
    '/': page('open', ['/a', '/own']),
    '/a': page('a', ['/b']),
    '/b': page('b'),
    '/own': page('own'),
    '/file': text('a file'),
  },
  'silent.test': { '/robots.txt': { status: 503 }, '/': page('never') },
};

/** One line of a request log, for a change. */
type Line = Record<string, unknown> & { run?: Record<string, unknown> };
type Falsify = (lines: Line[]) => Line[];

let story: VirtualStory;
let original: string;
const scratch: string[] = [];

beforeAll(async () => {
  original = await folder();
  story = await crawlVirtually({
    seeds: Object.keys(HOSTS).map((host) => `http://${host}/`),
    hosts: Object.fromEntries(Object.entries(HOSTS).map(([host, pages]) => [host, { pages }])),
    delayMs: 20,
    politeness: { profile: { factor: 0, minMs: 200, maxMs: 200 } },
    maxIdleMs: 100 * SECOND,
    bounds: { pages: 100, minutes: 60 },
    out: original,
    handlers: (crawler) =>
      crawler.on('html', async (found) => {
        if (found.url.endsWith('/own')) await found.fetch(new URL('/file', found.url).href);
        await found.follow();
      }),
  });
});

afterAll(async () => {
  for (const path of scratch) await rm(path, { recursive: true, force: true });
});

describe('an audit of a crawl', () => {
  it('finds nothing in the log of a real crawl with every kind of rule', async () => {
    const report = await audit(original);
    expect(report.violations).toEqual([]);
    expect(report).toMatchObject({ passed: true, runs: 1, hosts: 6 });
    expect(report.requests).toBe(story.log.length);
    const records = (await linesOf(original)).map((line) => line as Partial<RequestRecord>);
    expect(records.filter(({ purpose }) => purpose === 'handler')).toHaveLength(1);
    expect(records.filter(({ retryAfter }) => retryAfter === '45')).toHaveLength(1);
    expect(records.filter(({ robotsAnswer }) => robotsAnswer?.authority.includes('moved.test'))).toHaveLength(2);
  });

  const FALSIFICATIONS: readonly (readonly [title: string, kind: ViolationKind, doctor: Falsify, says: RegExp])[] = [
    ['sooner than the interval', 'too-early', early('open.test', '/b', 100), /interval/],
    ['sooner than the Crawl-delay', 'too-early', early('slow.test', '/b', 300), /Crawl-delay/],
    ['a hundredth of a second sooner than the Crawl-delay', 'too-early', short('slow.test', '/b', 10), /Crawl-delay/],
    ['sooner than the Request-rate', 'too-early', early('rated.test', '/b', 400), /Request-rate/],
    ['within the pause of a Retry-After', 'too-early', early('busy.test', '/a', 40 * SECOND), /Retry-After: 45/],
    [
      'within the pause of a 502 with Retry-After',
      'too-early',
      (lines) => early('busy.test', '/a', 40 * SECOND)(change('busy.test', '/later', { status: 502 })(lines)),
      /502, Retry-After: 45/,
    ],
    [
      'within the pause of a 404 with Retry-After',
      'too-early',
      (lines) => early('busy.test', '/a', 40 * SECOND)(change('busy.test', '/later', { status: 404 })(lines)),
      /404, Retry-After: 45/,
    ],
    ['robots.txt asked again at once', 'too-early', asksRobotsAgain, /unreachable robots\.txt/],
    ['two at once on a host', 'overlapping', early('slow.test', '/b', -10), /before the host's last request/],
    ['a closed URL', 'excluded', change('slow.test', '/b', (line) => readdress(line, '/closed/y')), /line 2, \/closed/],
    [
      'closed by a robots.txt of elsewhere',
      'excluded',
      change('moved.test', '/a', (line) => readdress(line, '/closed')),
      /\/closed/,
    ],
    ['a handler’s closed URL', 'excluded', (lines) => [...lines, asHandler(at(lines, 'slow.test', '/b'))], /\/closed/],
    ['no robots.txt before it', 'before-robots', drop('slow.test', '/robots.txt'), /had not been requested/],
    ['a robots.txt that was never answered', 'before-robots', readsSilent, /could not be fetched/],
    ['a robots.txt on its way', 'before-robots', drop('open.test', '/rules.txt'), /still being requested/],
    ['a robots.txt of the day before', 'before-robots', later('slow.test', '/b', 25 * HOUR), /expired/],
    ['a browser’s name', 'wrong-identity', change('slow.test', '/b', { userAgent: 'Mozilla/5.0' }), /Mozilla/],
    [
      'a browser’s name throughout',
      'wrong-identity',
      throughout({ userAgent: 'Mozilla/5.0 (X11)' }),
      /not a name with a contact/,
    ],
    [
      'another crawl’s name',
      'wrong-identity',
      throughout({ name: 'other-bot', userAgent: 'other-bot/1 (+https://a.test/)' }),
      /other-bot/,
    ],
    ['two hosts of one address at once', 'overlapping', (lines) => atOnce(atOneAddress(lines)), /another host at 198/],
    ['another host of one address after a restart', 'too-early', restartsAtOneAddress, /100 ms .* after slow\.test/],
    ['more than promised', 'too-many-at-once', atOnce, /2 requests were under way, the run declares 1/],
    [
      'another copy named',
      'robots-copy',
      change('slow.test', '/b', (line) => ({ ...line, robots: null })),
      /in force was/,
    ],
    ['a copy that was not kept', 'robots-copy', copyNamed('ffffffffffffffff'), /not kept/],
    [
      'an exchange that ends before it begins',
      'log',
      change('slow.test', '/b', (line) => ({ ...line, endedAtMs: 0 })),
      /before it begins/,
    ],
    ['nothing promised', 'log', (lines) => lines.filter((line) => line.run === undefined), /no run line/],
    ['a record without its times', 'log', change('slow.test', '/b', { startedAtMs: 'noon' }), /cannot be read/],
  ];

  it.each(FALSIFICATIONS)('finds %s', async (_title, kind, doctor, says) => {
    const directory = await falsifiedCopy(doctor);
    const report = await audit(directory);
    expect(report.passed).toBe(false);
    const found = report.violations.filter((violation) => violation.kind === kind);
    expect(found.map((violation) => violation.detail).join('\n')).toMatch(says);
    expect(report.counts[kind]).toBe(found.length);
  });

  it('finds a copy whose bytes were changed', async () => {
    const directory = await falsifiedCopy((lines) => lines);
    const copies = await readdir(join(directory, 'robots'));
    for (const name of copies.filter((each) => each.endsWith('.txt')))
      await writeFile(join(directory, 'robots', name), 'User-agent: *\nDisallow:\n# opened later\n');
    const report = await audit(directory);
    expect(report.violations[0]).toMatchObject({ kind: 'robots-copy' });
    expect(report.violations[0]?.detail).toMatch(/bytes were changed/);
  });

  it('reports that there is nothing to judge in an empty log', async () => {
    const report = await audit(await falsifiedCopy(() => []));
    expect(report).toMatchObject({ passed: false, requests: 0, notes: ['There is no request to judge.'] });
  });

  it('reports that a clock was set back between two requests, since a finding may then be wrong', async () => {
    const directory = await falsifiedCopy((lines) => {
      const from = indexOf(lines, 'slow.test', '/b');
      const back = (line: Line, name: string): Line => ({ ...line, [name]: Number(line[name]) - HOUR });
      return lines.map((line, index) => (index < from ? line : back(back(line, 'startedAtMs'), 'endedAtMs')));
    });
    const { notes } = await audit(directory);
    const says = /^The clock of a machine was set back by up to 3\d{3} s.* early, or before its robots.txt, without/;
    expect(notes).toEqual([expect.stringMatching(says)]);
    expect((await audit(original)).notes).toEqual([]);
  });

  it('allows clocks to differ by the given time', async () => {
    const directory = await falsifiedCopy(short('slow.test', '/b', 10));
    expect((await audit(directory, 10)).passed).toBe(true);
    expect((await audit(directory, 9)).passed).toBe(false);
  });

  it('reads the directories of several machines as one crawl, and finds what none shows alone', async () => {
    const one = await falsifiedCopy((lines) =>
      lines.filter((line, index) => line.run !== undefined || index % 2 === 0),
    );
    const other = await falsifiedCopy((lines) =>
      lines.filter((line, index) => line.run !== undefined || index % 2 === 1),
    );
    await rm(join(other, 'robots'), { recursive: true });
    const others = [await readCrawlDirectory(other)];
    const report = await auditCrawl({ ...(await readCrawlDirectory(one)), others });
    expect(report.violations).toEqual([]);
    expect(report.requests).toBe(story.log.length);
    expect((await audit(other)).passed).toBe(false);
  });

  it.each([700, -700])('compares the clocks of two machines, of which one is %i ms ahead', async (skewMs) => {
    const asTwo = async (doctor: Falsify, isCompared: boolean, errorMs = 2, stepMs = 0): Promise<AuditReport> => {
      const lines = doctor(await linesOf(original));
      const [one, other] = await Promise.all(
        [0, 1].map(async (machine) => {
          const byMs = machine * skewMs;
          const moved = (line: Line, name: string): Line => ({ ...line, [name]: Number(line[name]) + byMs });
          const clock = { atMs: 0, aheadMs: -byMs, errorMs };
          const own = lines.flatMap((line, index): Line[] => {
            if (line.run !== undefined) {
              const run = { run: moved(line.run as Line, 'startedAtMs') };
              const later = { ...clock, aheadMs: clock.aheadMs + stepMs };
              return isCompared ? [run, { run: { clock } }, { run: { clock: later } }] : [run];
            }
            return index % 2 === machine ? [moved(moved(line, 'startedAtMs'), 'endedAtMs')] : [];
          });
          const directory = await falsifiedCopy(() => own);
          return readCrawlDirectory(directory);
        }),
      );
      return auditCrawl({ ...one!, others: [other!] });
    };
    const unchanged: Falsify = (lines) => lines;
    expect((await asTwo(unchanged, false)).passed).toBe(false);
    const report = await asTwo(unchanged, true);
    expect(report.violations).toEqual([]);
    expect(report.notes).toEqual([expect.stringMatching(/up to 700 ms apart, known to 4 ms/)]);
    // The machines took turns with the requests of this host.
    const byTen = short('slow.test', '/b', 10);
    expect((await asTwo(byTen, true)).violations).toMatchObject([{ kind: 'too-early', host: 'slow.test' }]);
    expect((await asTwo(byTen, true, 5)).passed).toBe(true);
    expect((await asTwo(unchanged, true, 1_001)).passed).toBe(false);
    // The errors are not excused if a server's clock was set meanwhile.
    expect((await asTwo(unchanged, true, 2, 60_000)).passed).toBe(false);
    expect((await asTwo(unchanged, true, 2, 100)).passed).toBe(true);
  });

  it('reads equal files of two authorities as belonging to each', async () => {
    const robots = text('User-agent: *\nDisallow: http://one.test/closed\n');
    const hosts = {
      'one.test': { robots, pages: { '/': page('one', ['/closed']) } },
      'two.test': { robots, pages: { '/': page('two', ['/closed']), '/closed': page('open here') } },
    };
    const out = await folder();
    const { paths } = await crawlVirtually({
      hosts,
      seeds: ['http://one.test/', 'http://two.test/'],
      out,
      store: undefined as never,
    });
    expect([paths('one.test'), paths('two.test')]).toEqual([
      ['/robots.txt', '/'],
      ['/robots.txt', '/', '/closed'],
    ]);
    expect(await audit(out)).toMatchObject({ passed: true, hosts: 2 });
  });

  it('reads the logs of several processes as one', async () => {
    const directory = await falsifiedCopy((lines) => lines);
    const lines = await linesOf(directory);
    const requests = lines.filter((line) => line.run === undefined);
    const head = lines.filter((line) => line.run !== undefined);
    await write(directory, [...head, ...requests.filter((_, index) => index % 2 === 0)]);
    await write(directory, [...head, ...requests.filter((_, index) => index % 2 === 1)], '-1');
    const report = await audit(directory);
    expect(report.violations).toEqual([]);
    expect(report.requests).toBe(story.log.length);
  });
});

async function audit(directory: string, toleranceMs = 0): Promise<AuditReport> {
  return auditCrawl(await readCrawlDirectory(directory), { toleranceMs });
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'mannerly-audit-'));
  scratch.push(path);
  return path;
}

/** A copy of the crawl directory with a falsified log. */
async function falsifiedCopy(doctor: Falsify): Promise<string> {
  const directory = await folder();
  await cp(original, directory, { recursive: true });
  await write(directory, doctor(await linesOf(directory)));
  return directory;
}

/** The declarations of the runs, as `run`, and the requests. */
async function linesOf(directory: string): Promise<Line[]> {
  const runs = (await valuesOf(join(directory, 'runs.jsonl'))).map((run) => ({ run }));
  return [...runs, ...(await valuesOf(join(directory, 'requests.jsonl')))];
}

async function valuesOf(path: string): Promise<Line[]> {
  const whole = await readFile(path, 'utf8');
  return whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
}

async function write(directory: string, lines: readonly Line[], part = ''): Promise<void> {
  const text = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');
  const runs = lines.flatMap(({ run }) => run ?? []);
  // Removes the digests of the logs: these tests are about what the logs show, not whether they were changed.
  await rm(join(directory, 'run.json'), { force: true });
  await writeFile(join(directory, `runs${part}.jsonl`), text(runs));
  await writeFile(join(directory, `requests${part}.jsonl`), text(lines.filter(({ run }) => run === undefined)));
}

function isAt(line: Line, host: string, path: string): boolean {
  if (typeof line['url'] !== 'string') return false;
  const url = new URL(line['url']);
  return url.hostname === host && url.pathname === path;
}

/** The index of the first request for a path. */
function indexOf(lines: readonly Line[], host: string, path: string): number {
  const index = lines.findIndex((line) => isAt(line, host, path));
  if (index < 0) throw new Error(`the log has no ${host}${path}`);
  return index;
}

function at(lines: readonly Line[], host: string, path: string): Line {
  return lines[indexOf(lines, host, path)] as Line;
}

function change(host: string, path: string, how: Line | ((line: Line) => Line)): Falsify {
  return (lines) => {
    const index = indexOf(lines, host, path);
    return lines.map((line, each) => {
      if (each !== index) return line;
      return typeof how === 'function' ? how(line) : { ...line, ...how };
    });
  };
}

function readdress(line: Line, path: string): Line {
  return { ...line, url: new URL(path, String(line['url'])).href };
}

/** Makes the request start `gapMs` after the end of the host's last one, which took ten. */
function early(host: string, path: string, gapMs: number): Falsify {
  return (lines) => {
    const index = indexOf(lines, host, path);
    const before = lines.slice(0, index).findLast((line) => line['host'] === host);
    const endedAtMs = Number(before?.['startedAtMs']) + 10;
    return lines.map((line, each) => {
      if (line === before) return { ...line, endedAtMs };
      return each === index ? { ...line, startedAtMs: endedAtMs + gapMs } : line;
    });
  };
}

/** Makes the request start `byMs` earlier than the Crawl-delay of 0.4 seconds allows. */
function short(host: string, path: string, byMs: number): Falsify {
  return early(host, path, 400 - byMs);
}

function later(host: string, path: string, byMs: number): Falsify {
  return (lines) => {
    const moved = at(lines, host, path);
    const shifted = {
      ...moved,
      startedAtMs: Number(moved['startedAtMs']) + byMs,
      endedAtMs: Number(moved['endedAtMs']) + byMs,
    };
    return [...lines.filter((line) => line !== moved), shifted];
  };
}

function drop(host: string, path: string): Falsify {
  return (lines) => lines.filter((line) => !isAt(line, host, path));
}

function throughout(how: Record<string, unknown>): Falsify {
  return (lines) =>
    lines.map((line) => (line.run === undefined ? { ...line, ...how } : { run: { ...line.run, ...how } }));
}

/** Adds a page of the host whose robots.txt answers 503. */
function readsSilent(lines: Line[]): Line[] {
  const robots = at(lines, 'silent.test', '/robots.txt');
  const afterMs = Number(robots['endedAtMs']) + 10 * SECOND;
  const read = { ...robots, url: String(robots['url']).replace('robots.txt', ''), purpose: 'page', robotsAnswer: null };
  return [...lines, { ...read, startedAtMs: afterMs, endedAtMs: afterMs + 10 }];
}

function asksRobotsAgain(lines: Line[]): Line[] {
  const index = indexOf(lines, 'silent.test', '/robots.txt');
  const robots = lines[index] as Line;
  const afterMs = Number(robots['endedAtMs']) + 5 * SECOND;
  return [
    ...lines.slice(0, index + 1),
    { ...robots, startedAtMs: afterMs, endedAtMs: afterMs + 10 },
    ...lines.slice(index + 1),
  ];
}

function asHandler(line: Line): Line {
  const afterMs = Number(line['endedAtMs']) + HOUR;
  return { ...readdress(line, '/closed/z'), purpose: 'handler', startedAtMs: afterMs, endedAtMs: afterMs + 10 };
}

/** Requests two hosts at once, in a run that declared a concurrency of one. */
function atOnce(lines: Line[]): Line[] {
  const one = at(lines, 'slow.test', '/b');
  const other = at(lines, 'open.test', '/b');
  const ended = Number(one['endedAtMs']);
  return throughout({})(
    lines.map((line) => (line === other ? { ...line, endedAtMs: ended + 1, startedAtMs: ended - 1 } : line)),
  ).map((line) => (line.run === undefined ? line : { run: { ...line.run, concurrency: 1 } }));
}

/** Gives all hosts one address, in a run that declared one request at a time for each. */
const atOneAddress = throughout({
  remoteAddress: '198.18.0.9',
  pace: { factor: 0, minMs: 200, maxMs: 200, perIp: true },
});

/** Has a second run begin with another host of the address, half an interval after the last request. */
function restartsAtOneAddress(lines: Line[]): Line[] {
  const { run } = lines[0]!;
  const one = at(lines, 'slow.test', '/robots.txt');
  const other = at(lines, 'rated.test', '/robots.txt');
  const endMs = Number(one['endedAtMs']);
  const restart = { run: { ...run, startedAtMs: endMs + 1 } };
  return atOneAddress([lines[0]!, one, restart, { ...other, startedAtMs: endMs + 100, endedAtMs: endMs + 120 }]);
}

/** Names another copy in the answer of a robots.txt, and in its pages. */
function copyNamed(hash: string): Falsify {
  return (lines) =>
    lines.map((line) => {
      const answer = line['robotsAnswer'] as { hash: string | null } | null | undefined;
      if (line['host'] !== 'slow.test') return line;
      if (answer != null) return { ...line, robotsAnswer: { ...answer, hash } };
      return { ...line, robots: { ...(line['robots'] as object), hash } };
    });
}
