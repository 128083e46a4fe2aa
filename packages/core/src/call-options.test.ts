// At stake: if a misspelt name or a value of the wrong type is ignored, a crawl silently does something else than its
// author wrote.

import { createDashboard } from 'mannerly/dashboard';
import { createPoliteFetch } from 'mannerly/fetch';
import { createRequestVerifier } from 'mannerly/identity';
import { createOpenTelemetryMetrics } from 'mannerly/metrics/opentelemetry';
import { createPrometheusMetrics } from 'mannerly/metrics/prometheus';
import { expect, it } from 'vitest';
import {
  auditCrawl,
  createCrawler,
  createPlatformFetcher,
  createUndiciFetcher,
  csvSink,
  exportItems,
  jsonlSink,
  memorySink,
  packageArchive,
  planCrawl,
  RetryPage,
  readCrawlDirectory,
  replay,
  reportFromLogs,
  writeReport,
} from './index.js';
import { crawlInVirtualTime, createFakeWeb, createVirtualClock } from './testing/index.js';

const identity = { name: 'test-bot', contact: 'https://example.org/bot' };
const options = { identity, scope: { seeds: ['https://example.org/'] }, bounds: { pages: 1 } };
const crawler = () => createCrawler(options);
const from = 'no-such-directory';
const web = createFakeWeb({ hosts: {} });
const hosts = (host: object) => createFakeWeb({ hosts: { 'a.test': host } });

/** A call with options as someone without TypeScript might write them. */
type Call = (given: never) => unknown;
const on: Call = (given) => crawler().on('html', () => undefined, given);
const run: Call = (given) => crawler().run(given);
const add: Call = (given) => crawler().add('https://example.org/', given);
const politely: Call = (given: object) => createPoliteFetch({ identity, ...given });
const exported: Call = (given: object) => exportItems({ from: [from], to: 'x', ...given });
const replayed: Call = (given: object) => replay({ from, handlers: () => undefined, ...given });
const audited: Call = (given) => auditCrawl({ requestsPath: from, robotsPath: from, manifest: null }, given);
const answered: Call = (given) => hosts({ pages: { '/': given } });

