// The key that a crawler signs with: an Ed25519 private key from a file or an environment variable, refused if others
// may have read it, and the thumbprint by which verifiers know it (specification, identity 2).

import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto';
import { MannerlyError } from '../errors.js';
import { readSecret } from '../secret-place.js';
import { MAX_KEY_BYTES } from './limits.js';
import { TEST_KEYID } from './profile.js';

/** A public Ed25519 key as JWK, reduced to its required members. */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
}

/** What signs: a key, or a function that calls a key service. */
export interface Signer {
  /** The thumbprint of the public key. */
  readonly keyid: string;
  /** The 64 bytes of an Ed25519 signature over these bytes. */
  sign(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** A private key in this process. It cannot be read back. */
export interface SigningKey extends Signer {
  readonly publicJwk: PublicJwk;
  /** The key that RFC 9421 publishes, which proves nothing: for loopback only. */
  readonly isTestKey: boolean;
  sign(bytes: Uint8Array): Uint8Array;
}

/** The thumbprint of a public key: base64url without padding (RFC 7638, RFC 8037 A.3). */
export function thumbprint({ crv, kty, x }: PublicJwk): string {
  return hash('sha256', JSON.stringify({ crv, kty, x }), 'base64url');
}

/** `null`: it is no Ed25519 key, or a private one, which must never be published. */
export function publicJwkOf(given: unknown): PublicJwk | null {
  if (typeof given !== 'object' || given === null || 'd' in given) return null;
  const { kty, crv, x } = given as Readonly<Record<string, unknown>>;
  const isKey = kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string' && /^[\w-]{43}$/.test(x);
  return isKey ? { kty, crv, x } : null;
}

/**
 * Reads a private key from the place in `source`: `file:PATH` or `env:NAME`, PKCS#8 PEM or JWK.
 * @throws MannerlyError `identity-key`, naming the option and never the key.
 */
export function loadSigningKey(
  source: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): SigningKey {
  // A key that was given by value is never shown.
  if (!/^file:.|^env:\w{1,200}$/.test(source)) throw refused('to name a place', 'it is neither file:PATH nor env:NAME');
  const secret = readSecret(source, env, true);
  if (secret.kind === 'none') throw refused(`${source} to hold a private key`, secret.reason);
  return parseSigningKey(secret.text, source);
}

/** PKCS#8 PEM or JWK with `d`. @param source - Names the text. @throws MannerlyError `identity-key`, without it */
export function parseSigningKey(text: string, source = 'the key'): SigningKey {
  const key = text.length > MAX_KEY_BYTES ? null : privateKeyOf(text.trim());
  if (key === null) {
    throw refused(`${source} to hold a private key`, 'it is no PKCS#8 PEM without password and no JWK with `d`');
  }
  const type = key.asymmetricKeyType;
  if (type !== 'ed25519') throw refused(`${source} to hold an Ed25519 key`, `it is of type ${type}`);
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const publicJwk: PublicJwk = { kty: 'OKP', crv: 'Ed25519', x };
  const keyid = thumbprint(publicJwk);
  return { keyid, publicJwk, isTestKey: keyid === TEST_KEYID, sign: (bytes) => sign(null, bytes, key) };
}

/** `null`: in neither of the two formats. */
function privateKeyOf(text: string): KeyObject | null {
  try {
    if (text.startsWith('-----BEGIN PRIVATE KEY-----')) return createPrivateKey(text);
    return text.startsWith('{') ? createPrivateKey({ key: JSON.parse(text), format: 'jwk' }) : null;
  } catch {
    // Parser messages may quote their input.
    return null;
  }
}

function refused(expected: string, problem: string): MannerlyError {
  return new MannerlyError('identity-key', `expected \`identity.signature.key\`: ${expected}, but ${problem}`, {
    hint: 'A key for a crawl is an Ed25519 private key in a file of its own, mode 600, given as file:PATH or env:NAME.',
  });
}
