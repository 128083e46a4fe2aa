// The faults that a verifier, a registry or a reader would find in the published identity (specification, identity 7 to
// 9 and 12). The answers come from the host, or from the folder before it is served.

import { hash } from 'node:crypto';
import { headerValue } from '../fetch/outcome.js';
import { parseJsonObject } from '../parse-json.js';
import { parseUrl } from '../parse-url.js';
import { DIRECTORY_PATH, DIRECTORY_TAG, DIRECTORY_TYPE } from '../signatures/profile.js';
import { type PublicJwk, publicJwkOf, thumbprint } from '../signatures/signing-key.js';
import { memberText, parseMembers } from '../signatures/structured-field.js';
import { verifySignature } from '../signatures/verify-signature.js';
import { FILES, type PublishedIdentity } from './identity-card.js';
import {
  DIRECTORY_CACHE_SECONDS,
  FOLDER_SIGNATURE_SECONDS,
  MAX_ADDRESS_LIST_AGE_MS,
  MAX_DIRECTORY_KEYS,
} from './limits.js';
import { type FetchPublished, maxAgeSeconds, type PublishedAnswer } from './published-file.js';

export interface PublishedFault {
  readonly code: string;
  readonly url: string;
  readonly detail: string;
}

/** The crawler's configuration, which is compared with what is published. */
export interface ExpectedIdentity extends Pick<PublishedIdentity, 'name' | 'tokens' | 'purposes' | 'egress'> {
  /** Thumbprints of the keys that sign now or later. */
  readonly keyids: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

/** A fault of a file; the caller knows which file. */
type Fault = readonly [code: string, detail: string];
type Check = (answer: PublishedAnswer) => Iterable<Fault>;

/** @param agent - As `Signature-Agent` names it. @param expected - `null`: compares the published files only. */
export async function checkPublished(
  agent: URL,
  expected: ExpectedIdentity | null,
  get: FetchPublished,
  nowMs: number,
): Promise<readonly PublishedFault[]> {
  const faults: PublishedFault[] = [];
  const report = (url: URL, found: Iterable<Fault>): void => {
    for (const [code, detail] of found) faults.push({ code, url: url.href, detail });
  };
  const read = async (url: URL, what: string, check: Check): Promise<PublishedAnswer | null> => {
    const answer = await get(url);
    const fault = answerFault(answer);
    if (typeof answer !== 'string' && fault === null) {
      report(url, check(answer));
      return answer;
    }
    if (fault !== null) report(url, [[`${what}-${fault[0]}`, fault[1]]]);
    return null;
  };
  const directoryUrls = [new URL(DIRECTORY_PATH, agent), ...(agent.pathname === '/' ? [new URL('/', agent)] : [])];
  for (const url of directoryUrls)
    await read(url, 'directory', (answer) => directoryFaults(url, answer, expected, nowMs));
  // At the root, where `publish` puts it, whether the agent is a host or the path of its directory.
  const cardUrl = new URL(`/${FILES.card}`, agent);
  const cardAnswer = await read(cardUrl, 'card', (answer) => cardFaults(cardUrl, jsonOf(answer), agent, expected));
  const card = cardAnswer === null ? null : jsonOf(cardAnswer);
  if (card === null) return faults;
  const lists = parseUrl(String(aboutOf(card)['ips_uri'] ?? ''));
  if (lists !== null) await read(lists, 'ips', (answer) => addressFaults(answer, expected, nowMs));
  else if ((expected?.egress.length ?? 0) > 0)
    report(cardUrl, [['ips-unnamed', 'the card names no list of addresses']]);
  const pageUrl = parseUrl(String(card['client_uri'] ?? ''));
  if (pageUrl === null) report(cardUrl, [['page-unnamed', 'the card names no page for people']]);
  else await read(pageUrl, 'page', (answer) => pageFaults(answer, expected));
  return faults;
}

/** Why a verifier does not accept an answer; `null` if it does. */
function answerFault(answer: PublishedAnswer | string): Fault | null {
  if (typeof answer === 'string') return ['absent', answer];
  const { status, headers, isTruncated } = answer;
  if (status >= 300 && status < 400)
    return ['redirects', `to ${headerValue(headers, 'location')}: verifiers do not follow`];
  if (status !== 200) return ['status', `the answer is ${status}`];
  return isTruncated ? ['too-large', 'it has more than 64 KiB'] : null;
}

function* directoryFaults(
  url: URL,
  answer: PublishedAnswer,
  expected: ExpectedIdentity | null,
  nowMs: number,
): Generator<Fault> {
  const { headers, body } = answer;
  const type = mediaType(answer);
  if (type !== DIRECTORY_TYPE) yield ['directory-type', `it is served as ${type}, not as ${DIRECTORY_TYPE}`];
  if (headerValue(headers, 'access-control-allow-origin') !== '*')
    yield ['directory-cors', 'Access-Control-Allow-Origin: * is missing: verifiers in browsers cannot read it'];
  if (!(maxAgeSeconds(answer) <= DIRECTORY_CACHE_SECONDS))
    yield ['directory-cache', `Cache-Control: max-age should be there, and ${DIRECTORY_CACHE_SECONDS} at most`];
  const members = jsonOf(answer)?.['keys'];
  if (!Array.isArray(members)) {
    yield ['directory-unreadable', 'it is no JWK set: an object with a list `keys`'];
    return;
  }
  if (members.length > MAX_DIRECTORY_KEYS) yield ['directory-keys', `more than ${MAX_DIRECTORY_KEYS} keys`];
  const listed = new Map<string, PublicJwk>();
  for (const member of members.slice(0, MAX_DIRECTORY_KEYS) as (Json | null)[]) {
    if (typeof member === 'object' && member !== null && 'd' in member)
      yield ['directory-private', 'a member has `d`: that key is not secret any more. Rotate it: --leaked'];
    const key = publicJwkOf(member);
    if (key === null) continue;
    const keyid = thumbprint(key);
    if (member?.['kid'] !== keyid) yield ['directory-kid', `\`kid\` of ${keyid} is not its thumbprint`];
    listed.set(keyid, key);
  }
  if (listed.size === 0) yield ['directory-keys', 'no Ed25519 key is listed'];
  for (const keyid of expected?.keyids ?? [])
    if (!listed.has(keyid)) yield ['directory-mismatch', `the key ${keyid} of the configuration is not listed`];
  const digest = headerValue(headers, 'content-digest');
  const expectedDigest = `sha-256=:${hash('sha256', body, 'base64')}:`;
  if (digest !== null && !digest.split(/, */).includes(expectedDigest))
    yield ['directory-digest', 'Content-Digest is not that of the body: serve it exactly as it was written'];
  yield* signatureFaults(url, answer, listed, nowMs);
}

function* signatureFaults(
  url: URL,
  { headers }: PublishedAnswer,
  listed: ReadonlyMap<string, PublicJwk>,
  nowMs: number,
): Generator<Fault> {
  const inputs = parseMembers(headerValue(headers, 'signature-input') ?? '') ?? [];
  const directorySignatures = [...inputs].filter(([, [, parameters]]) => parameters.get('tag') === DIRECTORY_TAG);
  if (directorySignatures.length === 0) {
    yield ['directory-unsigned', 'the answer is not signed, which some verifiers want: set the fields'];
    return;
  }
  const fields = headers.filter(([name]) => name.toLowerCase() !== 'signature-input');
  const verified = new Set<string>();
  for (const [label, member] of directorySignatures) {
    const input = ['signature-input', `${label}=${memberText(member)}`] as const;
    const verdict = verifySignature(
      { method: 'GET', url: url.href, headers: [...fields, input], isResponse: true },
      (_, keyid) => listed.get(keyid) ?? null,
      { nowMs, tag: DIRECTORY_TAG, maxLifetimeSeconds: FOLDER_SIGNATURE_SECONDS + 86_400 },
    );
    if (verdict.kind === 'verified') verified.add(verdict.keyid);
    else yield ['directory-signature', `a signature of it is wrong: ${verdict.reason}`];
  }
  for (const keyid of listed.keys())
    if (!verified.has(keyid)) yield ['directory-unsigned', `the answer is not signed with ${keyid}`];
}

function* cardFaults(url: URL, card: Json | null, agent: URL, expected: ExpectedIdentity | null): Generator<Fault> {
  if (card === null) {
    yield ['card-unreadable', 'it is not a JSON object'];
    return;
  }
  const about = aboutOf(card);
  const expectations: readonly (readonly [member: string, found: unknown, value: string | undefined])[] = [
    ['client_id', card['client_id'], url.href],
    ['jwks_uri', card['jwks_uri'], new URL(DIRECTORY_PATH, agent).href],
    ['client_name', card['client_name'], expected?.name],
    ['rfc9309-product-token', about['rfc9309-product-token'], expected?.tokens[0]],
    ['purpose', about['purpose'] ?? '', expected?.purposes.join(', ')],
  ];
  for (const [member, found, value] of expectations)
    if (value !== undefined && found !== value)
      yield ['card-mismatch', `\`${member}\` is ${JSON.stringify(found)}, not ${JSON.stringify(value)}`];
}

/** What the card says about the crawler. */
function aboutOf({ web_bot_auth: about }: Json): Json {
  return typeof about === 'object' && about !== null ? (about as Json) : {};
}

function* addressFaults(answer: PublishedAnswer, expected: ExpectedIdentity | null, nowMs: number): Generator<Fault> {
  const type = mediaType(answer);
  if (type !== 'application/jafar+json' && type !== 'application/json') yield ['ips-type', `it is served as ${type}`];
  const list = jsonOf(answer);
  const prefixes = list?.['prefixes'];
  if (!Array.isArray(prefixes)) {
    yield ['ips-unreadable', 'it is not an object with a list `prefixes`'];
    return;
  }
  if (!(nowMs - Date.parse(String(list?.['creationTime'])) <= MAX_ADDRESS_LIST_AGE_MS))
    yield ['ips-stale', 'it is older than a day: publish it again at least daily'];
  const ranges = prefixes.map((each: Json | null) => String(each?.['ipv4Prefix'] ?? each?.['ipv6Prefix']));
  const missing = (expected?.egress ?? []).filter((range) => !ranges.includes(range));
  const extra = expected === null ? [] : ranges.filter((range) => !expected.egress.includes(range));
  if (missing.length > 0) yield ['ips-mismatch', `${missing.join(', ')} of \`identity.egress\` is not in it`];
  if (extra.length > 0) yield ['ips-mismatch', `${extra.join(', ')} is not in \`identity.egress\``];
}

function* pageFaults(answer: PublishedAnswer, expected: ExpectedIdentity | null): Generator<Fault> {
  const type = mediaType(answer);
  if (type !== 'text/html') yield ['page-type', `it is served as ${type}`];
  const [token] = expected?.tokens ?? [];
  if (token !== undefined && !Buffer.from(answer.body).toString('utf8').includes(token))
    yield ['page-mismatch', `it does not say how to close a site in robots.txt to ${token}`];
}

function mediaType({ headers }: PublishedAnswer): string {
  return (headerValue(headers, 'content-type') ?? 'nothing').split(';')[0]?.trim().toLowerCase() ?? '';
}

function jsonOf({ body }: PublishedAnswer): Json | null {
  return parseJsonObject(new TextDecoder().decode(body));
}
