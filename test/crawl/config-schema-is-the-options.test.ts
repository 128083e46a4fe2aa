// Editors show the schema of configurations, and other programs validate with it. It is generated from the option
// table. Here every range and value of it is compared with what createCrawler accepts, which other packages check too.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type CrawlerOptions, createCrawler } from 'mannerly';
import { describe, expect, it } from 'vitest';

interface Part {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Part[];
  readonly properties?: Readonly<Record<string, Part>>;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly description?: string;
}

// Resolved as an editor or another program would.
const text = readFileSync(createRequire(import.meta.url).resolve('mannerly/config-schema.json'), 'utf8');
const schema = JSON.parse(text) as Part & { properties: Record<string, Part> };

/** Keys of the command, which are not options of the crawl. */
const OF_THE_FILE = ['$schema', 'browser', 'handlers', 'out', 'csv', 'store'];

/** Values that require another key. */
const NEEDS: Readonly<Record<string, object>> = {
  list: { within: 'list', hosts: ['a.test'] },
  surt: { within: 'surt', surts: ['(test,a,'] },
};

const BASE: Readonly<Record<string, object>> = {
  identity: { name: 'tester', contact: 'https://example.org/us' },
  scope: { seeds: ['https://a.test/'] },
  bounds: { pages: 1 },
};

/** Groups that require more than the value. */
const COMPLETE_GROUPS: Readonly<Record<string, object>> = {
  profile: { factor: 0, minMs: 0, maxMs: 86_400_000 },
  recrawl: { minDays: 0, maxDays: 365 },
  signature: { sign: () => new Uint8Array(64), keyid: 'A'.repeat(43), agent: 'https://bot.example/' },
};

/** The base options with one more value, at a path such as `bounds.pages`. */
function withValue(path: readonly string[], value: unknown): CrawlerOptions {
  const needed = typeof value === 'string' ? NEEDS[value] : undefined;
  if (needed !== undefined) return { ...BASE, scope: { ...BASE['scope'], ...needed } } as unknown as CrawlerOptions;
  const put = (given: unknown, [key, ...rest]: readonly string[]): unknown => {
    if (key === undefined) return value;
    const before = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>;
    const whole = (rest.length > 0 ? COMPLETE_GROUPS[key] : undefined) ?? before[key];
    return { ...before, [key]: put(whole, rest) };
  };
  return put(BASE, path) as CrawlerOptions;
}

const accepts = (options: CrawlerOptions): boolean => {
  try {
    createCrawler(options);
    return true;
  } catch {
    return false;
  }
};

/** Every part of the schema, with its path. */
function parts(part: Part, path: readonly string[]): (readonly [path: readonly string[], part: Part])[] {
  const objects = [part, ...(part.anyOf ?? [])].flatMap(({ properties = {} }) => Object.entries(properties));
  return [[path, part] as const, ...objects.flatMap(([name, each]) => parts(each, [...path, name]))];
}

const options = Object.entries(schema.properties).filter(([name]) => !OF_THE_FILE.includes(name));
const rows = options
  .flatMap(([name, part]) => parts(part, [name]))
  .map(([path, part]) => [path.join('.'), path, part] as const);

describe('the schema of a configuration', () => {
  it('is a valid schema', () => {
    expect(() => new Ajv2020({ strict: true, strictTypes: false }).compile(schema)).not.toThrow();
    expect(rows.length).toBeGreaterThan(90);
  });

  it.each(rows.filter(([, , part]) => part.properties !== undefined))('refuses unknown keys of %s', (_, path) => {
    expect(accepts(withValue([...path, 'zzz'], 1))).toBe(false);
  });

  it.each(rows.filter(([, , { type }]) => type === 'integer' || type === 'number'))(
    'has the range of %s',
    (name, path, { type, minimum, exclusiveMinimum, maximum = 0 }) => {
      const min = minimum ?? Number.MIN_VALUE;
      for (const value of [min, maximum]) expect([value, accepts(withValue(path, value))]).toEqual([value, true]);
      const below = exclusiveMinimum ?? (type === 'integer' ? min - 1 : min > 0 ? min / 2 : -0.001);
      expect([below, accepts(withValue(path, below))]).toEqual([below, false]);
      // The largest safe integer has no neighbour.
      if (maximum < Number.MAX_SAFE_INTEGER && name !== 'politeness.profile.minMs') {
        expect([maximum, accepts(withValue(path, maximum + 1))]).toEqual([maximum, false]);
      }
    },
  );

  it.each(rows.filter(([, , part]) => part.enum !== undefined))('has the values of %s', (_, path, part) => {
    for (const value of part.enum ?? []) expect([value, accepts(withValue(path, value))]).toEqual([value, true]);
    expect(accepts(withValue(path, 'no such value'))).toBe(false);
  });

  it('describes every key', () => {
    expect(rows.filter(([, , part]) => part.description === undefined).map(([name]) => name)).toEqual([]);
  });
});
