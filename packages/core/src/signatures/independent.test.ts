// An independent implementation verifies our signatures, and we verify its signatures: random requests from a fixed
// seed.

import { createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import { httpbis } from 'http-message-signatures';
import { describe, expect, it } from 'vitest';
import { TEST_KEY } from '../../test-support/test-key.js';
import { parseUrl } from '../parse-url.js';
import { COVERED_COMPONENTS, type SignatureForm } from './profile.js';
import { requestSigner } from './sign-request.js';
import { verifySignature } from './verify-signature.js';

const REQUESTS = 300;
const publicKey = createPublicKey({ key: { ...TEST_KEY.publicJwk }, format: 'jwk' });
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
const anyPart = fc.oneof(word, fc.webPath({ size: 'small' }), fc.string({ unit: 'grapheme', maxLength: 12 }));
const anyUrl = fc
  .record({
    host: fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV6().map((ip) => `[${ip}]`),
      fc.constant('BÜCHER.example'),
    ),
    port: fc.option(fc.integer({ min: 1, max: 65_535 })),
    path: fc.array(anyPart, { maxLength: 4 }),
    query: fc.option(anyPart),
  })
  .map(({ host, port, path, query }) => {
    const text = `https://${host}${port === null ? '' : `:${port}`}/${path.join('/')}${query === null ? '' : `?${query}`}`;
    return parseUrl(text) ?? new URL('https://a.example/');
  })
  .map((url) => {
    url.hash = '';
    return url;
  });
const anyTerms = fc.record({
  form: fc.constantFrom<SignatureForm>('url', 'origin', 'string'),
  components: fc.shuffledSubarray([...COVERED_COMPONENTS.query], { minLength: 1 }),
  nonce: fc.boolean(),
  label: word,
  lifetimeSeconds: fc.integer({ min: 30, max: 300 }),
});
const AGENT = 'https://bot.example';

describe('http-message-signatures', () => {
  it(`verifies ${REQUESTS} requests that we sign, and nothing at another host`, async () => {
    await fc.assert(
      fc.asyncProperty(anyUrl, anyTerms, async (url, terms) => {
        const request = { method: 'GET', url: url.href };
        const fields = await requestSigner(TEST_KEY, { ...terms, agent: AGENT })(url, Date.now());
        const judge = (at: string) =>
          httpbis.verifyMessage(
            {
              keyLookup: async ({ keyid }) =>
                keyid === TEST_KEY.keyid
                  ? { algs: ['ed25519'], verify: async (data, bytes) => verify(null, data, publicKey, bytes) }
                  : null,
              requiredParams: ['created', 'expires', 'keyid', 'tag'],
            },
            { ...request, url: at, headers: { ...fields } },
          );
        expect(await judge(url.href)).toBe(true);
        if (terms.components.includes('"@authority"')) expect(await judge('https://other.example/')).toBe(false);
      }),
      { numRuns: REQUESTS, seed: 20_261_123 },
    );
  });

  it(`signs ${REQUESTS} requests that we verify, and not at another host`, async () => {
    await fc.assert(
      fc.asyncProperty(anyUrl, anyTerms, async (url, { form, components, lifetimeSeconds, label, nonce }) => {
        const now = new Date();
        const signed = await httpbis.signMessage(
          {
            key: { id: TEST_KEY.keyid, alg: 'ed25519', sign: async (data) => Buffer.from(TEST_KEY.sign(data)) },
            name: label,
            fields: [
              ...new Set([...components, '"@authority"']),
              form === 'string' ? '"signature-agent"' : `"signature-agent";key="${label}"`,
            ],
            params: ['created', 'expires', 'keyid', 'alg', 'tag', ...(nonce ? ['nonce'] : [])],
            paramValues: {
              created: now,
              expires: new Date(now.getTime() + lifetimeSeconds * 1_000),
              tag: 'web-bot-auth',
              nonce: 'abc/+=',
            },
          },
          {
            method: 'GET',
            url: url.href,
            headers: { 'Signature-Agent': form === 'string' ? `"${AGENT}"` : `${label}="${AGENT}"` },
          },
        );
        const headers = Object.entries(signed.headers).map(([name, value]) => [name, String(value)] as const);
        const judge = (at: string) => {
          const keys = (agent: string | null) => (agent === AGENT ? TEST_KEY.publicJwk : null);
          return verifySignature({ method: 'GET', url: at, headers }, keys, { nowMs: Date.now() });
        };
        expect(judge(url.href)).toMatchObject({ kind: 'verified', agent: AGENT });
        expect(judge('https://other.example/')).toEqual({ kind: 'invalid', reason: 'signature-wrong' });
      }),
      { numRuns: REQUESTS, seed: 20_261_123 },
    );
  });
});
