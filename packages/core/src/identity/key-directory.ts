// The key directory of a crawler: a JWK set of public keys, and the fields that sign its answer (specification,
// identity 7). It can never contain a private member: members are made one by one.

import { hash } from 'node:crypto';
import { invalidOption } from '../errors.js';
import { parseJsonObject } from '../parse-json.js';
import { CREATED_BEFORE_SECONDS } from '../signatures/limits.js';
import { ALGORITHM, DIRECTORY_TAG } from '../signatures/profile.js';
import { type PublicJwk, publicJwkOf, type Signer } from '../signatures/signing-key.js';
import { MAX_DIRECTORY_KEYS } from './limits.js';

/** A key whose public part is listed, and which signs the list. */
export interface ListedKey extends Signer {
  readonly publicJwk: PublicJwk;
}

/** The JWK set as it is served. @throws MannerlyError `option-invalid` for no key, too many, or a duplicate. */
export function keyDirectory(keys: readonly ListedKey[]): string {
  const ids = keys.map(({ keyid }) => keyid);
  if (ids.length < 1 || ids.length > MAX_DIRECTORY_KEYS || new Set(ids).size < ids.length) {
    throw invalidOption('keys', `1 to ${MAX_DIRECTORY_KEYS} different keys`, ids);
  }
  const members = keys.map(({ keyid, publicJwk: { kty, crv, x } }) => ({ kty, crv, x, kid: keyid, use: 'sig' }));
  return `${JSON.stringify({ keys: members }, null, 2)}\n`;
}

/** The keys of a JWK set; `null` if it is not one, or has too many. @throws Never */
export function keysOfDirectory(text: string): readonly PublicJwk[] | null {
  const listed = parseJsonObject(text)?.['keys'];
  if (!Array.isArray(listed) || listed.length > MAX_DIRECTORY_KEYS) return null;
  return listed.flatMap((each: unknown) => publicJwkOf(each) ?? []);
}

type DirectoryFields = Readonly<Record<'Content-Digest' | 'Signature-Input' | 'Signature', string>>;

/**
 * Signs the answer of a directory, once with each key.
 * @param body - Exactly as it is served.
 * @param authority - The host that serves it, with its port if that is not the default.
 * @param lifetimeSeconds - Counts from `nowMs`, epoch milliseconds.
 */
export async function signDirectory(
  body: string,
  authority: string,
  keys: readonly ListedKey[],
  { nowMs, lifetimeSeconds }: { readonly nowMs: number; readonly lifetimeSeconds: number },
): Promise<DirectoryFields> {
  const nowSeconds = Math.floor(nowMs / 1_000);
  const times = `created=${nowSeconds - CREATED_BEFORE_SECONDS};expires=${nowSeconds + lifetimeSeconds}`;
  const digest = `sha-256=:${hash('sha256', body, 'base64')}:`;
  const made = keys.map(async ({ keyid, ...key }, index) => {
    const label = `sig${index + 1}`;
    const about = `keyid="${keyid}";alg="${ALGORITHM}";tag="${DIRECTORY_TAG}"`;
    const params = `("@authority";req "content-digest");${times};${about}`;
    const base = `"@authority";req: ${authority}\n"content-digest": ${digest}\n"@signature-params": ${params}`;
    const signature = Buffer.from(await key.sign(Buffer.from(base))).toString('base64');
    return { input: `${label}=${params}`, signature: `${label}=:${signature}:` };
  });
  const signed = await Promise.all(made);
  return {
    'Content-Digest': digest,
    'Signature-Input': signed.map(({ input }) => input).join(', '),
    Signature: signed.map(({ signature }) => signature).join(', '),
  };
}
