/**
 * The vectors on one exchange for robots.txt: its URL, the meaning of an answer, redirects, lifetimes and retries
 * (access §1, §3 to §6). If a row breaks, a site may be crawled that asked not to be.
 */
import { type AccessProfile, retryAfterMs, robotsLifetimeMs, robotsRetryMs, robotsUrl } from '@mannerly/robots/access';
import { describe, expect, it } from 'vitest';
import { createPlay, type Origin } from './access-play.js';
import { type Vector, vectorsOf } from './robots-vectors.js';

interface AccessVector extends Vector {
  readonly profile: AccessProfile;
  readonly origin: Origin;
  readonly origins: Readonly<Record<string, Origin>>;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly failures: number;
}

const NOW = Date.UTC(1996, 10, 21, 12);

const answers: Readonly<Record<string, (vector: AccessVector) => object>> = {
  'robots-url': ({ url = '' }) => ({ robotsUrl: robotsUrl(url) }),
  'access-result': ({ profile, origin, url = '' }) => createPlay(profile, 'examplebot', () => origin).ask(url, NOW),
  redirects: ({ profile, origins, url = '' }) =>
    createPlay(profile, 'examplebot', (asked) => origins[asked] ?? { error: 'dns' }).ask(url, NOW),
  lifetime: ({ profile, headers }) => ({ lifetimeSeconds: robotsLifetimeMs(headers, NOW, profile) / 1000 }),
  'robots-retry': ({ failures, headers }) => ({
    nextRetrySeconds: robotsRetryMs(failures, retryAfterMs(headers, NOW)) / 1000,
  }),
};

const KINDS: readonly (readonly [string, number])[] = [
  ['robots-url', 13],
  ['access-result', 37],
  ['redirects', 10],
  ['lifetime', 15],
  ['robots-retry', 16],
];

describe.each(KINDS)('vectors of kind %s', (kind, count) => {
  const vectors = vectorsOf(kind) as AccessVector[];

  it('are all here', () => {
    expect(vectors).toHaveLength(count);
  });

  it.each(vectors)('$id ($spec)', (vector) => {
    expect(answers[kind]?.(vector)).toMatchObject(vector.expect);
  });
});
