/**
 * What must hold for any file, any URL and any repair. The seed is printed in every title; MANNERLY_SEED sets it. The
 * naive matcher below is written from the specification and shares nothing with the compiled one.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explain } from './explain.js';
import type { CompileOptions } from './options.js';
import { parseRobots } from './parse.js';
import { compileRules } from './rules.js';

const SEED = Number(process.env['MANNERLY_SEED'] ?? 9309);
const RUNS = { seed: SEED, numRuns: 200 };
const TOKEN = 'examplebot';

type Line = readonly [kind: 'Allow' | 'Disallow', pattern: string];

// A small alphabet, so that rules often match URLs.
const piece = fc.constantFrom(
  '/',
  'a',
  'b',
  'ab',
  '.',
  '?',
  '=',
  '*',
  '**',
  '$',
  '%',
  '%41',
  '%2',
  '%c',
  '%2f',
  '%2F',
  '%3A',
  ':',
  'ü',
  '%C3%BC',
  '~',
  '%7E',
  ' ',
);
const tail = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
const pattern = fc
  .oneof(
    tail.map((text) => `/${text}`),
    tail.map((text) => `*${text}`),
  )
  .filter((text) => !/[ ]$|\/\.|[ ][/*]/.test(text));
const path = tail.map((text) => `/${text}`).filter((text) => !/\/\.| /.test(text));
const line = fc.tuple(
  fc.constantFrom('Allow', 'Disallow') as fc.Arbitrary<Line[0]>,
  fc.oneof(pattern, fc.constant('')),
);
const lines = fc.array(line, { minLength: 1, maxLength: 24 });
const paths = fc.array(path, { minLength: 1, maxLength: 8 });

const render = (rules: readonly Line[], agent = '*') =>
  [`User-agent: ${agent}`, ...rules.map(([kind, text]) => `${kind}: ${text}`)].join('\n');
const compile = (text: string, options: Partial<CompileOptions> = {}) =>
  compileRules(parseRobots(text), { tokens: TOKEN, policy: 'base', ...options });

describe(`the index, seed ${SEED}`, () => {
  it('decides as a naive reading of RFC 9309 does', () => {
    fc.assert(
      fc.property(lines, paths, (rules, urls) => {
        const compiled = compile(render(rules));
        for (const url of urls) {
          const expected = naiveLongest(rules, url);
          const { allowed, line: decided } = compiled.decide(`https://example.com${url}`);
          expect({ url, allowed, line: decided }).toEqual({ url, ...expected });
          expect(compiled.isAllowed(url)).toBe(allowed);
        }
      }),
      { ...RUNS, numRuns: 500 },
    );
  });

  it('decides as a naive reading of 1996 does', () => {
    fc.assert(
      fc.property(lines, paths, (rules, urls) => {
        const compiled = compile(render(rules), { dialect: '1996' });
        for (const url of urls) {
          const first = rules.findIndex(([, text]) => text !== '' && decode1996(url).startsWith(decode1996(text)));
          const { allowed, line: decided } = compiled.decide(url);
          expect({ url, allowed, line: decided }).toEqual({
            url,
            allowed: first < 0 || rules[first]?.[0] === 'Allow',
            line: first < 0 ? null : first + 2,
          });
        }
      }),
      RUNS,
    );
  });

  it('handles hundreds of rules with wildcards', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 150, maxLength: 400 }), paths, (rules, urls) => {
        const compiled = compile(render(rules));
        for (const url of urls) {
          const { allowed, line: decided } = compiled.decide(url);
          expect({ url, allowed, line: decided }).toEqual({ url, ...naiveLongest(rules, url) });
        }
      }),
      { ...RUNS, numRuns: 40 },
    );
  });

  it('explains the rule that decides', () => {
    fc.assert(
      fc.property(lines, paths, (rules, urls) => {
        const compiled = compile(render(rules));
        for (const url of urls) {
          const { decision, readings } = explain(compiled, url);
          expect(decision).toEqual(compiled.decide(url));
          expect(readings[0]?.matching[0]?.line ?? null).toBe(decision.line);
        }
      }),
      RUNS,
    );
  });
});

describe(`politeness of the readings, seed ${SEED}`, () => {
  const file = fc.array(fc.tuple(fc.constantFrom('*', TOKEN, 'other', `${TOKEN}/1.0`), lines), {
    minLength: 1,
    maxLength: 4,
  });

  it.each(['rfc9309', '1996', '1994'] as const)(
    'a Disallow at the end of a selected group opens nothing in %s',
    (dialect) => {
      fc.assert(
        fc.property(file, fc.nat(), pattern, paths, (groups, which, added, urls) => {
          const selected = compile(join(groups), { dialect }).groupLines;
          if (selected.length === 0) return;
          const openingLine = selected[which % selected.length];
          const before = compile(join(groups), { dialect });
          let at = 1;
          const longer = groups.map(([agent, rules]): [string, readonly Line[]] => {
            const isIt = at === openingLine;
            at += rules.length + 2;
            return [agent, isIt ? [...rules, ['Disallow', added]] : rules];
          });
          const after = compile(join(longer), { dialect });
          for (const url of urls)
            if (after.isAllowed(url)) expect({ url, open: before.isAllowed(url) }).toEqual({ url, open: true });
        }),
        RUNS,
      );
    },
  );

  const malformed = fc.oneof(
    pattern.map((text) => `Disalow: ${text}`),
    pattern.map((text) => `Disallow ${text}`),
    pattern.map((text) => `Allow ${text}`),
    pattern.map((text) => `Alow: ${text}`),
    pattern.map((text) => `Disallow: ${text.slice(1)}`),
    pattern.map((text) => `Allow: ${text.slice(1)}`),
    fc.tuple(pattern, pattern).map(([a, b]) => `Disallow: ${a} ${b}`),
    fc.tuple(pattern, pattern).map(([a, b]) => `Allow: ${a} ${b}`),
    pattern.map((text) => `Disallow: https://example.com${text}`),
    pattern.map((text) => `Allow: https://example.com${text}`),
    line.map(([kind, text]) => `${kind}: ${text}`),
    fc.constantFrom('Disallow: /', 'Disalow: /', 'Disallow: *'),
  );

  it.each(['rfc9309', '1996', '1994'] as const)('a repaired rule line opens nothing in %s (P1)', (dialect) => {
    fc.assert(
      fc.property(fc.array(malformed, { minLength: 1, maxLength: 12 }), paths, (texts, urls) => {
        // The first rule line is well formed, so that agents and boundaries are the same with and without repairs.
        const text = ['User-agent: *', 'Disallow:', ...texts].join('\n');
        const options = { tokens: TOKEN, policy: 'base', dialect } as const;
        const literal = compileRules(parseRobots(text, { repair: false }), options);
        const repaired = compileRules(parseRobots(text), options);
        for (const url of [...urls, ...texts.map(meantUrl)])
          if (repaired.isAllowed(url)) expect({ url, open: literal.isAllowed(url) }).toEqual({ url, open: true });
      }),
      RUNS,
    );
  });

  it('the Google dialect is exempt: it accepts a misspelt Allow (robots §5.2)', () => {
    const text = 'User-agent: *\nDisallow: /\nAllows: /a\n';
    expect(compile(text).isAllowed('/a')).toBe(false);
    expect(compile(text, { dialect: 'google' }).isAllowed('/a')).toBe(true);
  });

  it('the 2.0.0 reading is exempt: next to explicit Allow lines a Disallow opens the rest (R32), unless told otherwise', () => {
    const only = 'User-agent: examplebot\nRobot-version: 2.0.0\nAllow: /a\n';
    const pure = { policy: 'declared-only' } as const;
    expect(compile(only, pure).isAllowed('/b')).toBe(false);
    expect(compile(`${only}Disallow: /c\n`, pure).isAllowed('/b')).toBe(true);
    expect(compile(`${only}Disallow: /c\n`, { ...pure, ambiguousRules: 'nothing-else' }).isAllowed('/b')).toBe(false);
  });

  it('policy declared is never freer than base, strictest never freer than any of its dialects', () => {
    const versioned = fc
      .tuple(file, fc.constantFrom('2.0.0', '2.1.0', '1.0.0', '3', 'x'))
      .map(([groups, version]) =>
        groups
          .map(([agent, rules]) => render(rules, agent).replace('\n', `\nRobot-version: ${version}\n`))
          .join('\n\n'),
      );
    fc.assert(
      fc.property(versioned, paths, (text, urls) => {
        const base = compile(text);
        const declared = compile(text, { policy: 'declared' });
        const strictest = compile(text, { policy: 'strictest' });
        const others = (['rfc9309', 'google', '1996'] as const).map((dialect) => compile(text, { dialect }));
        for (const url of urls) {
          if (declared.isAllowed(url)) expect(base.isAllowed(url)).toBe(true);
          if (strictest.isAllowed(url)) for (const rules of others) expect(rules.isAllowed(url)).toBe(true);
        }
      }),
      RUNS,
    );
  });
});

/** A URL that a malformed line was probably meant for. */
function meantUrl(text: string): string {
  const meant = text.replace(/^\w+:? (https:\/\/example\.com)?/, '').replace(/[*$ ].*$/, '');
  return meant.startsWith('/') ? meant : `/${meant}`;
}

