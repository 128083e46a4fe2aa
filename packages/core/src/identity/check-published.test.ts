// Each way of serving an identity wrongly is reported with its own code, and nothing else is.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIRECTORY_PATH } from '../signatures/profile.js';
import { loadSigningKey, type SigningKey } from '../signatures/signing-key.js';
import { checkNames, type NameLookup } from './addresses.js';
import { checkPublished } from './check-published.js';
import { identityFiles, writeIdentityFolder } from './publish.js';
import { type FetchPublished, type PublishedAnswer, publishedFolder } from './published-file.js';
import { writeKeyFile } from './rotation.js';

const NOW = Date.UTC(2026, 10, 23);
const DAY = 86_400_000;
const AGENT = new URL('https://bot.example/');
const IDENTITY = {
  name: 'tidepool',
  contact: 'us@example.org',
  userAgent: 'tidepool/1.0 (+us@example.org)',
  tokens: ['tidepool'],
  purposes: ['search'],
  egress: ['198.51.100.0/28'],
  domain: null,
  page: null,
  minIntervalMs: 1_000,
  agent: AGENT,
};

let base: string;
let keys: readonly SigningKey[];
let whole: FetchPublished;
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-check-'));
  const paths = ['one.key', 'two.key'].map((name) => join(base, 'keys', name));
  for (const path of paths) await writeKeyFile(path);
  keys = paths.map((path) => loadSigningKey(`file:${path}`));
  await writeIdentityFolder(join(base, 'folder'), await identityFiles(IDENTITY, keys, NOW));
  whole = publishedFolder(join(base, 'folder'));
});
afterAll(() => rmSync(base, { recursive: true }));

const expected = () => ({ ...IDENTITY, keyids: keys.map(({ keyid }) => keyid) });
const codesOf = async (get: FetchPublished, nowMs = NOW, more: object = {}) => [
  ...new Set((await checkPublished(AGENT, { ...expected(), ...more }, get, nowMs)).map(({ code }) => code)),
];

type Change = (answer: PublishedAnswer) => Partial<PublishedAnswer> | string;
const served =
  (path: string, change: Change): FetchPublished =>
  async (url) => {
    const answer = await whole(url);
    if (typeof answer === 'string' || url.pathname !== path) return answer;
    const changed = change(answer);
    return typeof changed === 'string' ? changed : { ...answer, ...changed };
  };
const without =
  (...names: readonly string[]): Change =>
  ({ headers }) => ({ headers: headers.filter(([name]) => !names.includes(name.toLowerCase())) });
const as =
  (name: string, value: string): Change =>
  (answer) => ({ headers: [...(without(name)(answer) as PublishedAnswer).headers, [name, value]] });
const body =
  (edit: (json: Record<string, unknown>) => unknown): Change =>
  (answer) => ({ body: Buffer.from(JSON.stringify(edit(JSON.parse(Buffer.from(answer.body).toString())))) });
const member = (more: object) =>
  body((json) => ({ keys: (json['keys'] as object[]).map((key, at) => (at === 0 ? { ...key, ...more } : key)) }));
/** A changed body also fails its digest. */
const CHANGED = ['directory-digest'];

