// The profile of signed requests, in one place since the drafts move: names, tags, forms and covered components
// (draft-ietf-webbotauth-httpsig-protocol-01; specification, identity 3, 4 and 7).

import { invalidOption } from '../errors.js';
import { parseUrl } from '../parse-url.js';

/** How `Signature-Agent` is spelled: the URL of the keys, their origin, or their origin as a bare string. */
export type SignatureForm = 'url' | 'origin' | 'string';

/** What is covered besides the agent: method, authority and path, or also the query. */
export type SignatureScope = 'path' | 'query';

/** The label of our signatures and the key of their agent. */
export const LABEL = 'sig1';
export const REQUEST_TAG = 'web-bot-auth';
export const DIRECTORY_TAG = 'http-message-signatures-directory';
/** The path of an origin's keys. */
export const DIRECTORY_PATH = '/.well-known/http-message-signatures-directory';
export const DIRECTORY_TYPE = 'application/http-message-signatures-directory+json';
/** The only algorithm (DECISION I2). */
export const ALGORITHM = 'ed25519';
/** Thumbprint of the key that RFC 9421 B.1.4 publishes: anyone can sign with it. */
export const TEST_KEYID = 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U';

/** Components that are covered, without the agent (DECISION I4). */
export const COVERED_COMPONENTS: Readonly<Record<SignatureScope, readonly string[]>> = {
  path: ['"@method"', '"@authority"', '"@path"'],
  query: ['"@method"', '"@authority"', '"@path"', '"@query"'],
};
/** Derived components that are signed or verified (identity 3.1). */
export const DERIVED_COMPONENTS: readonly string[] = [
  '@method',
  '@authority',
  '@path',
  '@query',
  '@target-uri',
  '@scheme',
];

/** The component that covers the agent. */
export function agentComponent(form: SignatureForm, label: string): string {
  return form === 'string' ? '"signature-agent"' : `"signature-agent";key="${label}"`;
}

/** The value of `Signature-Agent`. @param agent - As `checkAgent` returns it. */
export function agentField(form: SignatureForm, agent: string, label: string): string {
  return form === 'string' ? `"${agent}"` : `${label}="${agent}"`;
}

/** @throws MannerlyError `option-invalid` if it is not an https URL, or has a path where an origin is sent. */
export function checkAgent(form: SignatureForm, agent: unknown): string {
  const url = typeof agent === 'string' ? parseUrl(agent) : null;
  const isPlain = url?.protocol === 'https:' && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (url === null || !isPlain || url.href.length > MAX_AGENT_CHARS || agent !== String(agent).trim()) {
    throw invalidOption('identity.signature.agent', 'the https URL of your key directory, without query', agent);
  }
  if (form === 'url') return url.href;
  if (url.pathname === '/' || url.pathname === DIRECTORY_PATH) return url.origin;
  throw invalidOption('identity.signature.agent', `an origin for the form ${form}: its path is not sent`, agent);
}

const MAX_AGENT_CHARS = 2_048;
