/**
 * The vectors on robots.txt over time (access §8): one authority, a scripted server, a simulated clock. If a row
 * breaks, a missing answer counts as permission somewhere, or a host is asked too often.
 */
import type { AccessProfile } from '@mannerly/robots/access';
import { describe, expect, it } from 'vitest';
import { createPlay, type Origin } from './access-play.js';
import { type Vector, vectorsOf } from './robots-vectors.js';

interface SequenceVector extends Vector {
  readonly profile: AccessProfile;
  readonly agent: string;
  readonly base: string;
  readonly steps: readonly (
    | { readonly at: number; readonly origin: Origin }
    | { readonly at: number; readonly ask: string; readonly expect: object }
  )[];
}

const START = Date.UTC(2026, 10, 20);

describe('vectors of kind sequence', () => {
  const vectors = vectorsOf('sequence') as SequenceVector[];

  it('are all here', () => {
    expect(vectors).toHaveLength(20);
  });

  it.each(vectors)('$id ($spec) $note', ({ profile, agent, base, steps }) => {
    let origin: Origin = { error: 'dns' };
    const play = createPlay(profile, agent, () => origin);
    for (const step of steps) {
      if ('origin' in step) origin = step.origin;
      else expect({ at: step.at, ...play.ask(base + step.ask, START + step.at * 1000) }).toMatchObject(step.expect);
    }
  });
});