function join(groups: readonly (readonly [string, readonly Line[]])[]): string {
  return groups.map(([agent, rules]) => render(rules, agent)).join('\n\n');
}

// The specification restated, slow and simple: robots §6.1, §6.2, §6.4, §7.1.

const QUERY_SPECIALS = /[:/?@[\]]/g;
const utf8Escapes = (text: string) => text.replace(/[^\0-\x7f]/gu, (c) => encodeURIComponent(c));

function n0(text: string, isPattern: boolean): string {
  return utf8Escapes(text)
    .replace(isPattern ? /%(?![0-9A-Fa-f]{2}|[0-9A-Fa-f]?(\*|$))/g : /%(?![0-9A-Fa-f]{2})/g, '%25')
    .replace(isPattern ? /%[a-f](?=\*|$)/g : /(?!)/g, (cut) => cut.toUpperCase())
    .replace(/%[0-9A-Fa-f]{2}/g, (triplet) => {
      const c = String.fromCharCode(Number.parseInt(triplet.slice(1), 16));
      return /[A-Za-z0-9\-._~]/.test(c) ? c : triplet.toUpperCase();
    })
    .replace(/ /g, '%20')
    .replace(isPattern ? /\$(?!$)/g : /\$/g, '%24')
    .replace(/\*/g, isPattern ? '*' : '%2A');
}

