// What a crawler publishes: a verifier accepts the directory for 30 days, each kind of host gets the same fields, and
// no file contains a private key. At stake: a key that everybody can read, or a crawl whose signatures are all refused.

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkEgressRanges, isUnlisted } from '../fetch/address-ranges.js';
import { DIRECTORY_PATH, DIRECTORY_TAG } from '../signatures/profile.js';
import { loadSigningKey, type PublicJwk, publicJwkOf, type SigningKey, thumbprint } from '../signatures/signing-key.js';
import { type SignatureVerdict, verifySignature } from '../signatures/verify-signature.js';
import { expectedName } from './addresses.js';
import { identityFiles, writeIdentityFolder } from './publish.js';
import { writeKeyFile } from './rotation.js';

const NOW = Date.UTC(2026, 10, 23);
const DAY = 86_400_000;
const IDENTITY = {
  name: 'tidepool',
  contact: 'us@example.org',
  userAgent: 'tidepool/1.0 (+us@example.org)',
  tokens: ['tidepool'],
  purposes: ['<search>'],
  egress: ['198.51.100.0/28', '2a01:4f8::/64'],
  domain: null as string | null,
  page: null as string | null,
  minIntervalMs: 1_000,
  agent: new URL('https://bot.example/'),
};

let base: string;
let keys: readonly SigningKey[];
let files: ReadonlyMap<string, string>;
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-publish-'));
  const paths = [join(base, 'secret', 'one.key'), join(base, 'secret', 'two.key')];
  for (const path of paths) await writeKeyFile(path);
  keys = paths.map((path) => loadSigningKey(`file:${path}`));
  files = await identityFiles(IDENTITY, keys, NOW);
});
afterAll(() => rmSync(base, { recursive: true }));

describe('a key file', () => {
  it.skipIf(process.platform === 'win32')(
    'is readable only by its owner, and so is a folder that is made for it',
    () => {
      expect(statSync(join(base, 'secret', 'one.key')).mode & 0o777).toBe(0o600);
      expect(statSync(join(base, 'secret')).mode & 0o777).toBe(0o700);
    },
  );

  it('is never replaced', async () => {
    const before = readFileSync(join(base, 'secret', 'one.key'), 'utf8');
    await expect(writeKeyFile(join(base, 'secret', 'one.key'))).rejects.toMatchObject({ code: 'identity-key' });
    expect(readFileSync(join(base, 'secret', 'one.key'), 'utf8')).toBe(before);
  });
});

/** The fields of a path, from `_headers`. */
function fieldsOf(path: string): [string, string][] {
  const [, lines = ''] = `\n${files.get('_headers')}`.split(`\n${path}\n`);
  return (lines.split('\n\n')[0] ?? '').split('\n').flatMap((line) => {
    const [, name = '', value = ''] = /^ {2}([\w-]+): (.*)$/.exec(line) ?? [];
    return name === '' ? [] : [[name, value] as [string, string]];
  });
}

function verdictOf(headers: readonly [string, string][], host: string, nowMs: number): SignatureVerdict {
  const url = `https://${host}${DIRECTORY_PATH}`;
  const listed = JSON.parse(files.get(DIRECTORY_PATH.slice(1)) ?? '') as { keys: { kid: string }[] };
  const keyOf = (_: string | null, keyid: string): PublicJwk | null =>
    publicJwkOf(listed.keys.find(({ kid }) => kid === keyid));
  const options = { nowMs, tag: DIRECTORY_TAG, maxLifetimeSeconds: 31 * 86_400 } as const;
  return verifySignature({ method: 'GET', url, headers, isResponse: true }, keyOf, options);
}

describe('the published directory', () => {
  it('lists each key with its thumbprint, and no private member', () => {
    const { keys: listed } = JSON.parse(files.get(DIRECTORY_PATH.slice(1)) ?? '') as { keys: PublicJwk[] };
    expect(listed.map((key) => thumbprint(key))).toEqual(keys.map(({ keyid }) => keyid));
    for (const key of listed) expect(Object.keys(key)).toEqual(['kty', 'crv', 'x', 'kid', 'use']);
    expect(files.get('index.json')).toBe(files.get(DIRECTORY_PATH.slice(1)));
  });

  it.each([DIRECTORY_PATH, '/'])('is verified at %s for 30 days, with each key, at its own host', (path) => {
    const fields = fieldsOf(path);
    const [one, two] = [0, 1].map((index) =>
      fields.map(([name, value]): [string, string] => {
        const member = /^signature/i.test(name) ? value.split(/, (?=sig2=)/)[index] : value;
        return [name, member ?? ''];
      }),
    ) as [[string, string][], [string, string][]];
    expect(verdictOf(one, 'bot.example', NOW)).toMatchObject({ kind: 'verified', keyid: keys[0]?.keyid });
    expect(verdictOf(two, 'bot.example', NOW + 29 * DAY)).toMatchObject({ kind: 'verified', keyid: keys[1]?.keyid });
    expect(verdictOf(one, 'bot.example', NOW + 30 * DAY)).toMatchObject({ reason: 'expired' });
    expect(verdictOf(one, 'other.example', NOW)).toMatchObject({ reason: 'signature-wrong' });
    const digest = createHash('sha256')
      .update(files.get('index.json') ?? '')
      .digest('base64');
    expect(Object.fromEntries(fields)).toMatchObject({
      'Content-Type': 'application/http-message-signatures-directory+json',
      'Cache-Control': 'max-age=3600',
      'Content-Digest': `sha-256=:${digest}:`,
    });
  });

  it('has the same fields for three kinds of host', () => {
    for (const [name, value] of fieldsOf(DIRECTORY_PATH).filter(([each]) => each !== 'Content-Type')) {
      expect(files.get('nginx.conf.part')).toContain(`  add_header ${name} '${value}';`);
      expect(files.get('Caddyfile.part')).toContain(`  ${name} \`${value}\``);
    }
    expect(files.get('nginx.conf.part')).toContain(`location = ${DIRECTORY_PATH} {`);
  });
});

