// The schema of configurations is what editors show and what mistakes are told by. If it drifted from the options, a file that
// it calls right would be refused, or a new option could not be said. So every key and every range is tried at createCrawler.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type CrawlerOptions, createCrawler, type RobotsOptions } from 'mannerly';
import { describe, expect, it } from 'vitest';

interface Part {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Part[];
  readonly properties?: Readonly<Record<string, Part>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly description?: string;
  readonly additionalProperties?: boolean;
}

// As an editor or another program finds it.
const text = readFileSync(createRequire(import.meta.url).resolve('mannerly/config-schema.json'), 'utf8');
const schema = JSON.parse(text) as Part & { properties: Record<string, Part> };

/** Keys of the command, which are no options of the crawl; and options that are code. */
const OF_THE_FILE = ['$schema', 'handlers', 'out', 'csv', 'store'];
const CODE = ['store', 'fetcher', 'sinks', 'hooks', 'clock'];
/** Options within options that are code. */
const CODE_WITHIN: Readonly<Record<string, readonly string[]>> = {
  scope: ['allows'],
  network: ['resolve'],
  urls: ['rules'],
};

/** Words that need another key beside them. */
const WITHIN = {
  list: { within: 'list', hosts: ['a.test'] },
  surt: { within: 'surt', surts: ['(test,a,'] },
} as const;

const BASE = {
  identity: { name: 'tester', contact: 'https://example.org/us' },
  scope: { seeds: ['https://a.test/'] },
  bounds: { pages: 1 },
};

/** The compiler keeps this list whole. */
const ROBOTS: Record<Exclude<keyof RobotsOptions, 'tokens'>, true> = {
  dialect: true,
  policy: true,
  strictDialects: true,
  onOversize: true,
  ambiguousRules: true,
  maxRulesPerGroup: true,
  inheritPoliteness: true,
  requestRateMode: true,
  cacheDelay: true,
  accessProfile: true,
  onForbidden: true,
  afterUnreachable: true,
  unreachableDays: true,
  holdMaxMs: true,
  crawlDelay: true,
  visitTime: true,
  cleanParam: true,
  host: true,
};

/** The base with one more value, at `bounds.pages` or `robots.crawlDelay.maxSeconds`. */
function withValue(path: readonly string[], value: unknown): CrawlerOptions {
  const [first = '', ...rest] = path;
  const put = (given: unknown, way: readonly string[]): unknown => {
    const [key, ...further] = way;
    if (key === undefined) return value;
    const before = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>;
    return { ...before, [key]: put(before[key], further) };
  };
  const base = BASE as Record<string, unknown>;
  const beside = path.join('.').startsWith('profile.') ? { factor: 0, minMs: 0, maxMs: 86_400_000 } : {};
  if (value === 'list' || value === 'surt') return { ...BASE, scope: { ...BASE.scope, ...WITHIN[value] } };
  return { ...base, [first]: put({ ...(base[first] as object), ...beside }, rest) } as unknown as CrawlerOptions;
}

const accepts = (options: CrawlerOptions): boolean => {
  try {
    createCrawler(options);
    return true;
  } catch {
    return false;
  }
};

/** The keys that the options know, told by what they say of an unknown one. */
function knownKeys(path: readonly string[]): readonly string[] {
  try {
    createCrawler(withValue([...path, 'zzz'], 1));
  } catch (error) {
    const { message, hint, cause } = error as Error & { hint?: string };
    const said = `${message} ${hint ?? ''} ${cause instanceof Error ? cause.message : ''}`;
    const [, list = ''] = /(?:known are|known:|knows|[Ii]t has) ([\w, -]+)/.exec(said) ?? [];
    return list.trim().split(', ');
  }
  return ['nothing is refused'];
}

/** Every part that has a range or a choice, with its path. */
function leaves(part: Part, path: readonly string[]): (readonly [path: readonly string[], part: Part])[] {
  const objects = [part, ...(part.anyOf ?? [])].flatMap(({ properties = {} }) => Object.entries(properties));
  return [[path, part] as const, ...objects.flatMap(([name, each]) => leaves(each, [...path, name]))];
}

const options = Object.entries(schema.properties).filter(([name]) => !OF_THE_FILE.includes(name));
const all = options.flatMap(([name, part]) => leaves(part, [name]));
const rows = all.map(([path, part]) => [path.join('.'), path, part] as const);

describe('the schema of a configuration', () => {
  it('is a schema', () =>
    expect(() => new Ajv2020({ strict: true, strictTypes: false }).compile(schema)).not.toThrow());

  it('has the options of createCrawler that are no code, and no others', () => {
    const known = knownKeys([]).filter((name) => !CODE.includes(name));
    expect(options.map(([name]) => name).sort()).toEqual([...known].sort());
  });

  it.each(
    [
      'scope',
      'bounds',
      'urls',
      'traps',
      'politeness',
      'network',
      'discover',
      'datasets',
      'archive',
      'decisionLog',
    ].concat('identity', 'pageLevel', 'links', 'preferences'),
  )('has the keys of %s, and no others', (name) => {
    const known = knownKeys([name]).filter((key) => !(CODE_WITHIN[name] ?? []).includes(key));
    const part = schema.properties[name] as Part;
    const properties = part.properties ?? part.anyOf?.find((each) => each.properties !== undefined)?.properties ?? {};
    expect(Object.keys(properties).sort()).toEqual([...known].sort());
  });

  it('has the keys of robots, and no others', () => {
    expect(Object.keys(schema.properties['robots']?.properties ?? {}).sort()).toEqual(Object.keys(ROBOTS).sort());
  });

  it.each(rows.filter(([, , part]) => part.properties !== undefined))('refuses unknown keys of %s', (_, path, part) => {
    expect(part.additionalProperties).toBe(false);
    expect(accepts(withValue([...path, 'zzz'], 1))).toBe(false);
  });

  it.each(rows.filter(([, , { type }]) => type === 'integer' || type === 'number'))(
    'has the range of %s',
    (name, path, { type, minimum, exclusiveMinimum, maximum = 0 }) => {
      const least = minimum ?? Number.MIN_VALUE;
      for (const value of [least, maximum]) expect([value, accepts(withValue(path, value))]).toEqual([value, true]);
      const below = exclusiveMinimum ?? (type === 'integer' ? least - 1 : least > 0 ? least / 2 : -0.001);
      expect([below, accepts(withValue(path, below))]).toEqual([below, false]);
      // What is the greatest whole number has no neighbour to try.
      if (maximum < Number.MAX_SAFE_INTEGER && name !== 'profile.minMs') {
        expect([maximum, accepts(withValue(path, maximum + 1))]).toEqual([maximum, false]);
      }
    },
  );

  it.each(rows.filter(([, , part]) => part.enum !== undefined))('has the words of %s', (_, path, part) => {
    for (const word of part.enum ?? []) expect([word, accepts(withValue(path, word))]).toEqual([word, true]);
    expect(accepts(withValue(path, 'no such word'))).toBe(false);
  });

  it('says of every key what it is', () => {
    expect(rows.filter(([, , part]) => part.description === undefined).map(([name]) => name)).toEqual([]);
  });
});
