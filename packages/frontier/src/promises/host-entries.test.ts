// Entries of `hosts` make single hosts slower and their bounds narrower, restarts included. An entry that made a host
// faster would overload the site.

import { describe, expect, it } from 'vitest';
import type { Reply } from '../../test-support/fake-world.js';
import { isRobots, setUp, url } from '../../test-support/set-up.js';
import { resolveOptions } from '../options/options.js';
import { memoryStore } from '../stores/memory.js';

const make = (nowMs: () => number) => memoryStore({ nowMs });
const answer = (address: string): Reply => (isRobots(address) ? { status: 404 } : { status: 200, body: 'ten bytes' });
const pages = (host: string, count: number) => Array.from({ length: count }, (_, at) => url(`http://${host}/${at}`));
const FILE = 'User-agent: *\nCrawl-delay: 4\nRequest-rate: 1/8\n';

describe('spacing', () => {
  // [the entry's spacing, what the site asks, the crawl's profile, ms from start to start; an exchange takes 10]
  const rows: [object, string, 'polite' | '1996-rule-of-thumb', number][] = [
    [{ minMs: 3_000 }, '', 'polite', 3_010],
    [{ factor: 500, maxMs: 90_000 }, '', 'polite', 5_010],
    [{ minMs: 70_000 }, '', 'polite', 70_010],
    [{ minMs: 3_000 }, FILE, 'polite', 8_000],
    [{ minMs: 9_000 }, FILE, 'polite', 9_010],
    [{ minMs: 20_000 }, '', '1996-rule-of-thumb', 20_010],
    // Under this profile a Request-rate replaces the rule of thumb, but not the host's entry.
    [{ minMs: 20_000 }, FILE, '1996-rule-of-thumb', 20_010],
    [{}, FILE, '1996-rule-of-thumb', 8_000],
  ];
  it.each(rows)(
    'with %j, and %j asked by the site under %s, starts are %i ms apart',
    async (spacing, file, profile, apart) => {
      const { frontier, work, world } = setUp(
        make,
        (address) => (isRobots(address) ? { status: 200, body: file } : answer(address)),
        { politeness: { profile }, hosts: [{ match: 'a.test', spacing }] },
      );
      await frontier.open();
      await frontier.add([...pages('a.test', 3), ...pages('b.test', 3)]);
      expect(await work(frontier)).toBe('finished');
      const starts = (host: string) => world.log.flatMap((seen) => (seen.host === host ? [seen.startMs] : []));
      const gaps = (of: readonly number[]) => of.slice(1).map((startMs, at) => startMs - of[at]!);
      expect(gaps(starts('a.test'))).toEqual([apart, apart, apart]);
      const others = file !== '' ? 8_000 : profile === 'polite' ? 1_010 : 10_010;
      expect(gaps(starts('b.test'))).toEqual([others, others, others]);
    },
  );

  it('the strictest of each number applies if there are several entries, in any order', () => {
    const [a, b] = [
      { match: ['a.test', 'b.test'], spacing: { minMs: 5_000, factor: 3 }, bounds: { pages: 9, bytes: 50 } },
      { match: '*', spacing: { minMs: 2_000, factor: 7, maxMs: 100_000 }, bounds: { pages: 12, minutes: 1 } },
    ];
    for (const hosts of [
      [a!, b!],
      [b!, a!],
    ]) {
      const { settingsOf } = resolveOptions({ store: memoryStore(), robots: { tokens: ['testbot'] }, hosts });
      expect(settingsOf('a.test').politeness).toMatchObject({ factor: 7, minMs: 5_000, maxMs: 100_000 });
      expect(settingsOf('a.test').limits).toEqual({ pagesPerHost: 9, bytesPerHost: 50, runningPerHostMs: 60_000 });
      expect(settingsOf('c.test').politeness).toMatchObject({ factor: 7, minMs: 2_000 });
    }
  });

  it('survives the process, and inspectHost says what sets the pace', async () => {
    const hosts = [{ match: '*.test', spacing: { minMs: 40_000 } }];
    const { make: start, frontier, work, world, clock } = setUp(make, answer, { hosts });
    await frontier.open();
    await frontier.add(pages('a.test', 2));
    await work(frontier, 50_000, { isStopped: () => world.log.length === 2 });
    await work(frontier, 1_000);
    await frontier.close();
    clock.advance(2_000);
    const second = start();
    await second.open();
    expect((await second.inspectHost('a.test')).interval).toMatchObject({ ms: 40_000, from: 'hosts' });
    expect(await work(second)).toBe('finished');
    expect(world.log.slice(1).map((seen, at) => seen.startMs - world.log[at]!.endMs)).toEqual([40_000, 40_000]);
  });
});

