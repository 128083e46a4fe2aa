// A site may ask for other components. A request that would weaken a signature, or that we cannot satisfy, is not
// answered.

import { describe, expect, it } from 'vitest';
import { requestedTerms } from './crawl-signing.js';
import { COVERED_COMPONENTS } from './profile.js';
import type { SigningTerms } from './sign-request.js';

const OWN: SigningTerms = {
  form: 'url',
  agent: 'https://bot.example/',
  components: COVERED_COMPONENTS.path,
  lifetimeSeconds: 60,
  nonce: true,
};
const KEYID = 'k'.repeat(43);
const termsFor = (field: string, own = OWN) => requestedTerms(field, own, KEYID);

describe('answered', () => {
  it.each([
    ['sig=("@authority" "@query");created;expires;nonce="abc"', 'sig', ['"@authority"', '"@query"'], 'abc'],
    ['a=("@path" "signature-agent";key="a");tag="web-bot-auth"', 'a', ['"@path"', '"@authority"'], true],
    [`a=("@method" "@authority");keyid="${KEYID}";alg="ed25519"`, 'a', ['"@method"', '"@authority"'], true],
    ['a=()', 'a', ['"@authority"'], true],
    [`a=();nonce="${'n'.repeat(256)}"`, 'a', ['"@authority"'], 'n'.repeat(256)],
    ['a=("date");tag="web-bot-auth", b=("@authority")', 'b', ['"@authority"'], true],
  ])('%s', (field, label, components, nonce) => {
    expect(termsFor(field)).toEqual({ ...OWN, label, components, nonce });
  });

  it('with the form of the crawl', () => {
    expect(termsFor('a=("@authority" "signature-agent")', { ...OWN, form: 'string' })).toMatchObject({
      form: 'string',
    });
    expect(termsFor('a=("@authority" "signature-agent")')).toBeNull();
  });
});

it.each([
  '',
  'a',
  'a="x"',
  'a=("@authority"',
  'a=("date")',
  'a=("content-digest")',
  'a=("@target-uri")',
  'a=("@query-param";name="x")',
  'a=("@authority";req)',
  'a=("@authority" "@authority")',
  'a=("@authority" "signature-agent";key="b")',
  'a=("@authority");tag="other"',
  'a=("@authority");alg="rsa-pss-sha512"',
  'a=("@authority");keyid="other"',
  'a=("@authority");context="x"',
  'a=("@authority");nonce=:AA==:',
  'a=("@authority");nonce=""',
  'a=("@authority");nonce="a\\"b"',
  `a=("@authority");nonce="${'n'.repeat(257)}"`,
])('not answered: %s', (field) => {
  expect(termsFor(field)).toBeNull();
});
