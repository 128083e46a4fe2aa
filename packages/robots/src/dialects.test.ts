/** Which group applies to us. If a group is missed, a site's rules are ignored. */
import { describe, expect, it } from 'vitest';
import { agentsOf, google, isProductToken, substringAgents, y1994, y1996 } from './dialects.js';
import { selectGroups } from './groups.js';
import { parseRobots } from './parse.js';
import { compileRules } from './rules.js';

const AGENTS: readonly (readonly [value: string, agents: readonly string[]])[] = [
  ['ExampleBot', ['examplebot']],
  ['examplebot/2.1', ['examplebot']],
  ['examplebot*', ['examplebot']],
  ['MJ12bot', ['mj12bot']],
  ['*', ['*']],
  ['* foobot', ['*']],
  ['foobot barbot', ['foobot']],
  ['Sogou web spider', ['sogou']],
  ['AhrefsBot,SlySearch', ['ahrefsbot', 'slysearch']],
  ['Offline Explorer, b', ['offline']],
  ['* and some words!', ['*']],
  ['*bot', []],
  ['', []],
  ['a, b/1.0, c*', ['a', 'b', 'c']],
  ['Mozilla/5.0 (compatible; examplebot/0.1)', ['mozilla']],
  ['exämplebot', ['ex']],
];

describe('a User-agent line', () => {
  it.each(AGENTS)('%j names %j (robots §4.3, §4.4)', (value, agents) => {
    expect(agentsOf(value, true)).toEqual(agents);
  });

  it('names only its first token when repairs are off', () => {
    expect(agentsOf('a, b', false)).toEqual(['a']);
    expect(agentsOf('* foobot', false)).toEqual(['*']);
  });

  it('is cut at digits by Google (robots §5.2)', () => {
    expect(google.agentsOf('MJ12bot', true)).toEqual(['mj']);
    expect(google.agentsOf('a b', true)).toEqual(['a']);
  });

  it('is kept complete for substring comparison (1996)', () => {
    expect(substringAgents('FigTree/0.1 (Robot)', true)).toEqual(['figtree/0.1 (robot)']);
    expect(substringAgents('FigTree/0.1, Robot', true)).toEqual(['figtree/0.1', 'robot']);
    expect(substringAgents('a, *', true)).toEqual(['a', '*']);
  });

  it.each([
    [y1996, 'examplebot-images', true],
    [y1996, 'example', false],
    [y1994, 'example', true],
    [y1994, 'example/1.0', true],
    [y1994, '/1.0', false],
    [y1994, 'other', false],
  ] as const)('in $name: "%s" applies to examplebot: %s', (dialect, agent, speaks) => {
    const group = { agents: [agent], agentLines: [1], from: 0, to: 0, version: null };
    expect(selectGroups(dialect, [group], ['examplebot']).agent).toBe(speaks ? 'examplebot' : null);
  });
});

describe('a product token', () => {
  it.each([
    ['examplebot', true],
    ['Example_Bot-2', true],
    ['examplebot/1.0', false],
    ['*', false],
    ['', false],
    ['exämple', false],
  ])('%j: %s', (token, isToken) => {
    expect(isProductToken(token)).toBe(isToken);
  });
});

it.each(['', 'User-agent: other\nDisallow: /\n', 'User-agent: other\nRobot-version: 2.0.0\nDisallow: /\n'])(
  'a file without a group of ours closes nothing under policy declared-only: %j',
  (text) => {
    const rules = compileRules(parseRobots(text), { tokens: 'examplebot', policy: 'declared-only' });
    expect(rules.decide('/a')).toMatchObject({ allowed: true, reason: 'no-group' });
  },
);
