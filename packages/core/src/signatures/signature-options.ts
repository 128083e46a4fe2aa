// The option group `identity.signature`, checked: the signing key, and the form of signatures.

import { invalidOption, MannerlyError } from '../errors.js';
import { COVERED_COMPONENTS, checkAgent, type SignatureForm, type SignatureScope, TEST_KEYID } from './profile.js';
import type { SigningTerms } from './sign-request.js';
import { loadSigningKey, type Signer } from './signing-key.js';

/** The options as their rows return them; values that are checked here may be anything. */
export interface GivenSignature {
  readonly key: unknown;
  readonly sign: Signer['sign'] | null;
  readonly keyid: string | null;
  readonly agent: unknown;
  readonly form: SignatureForm;
  readonly components: SignatureScope;
  readonly lifetimeSeconds: number;
  readonly nonce: boolean;
}

/** What signs the requests of a crawl, and how. It contains no readable key. */
export interface ResolvedSignature {
  readonly signer: Signer;
  readonly terms: SigningTerms;
  /** Its key proves nothing: it signs only for loopback addresses. */
  readonly isTestKey: boolean;
}

/** @throws MannerlyError `identity-key` for the key; `option-invalid` for the agent, and for options that conflict. */
export function resolveSignature(given: GivenSignature): ResolvedSignature {
  const { key, sign, keyid, form, components, lifetimeSeconds, nonce } = given;
  const agent = checkAgent(form, given.agent);
  const terms = { form, agent, components: COVERED_COMPONENTS[components], lifetimeSeconds, nonce };
  if ((key === null) === (sign === null) || (sign === null) !== (keyid === null)) {
    // A given key is never shown.
    throw new MannerlyError('option-invalid', 'expected `identity.signature` to have `key`, or `sign` with `keyid`');
  }
  if (sign === null || keyid === null) {
    const loaded = loadSigningKey(typeof key === 'string' ? key : '');
    return { signer: loaded, terms, isTestKey: loaded.isTestKey };
  }
  if (!/^[\w-]{43}$/.test(keyid)) {
    const range = 'the thumbprint of the public key (RFC 7638), 43 characters';
    throw invalidOption('identity.signature.keyid', range, keyid);
  }
  return { signer: { keyid, sign }, terms, isTestKey: keyid === TEST_KEYID };
}
