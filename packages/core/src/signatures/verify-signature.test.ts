// A valid signature verifies; everything else has its own code (identity 16, refusals).

import { describe, expect, it } from 'vitest';
import { TEST_KEY } from '../../test-support/test-key.js';
import { COVERED_COMPONENTS, DIRECTORY_TAG, type SignatureForm } from './profile.js';
import { requestSigner, type SignatureFields, type SigningTerms } from './sign-request.js';
import { type KeysOf, verifySignature } from './verify-signature.js';

const NOW_MS = 1_800_000_000_000;
const AGENT = 'https://bot.example/keys';
const URL_A = 'https://a.example/b?c=1';
const TERMS: SigningTerms = {
  form: 'url',
  agent: AGENT,
  components: COVERED_COMPONENTS.path,
  lifetimeSeconds: 60,
  nonce: true,
};
const keys: KeysOf = (agent, keyid) => (agent === AGENT && keyid === TEST_KEY.keyid ? TEST_KEY.publicJwk : null);

const signed = (terms: Partial<SigningTerms> = {}) =>
  requestSigner(TEST_KEY, { ...TERMS, ...terms })(new URL(URL_A), NOW_MS);
const judged = (
  fields: Readonly<Record<string, string>>,
  more: { url?: string; atMs?: number; keys?: KeysOf } = {},
) => {
  const verdict = verifySignature(
    { method: 'GET', url: more.url ?? URL_A, headers: Object.entries(fields) },
    more.keys ?? keys,
    { nowMs: more.atMs ?? NOW_MS },
  );
  return verdict.kind === 'verified' ? 'verified' : `${verdict.kind}: ${verdict.reason}`;
};
/** Signature-Input is changed and signed again, as by a careless signer. */
const signedAs = async (params: string, agentField = `sig1="${AGENT}"`) => {
  const [inner = ''] = /^\([^)]*\)/.exec(params) ?? [];
  const values: Record<string, string> = {
    '"@method"': 'GET',
    '"@authority"': 'a.example',
    '"@path"': '/b',
    '"signature-agent"': agentField,
  };
  const lines = (inner.match(/"[^"]*"(?:;key="\w+")?/g) ?? []).map((each) => {
    const key = /key="(\w+)"/.exec(each)?.[1];
    const member = key === undefined ? null : new RegExp(`${key}=("[^"]*"(?:;[^,]*)?)`).exec(agentField)?.[1];
    return `${each}: ${member ?? values[each]}`;
  });
  const base = [...lines, `"@signature-params": ${params}`].join('\n');
  const signature = Buffer.from(TEST_KEY.sign(Buffer.from(base))).toString('base64');
  return { 'Signature-Agent': agentField, 'Signature-Input': `sig1=${params}`, Signature: `sig1=:${signature}:` };
};
const RIGHTS = `;created=1799999998;expires=1800000058;keyid="${TEST_KEY.keyid}";tag="web-bot-auth"`;
const ALL = '"@method" "@authority" "@path" "signature-agent";key="sig1"';

describe('a valid signature', () => {
  it.each(['url', 'origin', 'string'] as SignatureForm[])('in the form %s', async (form) => {
    const agent = form === 'url' ? AGENT : 'https://bot.example';
    const fields = await signed({ form, agent });
    expect(judged(fields, { keys: (given) => (given === agent ? TEST_KEY.publicJwk : null) })).toBe('verified');
  });

  it('with the query, another label, no nonce', async () => {
    expect(judged(await signed({ components: COVERED_COMPONENTS.query, nonce: false, label: 'abc' }))).toBe('verified');
    expect(judged(await signedAs(`(${ALL})${RIGHTS}`))).toBe('verified');
  });

  it('however its fields are spaced: what is signed is their one serialization (RFC 9421 2.3)', async () => {
    const fields = await signed({ form: 'string', agent: 'https://bot.example' });
    const spaced = {
      'Signature-Agent': ` ${fields['Signature-Agent']} `,
      'Signature-Input': fields['Signature-Input'].replaceAll(' ', '  ').replaceAll(';', '; '),
      Signature: ` ${fields.Signature}`,
    };
    expect(judged(spaced, { keys: () => TEST_KEY.publicJwk })).toBe('verified');
    const lacking = { ...spaced, 'Signature-Input': spaced['Signature-Input'].replace('"@path"', '') };
    expect(judged(lacking, { keys: () => TEST_KEY.publicJwk })).toBe('invalid: signature-wrong');
  });

  it('differs each time, and can be compared', async () => {
    const [one, two] = [await signed(), await signed()];
    expect(one.Signature).not.toBe(two.Signature);
    const verdict = verifySignature({ method: 'GET', url: URL_A, headers: Object.entries(one) }, keys, {
      nowMs: NOW_MS,
    });
    expect(verdict).toMatchObject({ kind: 'verified', agent: AGENT, created: 1_799_999_998, expires: 1_800_000_058 });
    expect(`sig1=:${verdict.kind === 'verified' ? verdict.signature : ''}:`).toBe(one.Signature);
    expect(verdict).toMatchObject({ nonce: expect.stringMatching(/^.{88}$/) });
  });
});

