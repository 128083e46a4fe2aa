// Signs one request: three fields, made when it is sent and never used again (specification, identity 3).

import { randomBytes } from 'node:crypto';
import { CREATED_BEFORE_SECONDS, NONCE_BYTES, NONCES_AT_ONCE } from './limits.js';
import { ALGORITHM, agentComponent, agentField, LABEL, REQUEST_TAG, type SignatureForm } from './profile.js';
import { derivedValue } from './signature-base.js';
import type { Signer } from './signing-key.js';

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
 * Signs a request without content.
 *
 * @param url - As it is requested, https.
 * @throws What `signer.sign` throws; an Error where it answers with no signature, or the URL is no https URL.
 */
export async function signRequest(
  url: URL,
  signer: Signer,
  terms: SigningTerms,
  nowMs: number,
  method: 'GET' | 'HEAD' | 'POST' = 'GET',
): Promise<SignatureFields> {
  const { form, agent, components, lifetimeSeconds, nonce, label = LABEL } = terms;
  if (url.protocol !== 'https:') throw new Error('only https requests are signed');
  const created = Math.floor(nowMs / 1_000) - CREATED_BEFORE_SECONDS;
  const agentCovered = agentComponent(form, label);
  const value = nonce === true ? freshNonce() : nonce;
  const params =
    `(${[...components, agentCovered].join(' ')});created=${created};expires=${created + lifetimeSeconds}` +
    `;keyid="${signer.keyid}";alg="${ALGORITHM}"${value === false ? '' : `;nonce="${value}"`};tag="${REQUEST_TAG}"`;
  const lines = components.map((each) => `${each}: ${derivedValue(method, url, each.slice(1, -1))}\n`).join('');
  const base = `${lines}${agentCovered}: "${agent}"\n"@signature-params": ${params}`;
  const signature = await signer.sign(Buffer.from(base));
  if (signature.length !== 64) throw new Error(`a signature has 64 bytes, and this one has ${signature.length}`);
  return {
    'Signature-Agent': agentField(form, agent, label),
    'Signature-Input': `${label}=${params}`,
    Signature: `${label}=:${Buffer.from(signature.buffer, signature.byteOffset, 64).toString('base64')}:`,
  };
}

/** Random bytes are drawn for many nonces at once: a call costs a third of a signature. */
let pool = Buffer.alloc(0);

function freshNonce(): string {
  if (pool.length < NONCE_BYTES) pool = randomBytes(NONCES_AT_ONCE * NONCE_BYTES);
  const nonce = pool.toString('base64', 0, NONCE_BYTES);
  pool = pool.subarray(NONCE_BYTES);
  return nonce;
}