describe('the card, the list and the page', () => {
  it('agree on the identity', () => {
    const card = JSON.parse(files.get('card.json') ?? '') as Record<string, unknown>;
    expect(card).toMatchObject({
      client_id: 'https://bot.example/card.json',
      contacts: ['mailto:us@example.org'],
      jwks_uri: `https://bot.example${DIRECTORY_PATH}`,
      web_bot_auth: { 'rfc9309-product-token': 'tidepool', ips_uri: 'https://bot.example/ips.json' },
    });
    expect(JSON.parse(files.get('ips.json') ?? '')).toEqual({
      creationTime: '2026-11-23T00:00:00.000Z',
      prefixes: [{ ipv4Prefix: '198.51.100.0/28' }, { ipv6Prefix: '2a01:4f8::/64' }],
    });
    const page = files.get('about.html') ?? '';
    for (const { keyid } of keys) expect(page).toContain(keyid);
    expect(page).toContain('User-agent: tidepool\nDisallow: /');
    // A thumbprint is one word of 43 characters: it has to fit a phone.
    expect(page).toContain('overflow-wrap: anywhere');
    expect(page).toContain('rel="client-ranges"');
    expect(page).not.toMatch(/<search>|<script/);
  });

  it('name no list if no addresses are given', async () => {
    const without = await identityFiles({ ...IDENTITY, egress: [] }, keys, NOW);
    expect([...without.keys()]).not.toContain('ips.json');
    expect([...without.values()].join('')).not.toMatch(/ips\.json|client-ranges/);
  });

  it.each([
    ['198.51.100.1/28', 'without host bits, such as "198.51.100.0/28"'],
    ['2a01:4f8::1/64', 'without host bits'],
    ['10.0.0.0/8', 'public'],
    ['fd00::/8', 'public'],
    ['198.51.100.0', 'a range such as'],
    ['198.51.100.0/33', 'a range such as'],
    ['0x7f.1/8', 'a range such as'],
    ['198.51.100.0/028', 'a range such as'],
    ['198.051.100.0/28', 'a range such as'],
  ])('%s is not a range that can be listed', (range, says) => {
    expect(() => checkEgressRanges([range])).toThrow(says);
  });

  it('is bounded', () => {
    expect(() => checkEgressRanges(Array(1_001).fill('198.51.100.0/28'))).toThrow(
      'expected `identity.egress` to be at most 1000 ranges, got 1001',
    );
  });
});

describe('other fields', () => {
  const published = (more: object) => identityFiles({ ...IDENTITY, ...more }, keys, NOW);
  const botOf = (all: ReadonlyMap<string, string>) =>
    (JSON.parse(all.get('card.json') ?? '') as { web_bot_auth: Record<string, unknown> }).web_bot_auth;

  it.each([
    [1_000, 'max=1rps per host'],
    [3_000, 'max=0.34rps per host'],
    [40, 'max=25rps per host'],
    [0, undefined],
  ])('an interval of %s ms is %s', async (minIntervalMs, verdict) => {
    expect(botOf(await published({ minIntervalMs }))['rate-expectation']).toBe(verdict);
  });

  it('name its page, and the domain in which names of addresses end', async () => {
    const all = await published({ page: 'https://example.org/bot', domain: 'bot.example' });
    expect(JSON.parse(all.get('card.json') ?? '')).toMatchObject({ client_uri: 'https://example.org/bot' });
    expect(all.get('about.html')).toContain('<code>.bot.example</code>');
    expect(files.get('about.html')).not.toContain('lead back');
    expect((await published({ purposes: ['ai-train'] })).get('about.html')).toContain('<code>License</code>');
    expect((await published({ purposes: [] })).get('about.html')).not.toContain('License');
    expect(expectedName('198.51.100.16/28', 'bot.example')).toBe('crawl-198-51-100-16.bot.example');
    expect(expectedName('2a01:4f8::/64', 'bot.example')).toBe('crawl-2a01-4f8.bot.example');
  });
});

describe('an address of this machine', () => {
  it.each([
    ['198.51.100.15', false],
    ['198.51.100.16', true],
    ['::ffff:198.51.100.15', false],
    ['::ffff:198.51.100.16', true],
    ['2a01:4f8::9', false],
    ['2a01:4f9::9', true],
    // Behind a translation, or not an address.
    ['192.168.1.2', false],
    ['100.64.0.1', false],
    ['127.0.0.1', false],
    ['fe80::1%eth0', false],
    ['', false],
  ])('%s is unlisted: %s', (address, unlisted) => {
    expect(isUnlisted(address, IDENTITY.egress)).toBe(unlisted);
  });
});

describe('the folder', () => {
  it('gets every file, and overwrites earlier ones', async () => {
    const folder = join(base, 'public');
    for (const _ of [1, 2]) await writeIdentityFolder(folder, files);
    for (const [name, text] of files) expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
  });

  it.each([
    ['PEM', () => readFileSync(join(base, 'secret', 'one.key'), 'utf8')],
    ['JWK', () => '{"kty":"OKP","d" : "…"}'],
  ])('is refused if it contains a private key, as %s', async (format, text) => {
    const folder = join(base, `mixed ${format}`);
    mkdirSync(join(folder, 'deep'), { recursive: true });
    writeFileSync(join(folder, 'deep', 'bot.key'), text());
    await expect(writeIdentityFolder(folder, files)).rejects.toThrow('key-is-private-in-public-folder');
    expect(readdirSync(folder)).toEqual(['deep']);
  });
});