describe('refusals, each with its code', () => {
  it.each<[string, (fields: SignatureFields) => string | Promise<string>]>([
    ['unverified: unsigned', () => judged({})],
    ['unverified: key-unknown', (fields) => judged(fields, { keys: () => null })],
    // The key is known, but another agent publishes it.
    ['unverified: key-unknown', async () => judged(await signed({ agent: 'https://other.example/' }))],
    [
      'unverified: key-unknown',
      (fields) => judged(fields, { keys: () => ({ kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) }) }),
    ],
    ['invalid: not-https', (fields) => judged(fields, { url: 'http://a.example/b' })],
    ['invalid: signature-wrong', (fields) => judged(fields, { url: 'https://a.example/other' })],
    ['invalid: signature-wrong', (fields) => judged(fields, { url: 'https://b.example/b' })],
    [
      'invalid: signature-wrong',
      (fields) =>
        judged({ ...fields, Signature: fields.Signature.replace(/:(.)/, (_, first) => (first === 'A' ? ':B' : ':A')) }),
    ],
    ['invalid: unparsable', (fields) => judged({ ...fields, 'Signature-Input': `${fields['Signature-Input']},` })],
    ['invalid: unparsable', (fields) => judged({ ...fields, Signature: 'sig1=:x' })],
    ['invalid: unparsable', (fields) => judged({ ...fields, 'Signature-Agent': '(((' })],
    ['invalid: signature-absent', (fields) => judged({ ...fields, Signature: 'sig2=:AAAA:' })],
    ['invalid: signature-absent', ({ Signature }) => judged({ Signature })],
    ['invalid: created-ahead', (fields) => judged(fields, { atMs: NOW_MS - 3_000 })],
    ['invalid: expired', (fields) => judged(fields, { atMs: NOW_MS + 58_000 })],
    ['invalid: life-too-long', async () => judged(await signed({ lifetimeSeconds: 86_401 }))],
    ['invalid: component-missing', ({ 'Signature-Agent': _, ...rest }) => judged(rest)],
    ['invalid: component-missing', (fields) => judged({ ...fields, 'Signature-Agent': `other="${AGENT}"` })],
    ['invalid: authority-not-covered', async () => judged(await signed({ components: ['"@method"', '"@path"'] }))],
    ['invalid: agent-not-covered', async () => judged(await signedAs(`("@authority")${RIGHTS}`))],
    ['invalid: agent-not-https', async () => judged(await signed({ agent: 'http://bot.example/' }))],
    [
      'invalid: agent-not-keyed',
      async () =>
        judged(await signedAs(`("@authority" "signature-agent";key="b")${RIGHTS}`, `a="${AGENT}", b="${AGENT}"`)),
    ],
    ['invalid: component-twice', async () => judged(await signedAs(`("@authority" ${ALL})${RIGHTS}`))],
    ['invalid: component-missing', async () => judged(await signedAs(`("@status" ${ALL})${RIGHTS}`))],
    ['invalid: tag-other', async () => judged(await signedAs(`(${ALL})${RIGHTS.replace('web-bot-auth', 'other')}`))],
    [
      'invalid: parameter-missing',
      async () => judged(await signedAs(`(${ALL})${RIGHTS.replace(';created', ';made')}`)),
    ],
    ['invalid: algorithm-other', async () => judged(await signedAs(`(${ALL})${RIGHTS};alg="hmac-sha256"`))],
  ])('%s (%#)', async (expected, fault) => {
    expect(await fault(await signed())).toBe(expected);
  });

  it('a request with the signature of a directory', async () => {
    const message = { method: 'GET', url: URL_A, headers: Object.entries(await signed()) };
    const verdict = verifySignature(message, keys, { nowMs: NOW_MS, tag: DIRECTORY_TAG });
    expect(verdict).toEqual({ kind: 'invalid', reason: 'tag-other' });
  });
});

it('only https requests are signed, and with 64 bytes', async () => {
  await expect(requestSigner(TEST_KEY, TERMS)(new URL('http://a.example/'), NOW_MS)).rejects.toThrow('https');
  const short = { keyid: TEST_KEY.keyid, sign: async () => new Uint8Array(63) };
  await expect(requestSigner(short, TERMS)(new URL(URL_A), NOW_MS)).rejects.toThrow('63');
});
