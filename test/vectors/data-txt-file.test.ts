/** The vectors on /data.txt. If a row breaks, datasets are misread, or a discovery file influences the crawl. */
import { compileRules, parseRobots } from '@mannerly/robots';
import { dataTxtLifetimeMs, dataTxtOutcome, dataTxtUrl, parseDataTxt, viewDataTxt } from '@mannerly/robots/data-txt';
import { describe, expect, it } from 'vitest';
import { type Vector, vectorsOf } from './robots-vectors.js';

interface DataTxtVector extends Omit<Vector, 'url' | 'agent' | 'robots'> {
  readonly text: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly url: string;
  readonly agent: string;
  readonly dataTxt: string;
  readonly robots: string;
  readonly via?: 'link';
}

const answers: Readonly<Record<string, (vector: DataTxtVector) => object>> = {
  'data-txt': ({ text, base }) => {
    const { records, diagnostics } = parseDataTxt(text, { base });
    return {
      records: records.map(({ agents, rules, dataset, extra }) => ({ agents, rules, dataset, extra })),
      diagnostics: diagnostics.map(({ line, code }) => [line, code]),
    };
  },
  // The function does not know the crawl, so no outcome affects it.
  'data-txt-status': ({ status }) => ({ outcome: dataTxtOutcome({ kind: 'response', status }), crawlAffected: false }),
  'data-txt-url': ({ url }) => ({ dataTxtUrl: dataTxtUrl(url) }),
  'data-txt-lifetime': ({ headers }) => ({ lifetimeSeconds: dataTxtLifetimeMs(headers, 0) / 1000 }),
  'data-txt-access': ({ text, agent, url }) => ({
    allowed: viewDataTxt(parseDataTxt(text), [agent]).decide(url).allowed,
  }),
  'data-txt-combined': ({ dataTxt, robots, agent, url, via }) => {
    const isCrawlable = compileRules(parseRobots(robots), { tokens: agent }).isAllowed(url);
    const isDataset = via === 'link' || viewDataTxt(parseDataTxt(dataTxt), [agent]).decide(url).allowed;
    return { allowed: isCrawlable && isDataset };
  },
};

const KINDS: readonly (readonly [string, number])[] = [
  ['data-txt', 15],
  ['data-txt-status', 8],
  ['data-txt-url', 2],
  ['data-txt-lifetime', 5],
  ['data-txt-access', 8],
  ['data-txt-combined', 5],
];

describe.each(KINDS)('vectors of kind %s', (kind, count) => {
  const vectors = vectorsOf(kind) as unknown as DataTxtVector[];

  it('are all here', () => {
    expect(vectors).toHaveLength(count);
  });

  it.each(vectors)('$id ($spec)', (vector) => {
    expect(answers[kind]?.(vector)).toMatchObject(vector.expect);
  });
});
