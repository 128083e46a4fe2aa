// The vectors of the specification (identity 16). Ed25519 is deterministic, so equality is required.

import { createHash } from 'node:crypto';
import type { InnerList } from 'structured-headers';
import { describe, expect, it } from 'vitest';
import { TEST_KEY } from '../../test-support/test-key.js';
import { DIRECTORY_TAG } from './profile.js';
import { requestSigner } from './sign-request.js';
import { signatureBase } from './signature-base.js';
import type { SignedMessage } from './signed-message.js';
import { thumbprint } from './signing-key.js';
import { parseMembers } from './structured-field.js';
import { type VerifyOptions, verifySignature } from './verify-signature.js';

const KID = TEST_KEY.keyid;
const keys = (_agent: string | null, keyid: string) => (keyid === KID ? TEST_KEY.publicJwk : null);
const BODY = `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"${KID}","x":"${TEST_KEY.publicJwk.x}","use":"sig"}]}`;
const DIGEST = createHash('sha256').update(BODY).digest('base64');

interface Vector {
  readonly name: string;
  readonly message: SignedMessage;
  readonly input: string;
  readonly bytes: number;
  readonly signature: string;
}
const get = (url: string, headers: SignedMessage['headers']): SignedMessage => ({ method: 'GET', url, headers });

const VECTORS: readonly Vector[] = [
  {
    name: 'RFC 9421 B.2.6',
    message: {
      method: 'POST',
      url: 'https://example.com/foo?param=Value&Pet=dog',
      headers: [
        ['Date', 'Tue, 20 Apr 2021 02:07:55 GMT'],
        ['Content-Type', 'application/json'],
        ['Content-Length', '18'],
      ],
    },
    input:
      '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473' +
      ';keyid="test-key-ed25519"',
    bytes: 284,
    signature: 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==',
  },
  {
    name: 'the dictionary of the draft',
    message: get('https://example.com/', [['Signature-Agent', 'agent2="https://signature-agent.test"']]),
    input:
      `("@authority" "signature-agent";key="agent2");created=1735689600;keyid="${KID}";alg="ed25519"` +
      ';expires=4889289600' +
      ';nonce="n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA=="' +
      ';tag="web-bot-auth"',
    bytes: 375,
    signature: 'RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==',
  },
  {
    name: 'the string of older drafts',
    message: get('https://example.com/', [['signature-agent', '"https://signature-agent.test"']]),
    input:
      `("@authority" "signature-agent");created=1735689600;keyid="${KID}";alg="ed25519";expires=1735693200` +
      ';nonce="e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg=="' +
      ';tag="web-bot-auth"',
    bytes: 349,
    signature: 'jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==',
  },
  {
    name: 'the answer of a key directory',
    message: {
      ...get('https://signature-agent.test/', [['Content-Digest', `sha-256=:${DIGEST}:`]]),
      isResponse: true,
    },
    input:
      `("@authority";req "content-digest");created=1735689600;expires=4889289600;keyid="${KID}"` +
      `;tag="${DIRECTORY_TAG}"`,
    bytes: 298,
    signature: 'l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==',
  },
];

describe('published vectors', () => {
  it('thumbprints', () => {
    expect(KID).toBe('poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U');
    const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
    expect(thumbprint({ kty: 'OKP', crv: 'Ed25519', x })).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
    expect([Buffer.byteLength(BODY), DIGEST]).toEqual([154, 'CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=']);
  });

  it.each(VECTORS)('$name', ({ message, input, bytes, signature }) => {
    const covered = parseMembers(`sig2=${input}`)?.get('sig2') as InnerList;
    const base = signatureBase(message, covered) ?? '';
    expect([Buffer.byteLength(base), Buffer.from(TEST_KEY.sign(Buffer.from(base))).toString('base64')]).toEqual([
      bytes,
      signature,
    ]);
  });

  it.each(VECTORS.slice(1))('$name verifies', ({ message, input, signature }) => {
    const headers = [...message.headers, ['Signature-Input', `sig2=${input}`], ['Signature', `sig2=:${signature}:`]];
    const signed = { ...message, headers } as SignedMessage;
    const options = { nowMs: 1_735_690_000_000, maxLifetimeSeconds: 4e9 };
    const tag = message.isResponse === true ? DIRECTORY_TAG : undefined;
    const verifyOptions: VerifyOptions = tag === undefined ? options : { ...options, tag };
    expect(verifySignature(signed, keys, verifyOptions)).toMatchObject({ kind: 'verified', keyid: KID, signature });
    const moved = { ...signed, url: 'https://other.example/' };
    expect(verifySignature(moved, keys, verifyOptions)).toEqual({ kind: 'invalid', reason: 'signature-wrong' });
  });
});

describe('our own vectors', () => {
  const terms = {
    form: 'url' as const,
    agent: 'https://bot.example/.well-known/http-message-signatures-directory',
    components: ['"@method"', '"@authority"', '"@path"', '"@query"'],
    lifetimeSeconds: 60,
    nonce: false,
  };
  it.each([
    [
      'https://example.com/path',
      'Gywv5cCV3LrlvWZG1oO1Rooz4Mp+x9nXnD0dEtmF9H8EqWhz+3K3p5BnWK9wsROD73RJEkUloEX+FPGCzj0nAw==',
    ],
    [
      'https://example.com:8443/a%20b?x=1&y=%C3%A9',
      'QBQRwiEzAb/s3dc3dBTtdxLC32GSIkhof10xrAdqjogEGEq8wbP0CbPmFubO8ylS0inqqiNQm67zX7yKebJJDg==',
    ],
  ])('%s', async (url, signature) => {
    // `created` is two seconds in the past.
    const fields = await requestSigner(TEST_KEY, terms)(new URL(url), 1_735_689_602_000);
    expect(fields.Signature).toBe(`sig1=:${signature}:`);
    expect(fields['Signature-Input']).toMatch(/;created=1735689600;expires=1735689660;.*;tag="web-bot-auth"$/);
  });
});
