// At stake: data.txt is an offer. It must never stop a crawl, forbid anything in it, or allow what robots.txt closes.
import { describe, expect, it } from 'vitest';
import { response } from '../../test-support/page-work.js';
import type { FetchOutcome } from '../fetch/outcome.js';
import { type DatasetFound, datasetReader } from './datasets.js';

const FILE = 'https://a.test/data.txt';
const TEXT =
  'User-agent: *\nDisallow: /secret\n\npath: /d/one.csv\nname: One\n\npath: /secret/two.csv\n\npath: mailto:x\n';

const answer = (status: number, body: string, truncated: 'connection' | null = null): FetchOutcome =>
  response(FILE, body, [], { status, truncated });

function read(outcome: FetchOutcome, enqueue: boolean): { urls: string[]; found: DatasetFound[] } {
  const found: DatasetFound[] = [];
  const urls = datasetReader(['test-bot'], enqueue, (each) => found.push(each))(FILE, outcome);
  return { urls: urls.map(({ url, label, via }) => `${via} ${label} ${url}`), found };
}

describe('data.txt', () => {
  it('is reported, and queued only if an option says so', () => {
    expect(read(answer(200, TEXT), false).urls).toEqual([]);
    const { urls, found } = read(answer(200, TEXT), true);
    expect(urls).toEqual(['dataset dataset https://a.test/d/one.csv']);
    expect(found.map(({ dataset, isAllowed, line }) => [dataset.url, isAllowed, line])).toEqual([
      ['https://a.test/d/one.csv', true, 4],
      ['https://a.test/secret/two.csv', false, 7],
    ]);
  });

  it.each<[string, FetchOutcome]>([
    ['404', answer(404, TEXT)],
    ['500', answer(500, TEXT)],
    ['206', answer(206, TEXT)],
    ['a body cut by the peer', answer(200, TEXT, 'connection')],
    ['an empty file', answer(200, '')],
  ])('%s offers nothing', (_name, outcome) => {
    expect(read(outcome, true)).toEqual({ urls: [], found: [] });
  });
});
