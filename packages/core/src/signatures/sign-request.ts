// Signs one request: three fields, made when it is sent and never reused (specification, identity 3). What is the same
// for all requests is prepared once.

import { randomFillSync } from 'node:crypto';
import { CREATED_BEFORE_SECONDS, NONCE_BATCH, NONCE_BYTES } from './limits.js';
import { ALGORITHM, agentComponent, agentField, LABEL, REQUEST_TAG, type SignatureForm } from './profile.js';
import { derivedValue } from './signature-base.js';
import type { Signer } from './signing-key.js';

/** What the signatures of a crawl look like. */
export interface SigningTerms {
  readonly form: SignatureForm;
  /** As `checkAgent` returns it. */
  readonly agent: string;
  /** Covered components as they are written, without the agent: `"@method"`. */
  readonly components: readonly string[];
  readonly lifetimeSeconds: number;
  /** `true`: random bytes for each signature; a text: this text. */
  readonly nonce: boolean | string;
  /** @default sig1 */
  readonly label?: string;
}

export type SignatureFields = Readonly<Record<'Signature-Agent' | 'Signature-Input' | 'Signature', string>>;

/**
 * Signs a request without content.
 * @param url - As it is requested, https.
 * @param nonce - Replaces that of the terms.
 * Rejects with what `signer.sign` throws; with an Error if it returns no signature, or the URL is not an https URL.
 */
export type SignRequest = (
  url: URL,
  nowMs: number,
  method?: 'GET' | 'HEAD' | 'POST',
  nonce?: SigningTerms['nonce'],
) => Promise<SignatureFields>;

/** A function that signs requests on these terms. */
export function requestSigner(signer: Signer, terms: SigningTerms): SignRequest {
  const { form, agent, components, lifetimeSeconds, label = LABEL } = terms;
  const agentCovered = agentComponent(form, label);
  const derived = components.map((each) => [`${each}: `, each.slice(1, -1)] as const);
  const beforeParams = `${agentCovered}: "${agent}"\n"@signature-params": `;
  const beforeCreated = `(${[...components, agentCovered].join(' ')});created=`;
  const afterExpires = `;keyid="${signer.keyid}";alg="${ALGORITHM}"`;
  const agentValue = agentField(form, agent, label);
  return async (url, nowMs, method = 'GET', nonce = terms.nonce) => {
    if (url.protocol !== 'https:') throw new Error('only https requests are signed');
    const created = Math.floor(nowMs / 1_000) - CREATED_BEFORE_SECONDS;
    const nonceParam = nonce === false ? '' : `;nonce="${nonce === true ? freshNonce() : nonce}"`;
    const expires = created + lifetimeSeconds;
    const params = `${beforeCreated}${created};expires=${expires}${afterExpires}${nonceParam};tag="${REQUEST_TAG}"`;
    let base = '';
    for (const [prefix, name] of derived) base += `${prefix}${derivedValue(method, url, name)}\n`;
    const signed = signer.sign(Buffer.from(`${base}${beforeParams}${params}`, 'latin1'));
    const { buffer, byteOffset, length } = signed instanceof Uint8Array ? signed : await signed;
    if (length !== 64) throw new Error(`a signature has 64 bytes, and this one has ${length}`);
    return {
      'Signature-Agent': agentValue,
      'Signature-Input': `${label}=${params}`,
      Signature: `${label}=:${Buffer.from(buffer, byteOffset, 64).toString('base64')}:`,
    };
  };
}

/** Random bytes are drawn for many nonces at once: a call costs a third of a signature. */
const random = Buffer.alloc(NONCE_BATCH * NONCE_BYTES);
let used = random.length;

function freshNonce(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += NONCE_BYTES;
  return random.toString('base64', used - NONCE_BYTES, used);
}
