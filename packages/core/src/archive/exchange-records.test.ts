// An exchange becomes records that say exactly what happened, including what was cut, repeated, withheld or never
// arrived.

import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { BodyFile, FetchOutcome, ResponseOutcome } from '../fetch/outcome.js';
import { WarcIndex } from './cdxj.js';
import { type ArchivedExchange, exchangeRecords, KnownPayloads } from './exchange-records.js';
import type { ArchivedVisit } from './visit.js';
import { recordBytes } from './warc-record.js';

const URL_ = 'https://example.org/a?b=c';
const STARTED = Date.UTC(2026, 10, 20, 12, 0, 0, 7);
const timing = { startedAtMs: STARTED, headersAtMs: STARTED, endedAtMs: STARTED + 30 };

const response = (more: Partial<ResponseOutcome> = {}): ResponseOutcome => ({
  kind: 'response',
  url: URL_,
  status: 200,
  statusText: 'OK',
  headers: [
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Content-Encoding', 'gzip'],
  ],
  body: Buffer.from('decoded'),
  encodedBody: Buffer.from('coded'),
  truncated: null,
  encodedBytes: 5,
  remoteAddress: '192.0.2.7',
  timing,
  ...more,
});

/** Records as text, by type. */
async function records(
  outcome: FetchOutcome,
  more: Partial<ArchivedExchange> = {},
  payloads: KnownPayloads = new KnownPayloads(),
): Promise<Record<string, string>> {
  const exchange = { sent: { url: URL_, purpose: 'page', headers: {} }, outcome, withheld: null, page: null, ...more };
  const batch = await exchangeRecords(exchange, { digest: 'sha-256', payloads, warcinfoId: '<urn:uuid:0>' });
  const found: Record<string, string> = {};
  for (const record of batch) {
    const chunks: Uint8Array[] = [];
    for await (const bytes of recordBytes(record)) chunks.push(bytes);
    found[record.type] = gunzipSync(Buffer.concat(chunks)).toString('latin1');
  }
  return found;
}

