// Signs one request: three fields, made when it is sent and never used again (specification, identity 3).

import { randomBytes } from 'node:crypto';
import { CREATED_BEFORE_SECONDS, NONCE_BYTES } from './limits.js';
import { ALGORITHM, agentComponent, agentField, LABEL, REQUEST_TAG, type SignatureForm } from './profile.js';
import { signatureBase } from './signature-base.js';
import type { Signer } from './signing-key.js';
import { type FieldItem, parseMembers } from './structured-field.js';

/** What the signatures of a crawl look like. */
export interface SigningTerms {
  readonly form: SignatureForm;
  /** As `checkedAgent` returns it. */
  readonly agent: string;
  /** Covered components as they are written, without the agent: `"@method"`. */
  readonly components: readonly string[];
  readonly lifetimeSeconds: number;
  /** `true`: random bytes for each signature; a text: this one. */
  readonly nonce: boolean | string;
  /** @default sig1 */
  readonly label?: string;
}

/** The fields of a signature. */
export type SignatureFields = Readonly<Record<'Signature-Agent' | 'Signature-Input' | 'Signature', string>>;

/**
 * Signs a GET request.
 *
 * @param url - As it is requested, https.
 * @throws What `signer.sign` throws; an Error where it answers with no signature, or the URL is no https URL.
 */
export async function signRequest(
  url: URL,
  signer: Signer,
  terms: SigningTerms,
  nowMs: number,
): Promise<SignatureFields> {
  const { form, agent, components, lifetimeSeconds, nonce, label = LABEL } = terms;
  if (url.protocol !== 'https:') throw new Error('only https requests are signed');
  const created = Math.floor(nowMs / 1_000) - CREATED_BEFORE_SECONDS;
  const covered = [...components, agentComponent(form, label)].join(' ');
  const value = nonce === true ? randomBytes(NONCE_BYTES).toString('base64') : nonce;
  const params =
    `(${covered});created=${created};expires=${created + lifetimeSeconds};keyid="${signer.keyid}";alg="${ALGORITHM}"` +
    `${value === false ? '' : `;nonce="${value}"`};tag="${REQUEST_TAG}"`;
  const fields = { 'Signature-Agent': agentField(form, agent, label), 'Signature-Input': `${label}=${params}` };
  const message = { method: 'GET', url: url.href, headers: Object.entries(fields) };
  const made = signatureBase(message, itemsOf(covered), params, url);
  if (!('base' in made)) throw new Error(`a request without ${made.missing}`);
  const signature = await signer.sign(Buffer.from(made.base));
  if (signature.length !== 64) throw new Error(`a signature has 64 bytes, and this one has ${signature.length}`);
  return { ...fields, Signature: `${label}=:${Buffer.from(signature).toString('base64')}:` };
}

/** What was covered last, parsed: requests of a crawl cover the same, but for a few sites. */
let latest: { readonly covered: string; readonly items: readonly FieldItem[] } = { covered: '', items: [] };

function itemsOf(covered: string): readonly FieldItem[] {
  if (latest.covered !== covered) latest = { covered, items: parseMembers(`a=(${covered})`)?.get('a')?.items ?? [] };
  return latest.items;
}