describe('what is published', () => {
  it('is correct as it was written', async () => {
    expect(await codesOf(whole)).toEqual([]);
    expect(await checkPublished(AGENT, null, whole, NOW)).toEqual([]);
  });

  it('is correct if the agent is the path of the directory, as in the documents', async () => {
    const agent = new URL(DIRECTORY_PATH, AGENT);
    expect(await checkPublished(agent, expected(), whole, NOW)).toEqual([]);
  });

  it.each<[title: string, path: string, change: Change, codes: readonly string[]]>([
    ['a directory that is not there', DIRECTORY_PATH, () => ({ status: 404 }), ['directory-status']],
    ['a challenge', DIRECTORY_PATH, () => ({ status: 403 }), ['directory-status']],
    ['a host that does not answer', DIRECTORY_PATH, () => 'it does not come: timeout', ['directory-absent']],
    ['a redirect', DIRECTORY_PATH, () => ({ status: 301, headers: [['location', '/x']] }), ['directory-redirects']],
    ['more than 64 KiB', DIRECTORY_PATH, () => ({ isTruncated: true }), ['directory-too-large']],
    ['another media type', DIRECTORY_PATH, as('content-type', 'application/json'), ['directory-type']],
    ['no open access', DIRECTORY_PATH, without('access-control-allow-origin'), ['directory-cors']],
    ['no word about caching', DIRECTORY_PATH, without('cache-control'), ['directory-cache']],
    ['a week of caching', DIRECTORY_PATH, as('cache-control', 'public, max-age=604800'), ['directory-cache']],
    ['no JSON', DIRECTORY_PATH, () => ({ body: Buffer.from('<html>') }), ['directory-unreadable']],
    ['no list', DIRECTORY_PATH, body(() => ({})), ['directory-unreadable']],
    [
      'a private key',
      DIRECTORY_PATH,
      member({ d: 'x' }),
      ['directory-private', 'directory-mismatch', ...CHANGED, 'directory-signature'],
    ],
    ['another kid', DIRECTORY_PATH, member({ kid: 'mine' }), ['directory-kid', ...CHANGED]],
    [
      'too many keys',
      DIRECTORY_PATH,
      body((json) => ({ keys: Array.from({ length: 17 }, (_, at) => (json['keys'] as object[])[at % 2]) })),
      ['directory-keys', ...CHANGED],
    ],
    ['another body than the one that was signed', DIRECTORY_PATH, body((json) => ({ ...json, more: 1 })), CHANGED],
    ['no signature', DIRECTORY_PATH, without('signature', 'signature-input'), ['directory-unsigned']],
    ['no digest', DIRECTORY_PATH, without('content-digest'), ['directory-signature', 'directory-unsigned']],
    [
      'the signature of one key alone',
      DIRECTORY_PATH,
      (answer) => ({
        headers: answer.headers.map(([name, value]) =>
          name === 'Signature-Input' ? [name, value.split(', sig2=')[0] ?? ''] : [name, value],
        ),
      }),
      ['directory-unsigned'],
    ],
    ['the root without the keys', '/', () => ({ status: 404 }), ['directory-status']],
    ['no card', '/card.json', () => ({ status: 404 }), ['card-status']],
    ['a card that is no JSON', '/card.json', () => ({ body: Buffer.from('[]') }), ['card-unreadable']],
    [
      'the card of another host',
      '/card.json',
      body((json) => ({ ...json, client_id: 'https://x/' })),
      ['card-mismatch'],
    ],
    ['a card of another name', '/card.json', body((json) => ({ ...json, client_name: 'x' })), ['card-mismatch']],
    ['no list of addresses', '/ips.json', () => ({ status: 404 }), ['ips-status']],
    ['a list of other addresses', '/ips.json', body((json) => ({ ...json, prefixes: [] })), ['ips-mismatch']],
    ['a list as text', '/ips.json', as('content-type', 'text/plain'), ['ips-type']],
    ['no page', '/about.html', () => ({ status: 500 }), ['page-status']],
    ['a page about somebody else', '/about.html', () => ({ body: Buffer.from('<p>x') }), ['page-mismatch']],
  ])('is wrong: %s', async (_, path, change, codes) => {
    expect((await codesOf(served(path, change))).sort()).toEqual([...codes].sort());
  });

  it('becomes wrong with time', async () => {
    expect(await codesOf(whole, NOW + 2 * DAY)).toEqual(['ips-stale']);
    expect(await codesOf(whole, NOW + 31 * DAY)).toEqual(['directory-signature', 'directory-unsigned', 'ips-stale']);
  });

  it('is compared with the configuration', async () => {
    expect(await codesOf(whole, NOW, { keyids: ['other'] })).toEqual(['directory-mismatch']);
    expect(await codesOf(whole, NOW, { purposes: [] })).toEqual(['card-mismatch']);
    expect(await codesOf(whole, NOW, { egress: ['192.0.2.0/28'] })).toEqual(['ips-mismatch']);
    expect(await codesOf(whole, NOW, { tokens: ['other'] })).toEqual(['card-mismatch', 'page-mismatch']);
  });
});

describe('the names of addresses', () => {
  const lookup = (names: Readonly<Record<string, string>>, back: Readonly<Record<string, string>>): NameLookup => ({
    reverse: async (address) => (names[address] === undefined ? Promise.reject(new Error('none')) : [names[address]]),
    resolve4: async (name) => (back[name] === undefined ? [] : [back[name]]),
    resolve6: async (name) => (back[name] === undefined ? [] : [back[name]]),
  });

  it('resolve to the domain and back', async () => {
    const names = { '192.0.2.4': 'a.bot.example.', '192.0.2.5': 'b.bot.example', '2a01:4f8::1': 'c.bot.example' };
    const back = { 'a.bot.example': '192.0.2.4', 'b.bot.example': '192.0.2.5', 'c.bot.example': '2a01:4f8:0::1' };
    expect(await checkNames(['192.0.2.4/31', '2a01:4f8::1/128'], 'bot.example', lookup(names, back))).toEqual([]);
  });

  it('are reported if they are missing, of another domain, or do not resolve back', async () => {
    const names = { '192.0.2.5': 'evilbot.example', '192.0.2.6': 'c.bot.example' };
    const found = await checkNames(['192.0.2.4/30'], 'bot.example', lookup(names, { 'c.bot.example': '192.0.2.9' }));
    expect(found.map(({ url }) => url)).toEqual(['192.0.2.4', '192.0.2.5', '192.0.2.6', '192.0.2.7']);
    expect(found[2]?.detail).toContain('does not lead back');
    expect(found[0]?.detail).toContain('crawl-192-0-2-4.bot.example');
  });

  it('of a large range are looked up at its ends', async () => {
    const found = await checkNames(['2a01:4f8::/64', '198.51.100.0/24'], 'bot.example', lookup({}, {}));
    expect(found.map(({ url }) => url)).toEqual([
      '2a01:4f8::',
      '2a01:4f8::ffff:ffff:ffff:ffff',
      '198.51.100.0',
      '198.51.100.255',
    ]);
  });
});