describe('bounds', () => {
  it('apply to each matching host, also after a restart, and other hosts continue', async () => {
    const {
      frontier,
      work,
      world,
      verdicts,
      make: start,
    } = setUp(make, answer, {
      bounds: { pagesPerHost: 6 },
      hosts: [
        { match: ['a.test', 'b.test'], bounds: { pages: 3 } },
        { match: 'c.test', bounds: { bytes: 35 } },
      ],
    });
    const count = () =>
      ['a.test', 'b.test', 'c.test', 'd.test'].map(
        (host) => world.log.filter((seen) => seen.host === host && !seen.isRobots).length,
      );
    await frontier.open();
    await frontier.add(['a.test', 'b.test', 'c.test', 'd.test'].flatMap((host) => pages(host, 8)));
    await work(frontier, 3_600_000, { isStopped: () => count()[0] === 2 });
    await work(frontier, 500);
    await frontier.close();
    const second = start();
    await second.open();
    expect(await work(second)).toBe('finished');
    expect(count()).toEqual([3, 3, 4, 6]);
    const dropped = verdicts().filter(({ status }) => status === 'dropped');
    expect(dropped.filter(({ reason }) => reason === 'bound-host-pages')).toHaveLength(5 + 5 + 2);
    expect(dropped.filter(({ reason }) => reason === 'bound-host-bytes')).toHaveLength(4);
  });
});

describe('an entry is refused', () => {
  const crawl = { politeness: { profile: 'polite' }, bounds: { pagesPerHost: 10, minutesPerHost: 5 } } as const;
  // [the entry, the option in the message, a part of the message]
  const rows: [object, string, string][] = [
    [{}, 'hosts[0].match', 'undefined'],
    [{ match: [] }, 'hosts[0].match', '1 to 1000'],
    [{ match: ['a.test', 'b.test:80'] }, 'hosts[0].match', 'b.test:80'],
    [{ match: 'a.test', spacing: { minMs: 999 } }, 'hosts[0].spacing.minMs', 'from 1000 to'],
    [{ match: 'a.test', spacing: { factor: 1 } }, 'hosts[0].spacing.factor', 'from 2 to'],
    [{ match: 'a.test', spacing: { maxMs: 59_000 } }, 'hosts[0].spacing.maxMs', 'from 60000 to'],
    [{ match: 'a.test', spacing: { minMs: 80_000, maxMs: 70_000 } }, 'hosts[0].spacing.maxMs', 'from 80000 to'],
    [{ match: 'a.test', spacing: { minMs: 86_400_001 } }, 'hosts[0].spacing.minMs', '86400001'],
    [{ match: 'a.test', spacing: { jitter: 0 } }, 'hosts[0].spacing.jitter', 'unknown'],
    [{ match: 'a.test', bounds: { pages: 11 } }, 'hosts[0].bounds.pages', 'from 1 to 10'],
    [{ match: 'a.test', bounds: { pages: 0 } }, 'hosts[0].bounds.pages', '0'],
    [{ match: 'a.test', bounds: { bytes: 1.5 } }, 'hosts[0].bounds.bytes', '1.5'],
    [{ match: 'a.test', bounds: { minutes: 6 } }, 'hosts[0].bounds.minutes', 'to 5'],
    [{ match: 'a.test', bounds: { depth: 1 } }, 'hosts[0].bounds.depth', 'unknown'],
    [{ match: 'a.test', speed: 1 }, 'hosts[0].speed', 'unknown'],
  ];
  it.each(rows)('%j', (entry, option, text) => {
    const options = { store: memoryStore(), robots: { tokens: ['testbot'] }, ...crawl, hosts: [entry as never] };
    expect(() => resolveOptions(options)).toThrow(`\`${option}\``);
    expect(() => resolveOptions(options)).toThrow(text);
  });
});