it.each<[call: string, Call, misspelt: object, wrong: object | null | string | number]>([
  ['html', on, { maxBodyByte: 1 }, { inBrowser: true }],
  ['run', run, { outt: 'x' }, { signal: new AbortController() }],
  ['run', run, { seeds: [] }, { reset: 'no' }],
  ['add', add, { lable: 'x' }, { allowDuplicate: 'yes' }],
  ['activity', (given) => crawler().activity(given), { limits: 1 }, { limit: 'all' }],
  ['queued', (given) => crawler().queued(given), { hosts: 'x' }, 'example.org'],
  ['where', (given) => crawler().explain('example.org', given), { dir: 'x' }, { out: 1 }],
  ['RetryPage', (given) => new RetryPage('later', given), { after: 1 }, 60],
  ['csvSink', (given: object) => csvSink({ path: 'x', ...given }), { column: [] }, { columns: 'a' }],
  ['csvSink', csvSink, { pth: 'x' }, 'items.csv'],
  ['jsonlSink', (given: object) => jsonlSink({ path: 'x', ...given }), { syn: 'write' }, { sync: 'always' }],
  ['jsonlSink', jsonlSink, { file: 'x' }, 'items.jsonl'],
  ['exportItems', exported, { formt: 'csv' }, { from }],
  ['packageArchive', packageArchive, { form: from }, from],
  ['replay', replayed, { sink: [] }, { handlers: { html: () => undefined } }],
  ['planCrawl', (given) => planCrawl(options, given), { outt: 'x' }, { out: 1 }],
  ['auditCrawl', audited, { tolerance: 1 }, { toleranceMs: 60_001 }],
  ['createUndiciFetcher', createUndiciFetcher, { cert: 'x' }, { proxy: 1 }],
  ['createPlatformFetcher', createPlatformFetcher, { fetsh: fetch }, { fetch: 1 }],
  ['createPoliteFetch', politely, { scope: options.scope }, { directory: 1 }],
  ['createRequestVerifier', createRequestVerifier, { tolerance: 1 }, { toleranceSeconds: '1' }],
  ['createPrometheusMetrics', (given) => createPrometheusMetrics(crawler(), given), { prefx: 'x' }, {}],
  ['createOpenTelemetryMetrics', (given) => createOpenTelemetryMetrics(crawler(), given), { metre: {} }, {}],
  ['createDashboard', (given) => createDashboard(crawler(), given), { prt: 1 }, { controls: 'no' }],
  ['createDashboard.api', (given) => createDashboard(crawler(), { api: given }), { dir: 'x' }, { out: 1 }],
  ['createVirtualClock', createVirtualClock, { start: 1 }, { startMs: '1' }],
  ['crawlInVirtualTime', (given) => crawlInVirtualTime(web, crawler, given), { maythrow: true }, { mayThrow: 1 }],
  ['createFakeWeb', createFakeWeb, { host: {} }, {}],
  ["hosts\\['a.test'\\]", hosts, { page: {} }, { failure: 'broken' }],
  ["hosts\\['a.test'\\]", hosts, { latencyMs: 1 }, 'a page'],
  ["hosts\\['a.test'\\].pages", hosts, { pages: { '/': { stauts: 404 } } }, { pages: { about: 'no path' } }],
  ["hosts\\['a.test'\\].pages\\['/'\\]", answered, { stauts: 404 }, { failure: 'broken' }],
  ["hosts\\['a.test'\\].robots", (given) => hosts({ robots: given }), { boddy: '' }, { status: '404' }],
])('%s refuses options that do not exist or have the wrong type', async (...row) => {
  const [call, act, misspelt, wrong] = row;
  const given = async (value: unknown): Promise<unknown> => act(value as never);
  await expect(given(misspelt)).rejects.toMatchObject({
    code: 'option-unknown',
    message: expect.stringMatching(new RegExp(`^unknown option \`${call}.*; known: `)),
  });
  await expect(given(wrong)).rejects.toMatchObject({
    code: 'option-invalid',
    message: expect.stringMatching(new RegExp(`^expected \`${call}.* to be .*, got `)),
  });
});

it.each<[call: string, Call]>([
  ['auditCrawl', (given) => auditCrawl(given)],
  ['auditCrawl', (given) => auditCrawl({ requestsPath: from, robotsPath: from, manifest: null, others: [given] })],
  ['reportFromLogs', (given) => reportFromLogs(given)],
  ['writeReport', (given) => writeReport(given)],
])('%s refuses what is not a loaded crawl directory, such as its path or a promise', async (call, act) => {
  for (const wrong of [undefined, null, from, {}, readCrawlDirectory('.').catch(() => null)]) {
    await expect((async () => act(wrong as never))()).rejects.toMatchObject({
      code: 'option-invalid',
      message: expect.stringMatching(`^expected \`${call}\` to be a crawl directory, as \`await readCrawlDirectory`),
    });
  }
});

it('after a refused call of `run`, the crawler can run', async () => {
  const again = createCrawler({ ...options, ...web.fakes(), maxIdleMs: 0, log: 'silent' });
  await expect(again.run({ signal: new AbortController() as never })).rejects.toMatchObject({ code: 'option-invalid' });
  expect((await again.run()).pages).toBe(0);
});

it('a sink of a replay without a name is refused', async () => {
  const nameless = { ...memorySink(), name: undefined };
  await expect(replay({ from, handlers: () => undefined, sinks: [nameless as never] })).rejects.toMatchObject({
    code: 'option-invalid',
    message: expect.stringContaining('expected `replay.sinks[0]` to be an object with name, open, write, close'),
  });
});

it('a replay with an object of handlers says what to write instead', async () => {
  await expect(replay({ from, handlers: { html: () => undefined } } as never)).rejects.toMatchObject({
    code: 'option-invalid',
    hint: expect.stringContaining('routes.route({'),
  });
});
