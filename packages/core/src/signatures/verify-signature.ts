// Whether a request, or the answer of a key directory, was signed by a key that its agent publishes. Unreadable or
// unknown data never verifies, and each failure has one code (specification, identity 3, 4 and 16).

import { createPublicKey, verify } from 'node:crypto';
import { type InnerList, type Item, isInnerList, type Parameters, serializeItem } from 'structured-headers';
import { parseUrl } from '../parse-url.js';
import { MAX_ACCEPTED_SECONDS } from './limits.js';
import { ALGORITHM, DIRECTORY_TAG, REQUEST_TAG } from './profile.js';
import { signatureBase } from './signature-base.js';
import { fieldValue, type SignedMessage } from './signed-message.js';
import { type PublicJwk, thumbprint } from './signing-key.js';
import { parseItem, parseMembers } from './structured-field.js';

/** Why a signature is not accepted. `unsigned` and `key-unknown`: nothing is known; the others: it is wrong. */
export type SignatureFault =
  | 'unsigned'
  | 'key-unknown'
  | 'not-https'
  | 'unparsable'
  | 'tag-other'
  | 'signature-absent'
  | 'parameter-missing'
  | 'algorithm-other'
  | 'component-twice'
  | 'component-missing'
  | 'authority-not-covered'
  | 'agent-not-covered'
  | 'agent-not-keyed'
  | 'agent-not-https'
  | 'created-ahead'
  | 'expired'
  | 'life-too-long'
  | 'signature-wrong';

/** What a signature says, verified or not. */
export interface SignatureFacts {
  readonly label: string;
  readonly keyid: string;
  /** The URL of `Signature-Agent`; `null` for the answer of a directory. */
  readonly agent: string | null;
  /** Epoch seconds. */
  readonly created: number;
  readonly expires: number;
  readonly nonce: string | null;
  /** Components as written. */
  readonly covered: readonly string[];
  /** Base64: if two requests have the same value, it was reused. */
  readonly signature: string;
}

/** The verdict about one message. */
export type SignatureVerdict =
  | ({ readonly kind: 'verified' } & SignatureFacts)
  | { readonly kind: 'invalid' | 'unverified'; readonly reason: SignatureFault };

/** The key that an agent publishes under a `keyid`; `null` if none is known. Never by `keyid` alone (DECISION I15). */
export type KeysOf = (agent: string | null, keyid: string) => PublicJwk | null;

/** How a signature is verified. */
export interface VerifyOptions {
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** `http-message-signatures-directory` for the answer of a key directory. @default web-bot-auth */
  readonly tag?: typeof REQUEST_TAG | typeof DIRECTORY_TAG;
  /** Seconds by which clocks may differ. @default 0 */
  readonly toleranceSeconds?: number;
  /** The longest lifetime of a signature, seconds. @default a day */
  readonly maxLifetimeSeconds?: number;
}

/** Verifies the first signature with the tag. The caller looks up keys. Never throws, unless `keys` does. */
export function verifySignature(message: SignedMessage, keys: KeysOf, options: VerifyOptions): SignatureVerdict {
  const read = readSignature(message, options);
  if (typeof read === 'string') return failed(read);
  const { facts, member } = read;
  const base = signatureBase(message, member);
  if (base === null) return failed('component-missing');
  const jwk = keys(facts.agent, facts.keyid);
  if (jwk === null || thumbprint(jwk) !== facts.keyid) return failed('key-unknown');
  return isSignedBy(jwk, base, facts.signature) ? { kind: 'verified', ...facts } : failed('signature-wrong');
}

type ParsedSignature = { readonly facts: SignatureFacts; readonly member: InnerList };

