// The site's side of signed requests: the sender is verified with the keys that its agent publishes, and a stranger's
// directory neither counts as a proof nor costs much.

import { generateKeyPairSync } from 'node:crypto';
import { createUndiciFetcher } from 'mannerly';
import { createRequestVerifier, keyDirectory, loadSigningKey } from 'mannerly/identity';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CONTACT, crawl } from '../support/crawl.js';
import { OTHER_SITE, SITE, SITE_CA, SITE_TLS, TEST_PEM } from '../support/signature-witness.js';
import { page, type Reply, redirect, type WebExchange } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const VARIABLE = 'MANNERLY_TEST_KEY';
beforeAll(() => {
  process.env[VARIABLE] = TEST_PEM;
});
afterAll(() => {
  delete process.env[VARIABLE];
});

const ownKey = () => loadSigningKey(`env:${VARIABLE}`);
const DIRECTORY = () => ({ headers: { 'cache-control': 'max-age=60' }, body: keyDirectory([ownKey()]) });

function verifier(more: Parameters<typeof createRequestVerifier>[0] = {}) {
  const made = createRequestVerifier({
    fetcher: createUndiciFetcher({ ca: SITE_CA }),
    allowAddresses: ['127.0.0.0/8'],
    resolve: async () => ['127.0.0.1'],
    ...more,
  });
  onTestFinished(() => made.close());
  return made;
}
const messageOf = ({ authority, path, headers }: WebExchange) => ({
  method: 'GET',
  url: `https://${authority}${path}`,
  headers: Object.entries(headers),
});

/** Crawls a site with signatures. @returns The site's requests, and how often the directory was requested. */
async function signedRequests(directory: () => Reply, agentPath = '/keys') {
  let directoryRequests = 0;
  const answer = (): Reply => {
    directoryRequests += 1;
    return directory();
  };
  const web = await webForTest({
    hosts: { [SITE]: { '*': answer }, [OTHER_SITE]: { '/': page('start', ['/b']), '/b': page('b') } },
    tls: SITE_TLS,
  });
  const form = agentPath === '' ? ('origin' as const) : ('url' as const);
  const agent = agentPath === '' ? new URL(web.url(SITE)).origin : web.url(SITE, agentPath);
  await crawl({
    identity: { name: 'test-bot', contact: CONTACT, signature: { key: `env:${VARIABLE}`, agent, form } },
    fetcher: createUndiciFetcher({ ca: SITE_CA }),
    seeds: [web.url(OTHER_SITE)],
  });
  return {
    requests: web.log.filter(({ host }) => host === OTHER_SITE),
    agent,
    directoryRequests: () => directoryRequests,
  };
}

describe('a request', () => {
  it('is verified by the keys of its agent, which are fetched once', async () => {
    const { requests, agent, directoryRequests } = await signedRequests(DIRECTORY);
    const { verify } = verifier();
    const verdicts = await Promise.all(requests.map((each) => verify(messageOf(each))));
    expect(verdicts.map(({ kind }) => kind)).toEqual(['verified', 'verified', 'verified']);
    expect(verdicts[0]).toMatchObject({ agent, keyid: ownKey().keyid });
    expect(directoryRequests()).toBe(1);
    const [request] = requests.map(messageOf);
    const elsewhere = { ...request!, url: 'https://elsewhere.example/' };
    expect(await verify(elsewhere)).toEqual({ kind: 'invalid', reason: 'signature-wrong' });
    expect(await verify({ ...request!, headers: [] })).toEqual({ kind: 'unverified', reason: 'unsigned' });
  });

  it('is verified at its well-known path if the agent is an origin', async () => {
    const { requests } = await signedRequests(DIRECTORY, '');
    expect((await verifier().verify(messageOf(requests[0]!))).kind).toBe('verified');
  });

  const other = () => generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  it.each<[string, () => Reply]>([
    ['is missing', () => ({ status: 404 })],
    ['is somewhere else', () => redirect('/other')],
    ['is no JSON', () => ({ body: '<html>' })],
    ['has no keys', () => ({ body: '{"keys":{}}' })],
    ['has too many keys', () => ({ body: JSON.stringify({ keys: [...Array(16).fill(other()), ownKey().publicJwk] }) })],
    ['is too large', () => ({ body: JSON.stringify({ keys: [ownKey().publicJwk], more: 'x'.repeat(65_536) }) })],
    ['has another key', () => ({ body: JSON.stringify({ keys: [other()] }) })],
    [
      'gives a key of its own our name',
      () => ({ body: JSON.stringify({ keys: [{ ...other(), kid: ownKey().keyid }] }) }),
    ],
    ['breaks off', () => ({ misbehave: 'cut' })],
  ])('is not verified if the directory %s, which is not requested again at once', async (_, directory) => {
    const { requests, directoryRequests } = await signedRequests(directory);
    const { verify } = verifier();
    for (const request of requests)
      expect(await verify(messageOf(request))).toEqual({ kind: 'unverified', reason: 'key-unknown' });
    expect(directoryRequests()).toBe(1);
  });

  it('does not let its agent name an address that is not public', async () => {
    const { requests, directoryRequests } = await signedRequests(DIRECTORY);
    const { verify } = verifier({ allowAddresses: [] });
    expect(await verify(messageOf(requests[0]!))).toEqual({ kind: 'unverified', reason: 'key-unknown' });
    expect(directoryRequests()).toBe(0);
  });

  it('is verified with the known keys if the directory fails later', async () => {
    let isDown = false;
    const { requests, directoryRequests } = await signedRequests(() => (isDown ? { status: 503 } : DIRECTORY()));
    let nowMs = Date.now();
    const { verify } = verifier({ nowMs: () => nowMs, toleranceSeconds: 300 });
    expect((await verify(messageOf(requests[0]!))).kind).toBe('verified');
    isDown = true;
    // A request with another key, once the directory is a minute old: the directory is fetched again, and verification
    // fails.
    nowMs += 100_000;
    const unknown = messageOf(requests[1]!);
    const input = unknown.headers.map(
      ([name, value]) => [name, value.replace(ownKey().keyid, 'x'.repeat(43))] as const,
    );
    expect((await verify({ ...unknown, headers: input })).kind).not.toBe('verified');
    expect((await verify(messageOf(requests[1]!))).kind).toBe('verified');
    expect(directoryRequests()).toBe(2);
  });

  it('judges a request whose signature covers a field that Node.js keeps as a list', async () => {
    const created = Math.floor(Date.now() / 1_000);
    const covered = `("@authority" "set-cookie" "signature-agent";key="sig1")`;
    const headers = Object.entries({
      'set-cookie': ['a', 'b'],
      'signature-agent': 'sig1="https://a.test/keys"',
      'signature-input': `sig1=${covered};created=${created};expires=${created + 60};keyid="x";tag="web-bot-auth"`,
      signature: `sig1=:${Buffer.alloc(64).toString('base64')}:`,
      expect: undefined,
    });
    const verdict = await verifier().verify({ method: 'GET', url: 'https://b.test/', headers });
    expect(verdict).toEqual({ kind: 'unverified', reason: 'key-unknown' });
  });

  it('reports what is not a request', async () => {
    const request = { method: 'GET', url: 'https://b.test/', headers: { host: 'b.test' } };
    await expect(verifier().verify(request as never)).rejects.toMatchObject({
      code: 'option-invalid',
      hint: expect.stringContaining('Object.entries(request.headers)'),
    });
  });

  it('takes a tolerance from 0 to 300 seconds', () => {
    expect(() => createRequestVerifier({ toleranceSeconds: 301 })).toThrow('toleranceSeconds');
  });
});