function n1(text: string, isPattern: boolean): string {
  const plain = n0(text, isPattern);
  const mark = plain.indexOf('?');
  if (mark < 0) return plain;
  const escaped = (c: string) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`;
  return plain.slice(0, mark + 1) + plain.slice(mark + 1).replace(QUERY_SPECIALS, escaped);
}

/** Whether a pattern matches, by dynamic programming. */
function globs(glob: string, text: string): boolean {
  const isAnchored = glob.endsWith('$');
  const symbols = isAnchored ? glob.slice(0, -1) : `${glob}*`;
  let reachable = new Set([0]);
  for (const symbol of symbols) {
    const next = new Set<number>();
    for (const at of reachable) {
      if (symbol === '*') for (let to = at; to <= text.length; to++) next.add(to);
      else if (text[at] === symbol) next.add(at + 1);
    }
    reachable = next;
  }
  return reachable.has(text.length);
}

function naiveLongest(rules: readonly Line[], url: string): { allowed: boolean; line: number | null } {
  let best: { kind: string; length: number; line: number } | null = null;
  rules.forEach(([kind, text], i) => {
    const matches = globs(n0(text, true), n0(url, false)) || globs(n1(text, true), n1(url, false));
    if (text === '' || !matches) return;
    const { length } = n0(text, true);
    const wins =
      best === null || length > best.length || (length === best.length && kind === 'Allow' && best.kind === 'Disallow');
    if (wins) best = { kind, length, line: i + 2 };
  });
  const decided = best as { kind: string; line: number } | null;
  return { allowed: decided === null || decided.kind === 'Allow', line: decided?.line ?? null };
}

function decode1996(text: string): string {
  // `%2F` stays different from `/`: it becomes U+FFFF, which occurs nowhere else.
  return utf8Escapes(text).replace(/%([0-9A-Fa-f]{2})/g, (triplet, hex: string) =>
    triplet.toUpperCase() === '%2F' ? '\uffff' : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