function readSignature(message: SignedMessage, options: VerifyOptions): ParsedSignature | SignatureFault {
  const [inputField, signatureField] = [fieldValue(message, 'signature-input'), fieldValue(message, 'signature')];
  if (inputField === null && signatureField === null) return 'unsigned';
  if (parseUrl(message.url)?.protocol !== 'https:') return 'not-https';
  const [inputs, signatures] = [parseMembers(inputField ?? ''), parseMembers(signatureField ?? '')];
  if (inputs === null || signatures === null) return 'unparsable';
  const tag = options.tag ?? REQUEST_TAG;
  const [label, member] = [...inputs].find(([, [, of]]) => of.get('tag') === tag) ?? [];
  if (label === undefined || member === undefined) return inputs.size === 0 ? 'signature-absent' : 'tag-other';
  if (!isInnerList(member)) return 'authority-not-covered';
  const [signature] = signatures.get(label) ?? [];
  if (!(signature instanceof ArrayBuffer)) return 'signature-absent';
  const [items, parameters] = member;
  const [created, expires] = [secondsOf(parameters, 'created'), secondsOf(parameters, 'expires')];
  const keyid = textParameter(parameters, 'keyid');
  if (created === null || expires === null || keyid === null) return 'parameter-missing';
  if (parameters.has('alg') && parameters.get('alg') !== ALGORITHM) return 'algorithm-other';
  const covered = items.map((item) => serializeItem(item));
  if (new Set(covered).size < covered.length) return 'component-twice';
  const timing = timeFault(created, expires, options);
  if (timing !== null) return timing;
  const isDirectory = tag === DIRECTORY_TAG;
  const needed = isDirectory ? ['"@authority";req'] : ['"@authority"', '"@target-uri"'];
  if (!needed.some((each) => covered.includes(each))) return 'authority-not-covered';
  const agent = isDirectory ? null : agentOf(message, label, items);
  if (typeof agent === 'object' && agent !== null) return agent.fault;
  const facts = { label, keyid, agent, created, expires, nonce: textParameter(parameters, 'nonce'), covered };
  return { member, facts: { ...facts, signature: Buffer.from(signature).toString('base64') } };
}

function timeFault(created: number, expires: number, options: VerifyOptions): SignatureFault | null {
  const { nowMs, toleranceSeconds = 0, maxLifetimeSeconds = MAX_ACCEPTED_SECONDS } = options;
  if (created * 1_000 > nowMs + toleranceSeconds * 1_000) return 'created-ahead';
  if (expires * 1_000 <= nowMs - toleranceSeconds * 1_000) return 'expired';
  return expires - created > maxLifetimeSeconds || expires < created ? 'life-too-long' : null;
}

/** The agent that a signature covers. Its member has the label as key, or is the only one (identity 3.1, 4). */
function agentOf(message: SignedMessage, label: string, items: readonly Item[]): string | { fault: SignatureFault } {
  const component = items.find(([name]) => name === 'signature-agent');
  const field = fieldValue(message, 'signature-agent');
  if (component === undefined) return { fault: 'agent-not-covered' };
  if (field === null) return { fault: 'component-missing' };
  const members = parseMembers(field);
  const key = component[1].get('key');
  const item = key === undefined ? parseItem(field) : null;
  if (item === null && members === null) return { fault: 'unparsable' };
  const hasSeveral = members !== null && members.size > 1;
  if (hasSeveral && key !== undefined && key !== label) return { fault: 'agent-not-keyed' };
  const [only] = key === undefined && !hasSeveral ? (members?.values() ?? []) : [];
  const found = item ?? members?.get(typeof key === 'string' ? key : label) ?? only;
  if (found === undefined) return { fault: hasSeveral ? 'agent-not-keyed' : 'component-missing' };
  const [agent] = found;
  return typeof agent === 'string' && parseUrl(agent)?.protocol === 'https:' ? agent : { fault: 'agent-not-https' };
}

function isSignedBy(jwk: PublicJwk, base: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
    return verify(null, Buffer.from(base), key, Buffer.from(signature, 'base64'));
  } catch {
    // 32 bytes that are not a point of the curve.
    return false;
  }
}

function failed(reason: SignatureFault): SignatureVerdict {
  return { kind: reason === 'unsigned' || reason === 'key-unknown' ? 'unverified' : 'invalid', reason };
}

function textParameter(parameters: Parameters, name: string): string | null {
  const value = parameters.get(name);
  return typeof value === 'string' ? value : null;
}

function secondsOf(parameters: Parameters, name: string): number | null {
  const value = parameters.get(name);
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null;
}