describe('an exchange', () => {
  it('is a request, its metadata, and its unchanged response', async () => {
    const { request, metadata, response: kept } = await records(response());
    expect(kept).toMatch(/Content-Encoding: gzip\r\n\r\ncoded\r\n\r\n$/);
    expect(kept).toContain('WARC-Date: 2026-11-20T12:00:00.007Z\r\n');
    expect(kept).toContain('WARC-IP-Address: 192.0.2.7\r\n');
    expect(request).toContain('GET /a?b=c HTTP/1.1\r\nhost: example.org\r\n');
    expect(metadata).toMatch(/purpose: page\r\nfetchTimeMs: 30\r\n/);
    const id = /WARC-Record-ID: (\S+)/.exec(kept ?? '')?.[1] ?? '';
    for (const text of [request, metadata]) expect(text).toContain(`WARC-Concurrent-To: ${id}\r\n`);
  });

  it('comes with the DOM of a browser, which names its response', async () => {
    const page = { keepsBody: true, isHtml: true, title: null, outlinks: [], visit: {} as ArchivedVisit };
    const rendered = { html: '<p>made é', screenshot: Buffer.from('PNG') };
    const outcome = response();
    const exchange = { sent: { url: URL_, purpose: 'page', headers: {} }, outcome, withheld: null };
    const tools = { digest: 'sha-256', payloads: new KnownPayloads(), warcinfoId: '<urn:uuid:0>' } as const;
    const batch = await exchangeRecords({ ...exchange, page: { ...page, rendered } }, tools);
    const [, , dom, png, last] = batch;
    const types = ['request', 'metadata', 'conversion', 'conversion', 'response'];
    expect(batch.map(({ type }) => type)).toEqual(types);
    const index = new WarcIndex((url) => url);
    const place = { filename: 'a.warc.gz', offset: 0, length: 1 };
    const isIndexed = batch.map(({ fields, block }) => index.add(fields, block.head, place));
    expect(isIndexed).toEqual(types.map((type) => type === 'response'));
    for (const record of [dom, png]) expect(record?.fields.get('WARC-Refers-To')).toBe(last?.id);
    expect(dom?.block.head.toString()).toBe('<p>made é');
    expect(png?.fields.get('Content-Type')).toBe('image/png');
    // A page that forbids copies has no revisit record either.
    const withheld = await exchangeRecords({ ...exchange, withheld: 'noarchive', page: { ...page, rendered } }, tools);
    expect(withheld.map(({ type }) => type)).toEqual(['request', 'metadata']);
  });

  it('marks fields that are no longer true if only the decoded body is known', async () => {
    const { encodedBody: _, ...decoded } = response();
    expect((await records(decoded))['response']).toMatch(/X-Orig-Content-Encoding: gzip\r\n\r\ndecoded\r\n\r\n$/);
    const plain = await records({ ...decoded, headers: [['Content-Length', '7']] });
    expect(plain['response']).toMatch(/\r\nContent-Length: 7\r\n\r\ndecoded\r\n\r\n$/);
  });

  it('reads a large body from its file', async () => {
    const { encodedBody: _, ...decoded } = response({ headers: [['Content-Type', 'application/pdf']] });
    const bytes = Buffer.alloc(3_000_000, 'a page ');
    const file: BodyFile = {
      bytes: bytes.length,
      async *read() {
        for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
      },
      remove: async () => undefined,
    };
    const { response: kept = '' } = await records({ ...decoded, file });
    expect(kept.length).toBeGreaterThan(bytes.length);
    expect(kept.endsWith(`${bytes.subarray(-50).toString()}\r\n\r\n`)).toBe(true);
    expect((await records({ ...decoded, body: bytes }))['response']?.match(/WARC-Payload-Digest: \S+/)?.[0]).toBe(
      kept.match(/WARC-Payload-Digest: \S+/)?.[0],
    );
  });

  const CUTS: readonly (readonly [truncated: ResponseOutcome['truncated'], field: string | undefined])[] = [
    ['limit', 'WARC-Truncated: length'],
    ['connection', 'WARC-Truncated: disconnect'],
    [null, undefined],
  ];
  it.each(CUTS)('says why a body is truncated: %s', async (truncated, field) => {
    expect((await records(response({ truncated })))['response']?.match(/WARC-Truncated: \S+/)?.[0]).toBe(field);
    // The WARC-Truncated of a revisit has another meaning, so the metadata record has the reason.
    const about = (await records(response({ truncated })))['metadata'];
    expect(about?.match(/^truncated: (\S+)/m)?.[0].replace('truncated', 'WARC-Truncated')).toBe(field);
  });

  it('records a repeated payload as a revisit, whatever its URL, unless it is empty', async () => {
    const payloads = new KnownPayloads();
    await records(response({ url: 'https://example.org/first' }), {}, payloads);
    const { revisit } = await records(response(), {}, payloads);
    expect(revisit).toContain('WARC-Refers-To-Target-URI: https://example.org/first\r\n');
    expect(revisit).toContain('WARC-Refers-To-Date: 2026-11-20T12:00:00.007Z\r\n');
    expect(revisit).toContain('WARC-Truncated: length\r\n');
    expect(revisit).toMatch(/Content-Encoding: gzip\r\n\r\n\r\n\r\n$/);
    const empty = response({ encodedBody: Buffer.alloc(0) });
    await records(empty, {}, payloads);
    expect(await records(empty, {}, payloads)).toHaveProperty('response');
  });

  it('is not-modified if the server says so and the earlier response is known', async () => {
    const payloads = new KnownPayloads();
    const unchanged = response({ status: 304, statusText: 'Not Modified', encodedBody: Buffer.alloc(0) });
    expect(await records(unchanged, {}, payloads)).toHaveProperty('response');
    const known = new KnownPayloads();
    await records(response(), {}, known);
    const { revisit = '' } = await records(unchanged, {}, known);
    expect(revisit).toContain('WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\n');
    expect(revisit).not.toContain('WARC-Payload-Digest');
    expect(revisit).not.toContain('WARC-Truncated');
  });

  const ORIGINAL = { url: 'https://example.org/original', date: '2026-11-01T00:00:00.007Z', digest: 'sha256:0a' };
  const TAGS = [
    ['"a"', '"a"', 'server-not-modified', ORIGINAL.digest],
    ['"a"', null, 'server-not-modified', ORIGINAL.digest],
    ['W/"a"', 'W/"a"', 'server-not-modified', undefined],
    // A proxy made the tag weak: the same document, perhaps in other bytes.
    ['"a"', 'W/"a"', 'server-not-modified', undefined],
    [null, '"a"', 'server-not-modified', undefined],
    ['"a"', '"b"', undefined, undefined],
  ] as const;
  it.each(TAGS)(
    'is that of the record whose tag %s was sent, answered with %s',
    async (sent, answered, profile, digest) => {
      const headers: [string, string][] = answered === null ? [] : [['ETag', answered]];
      const outcome = response({ status: 304, headers, encodedBody: Buffer.alloc(0) });
      const request = { url: URL_, purpose: 'page', headers: sent === null ? {} : { 'If-None-Match': sent } };
      // The remembered payload of the URL is from another visit.
      const payloads = new KnownPayloads();
      await records(response(), {}, payloads);
      const { revisit } = await records(outcome, { sent: request, original: ORIGINAL }, payloads);
      expect(revisit?.match(/revisit\/(\S+)/)?.[1]).toBe(profile);
      expect(revisit?.match(/WARC-Refers-To-Target-URI: (\S+)/)?.[1]).toBe(profile && ORIGINAL.url);
      expect(revisit?.match(/WARC-Refers-To-Date: (\S+)/)?.[1]).toBe(profile && ORIGINAL.date);
      expect(revisit?.match(/WARC-Payload-Digest: (\S+)/)?.[1]).toBe(digest);
      expect(await records(outcome, { sent: request, original: null }, payloads)).toHaveProperty('response');
    },
  );

  it('that failed is the request and a reason code', async () => {
    const failed: FetchOutcome = {
      kind: 'failed',
      url: URL_,
      failure: 'timeout-headers',
      detail: 'nothing\r\nfor 30 s',
      remoteAddress: null,
      wasSent: true,
      timing,
    };
    const found = await records(failed);
    expect(Object.keys(found)).toEqual(['request', 'metadata']);
    expect(found['metadata']).toContain('fetchFailure: timeout-headers\r\nfailureDetail: nothing for 30 s\r\n');
    expect(found['request']).not.toContain('WARC-IP-Address');
  });

  it('that is withheld has only the status of its response', async () => {
    const found = await records(response(), { withheld: 'noarchive' });
    expect(Object.keys(found)).toEqual(['request', 'metadata']);
    expect(found['metadata']).toContain('withheld: noarchive\r\nstatus: 200\r\n');
    const noStore = await records(response(), { withheld: 'no-store' });
    expect(noStore['response']).toMatch(/WARC-Truncated: unspecified[\s\S]*Content-Encoding: gzip\r\n\r\n\r\n\r\n$/);
  });
});
