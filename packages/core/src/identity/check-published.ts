// What a verifier, a registry and a reader of the published identity would find wrong with it (specification, identity
// 7 to 9 and 12). The answers come from the host, or from the folder before it is served.

import { createHash } from 'node:crypto';
import { headerValue } from '../fetch/outcome.js';
import { parseJsonObject } from '../parse-json.js';
import { parseUrl } from '../parse-url.js';
import { DIRECTORY_PATH, DIRECTORY_TAG, DIRECTORY_TYPE } from '../signatures/profile.js';
import { publicJwkOf, thumbprint } from '../signatures/signing-key.js';
import { memberText, parseMembers } from '../signatures/structured-field.js';
import { verifySignature } from '../signatures/verify-signature.js';
import { FILES } from './identity-card.js';
import {
  DIRECTORY_CACHE_SECONDS,
  FOLDER_SIGNATURE_SECONDS,
  MAX_ADDRESS_LIST_AGE_MS,
  MAX_DIRECTORY_KEYS,
} from './limits.js';
import type { FetchPublished, PublishedAnswer } from './published-file.js';

export interface PublishedFault {
  readonly code: string;
  readonly url: string;
  readonly detail: string;
}

/** What the configuration says of the crawler; each is compared with what is published. */
export interface ExpectedIdentity {
  readonly name: string;
  readonly tokens: readonly string[];
  readonly purposes: readonly string[];
  readonly egress: readonly string[];
  /** Thumbprints of the keys that sign, or will. */
  readonly keyids: readonly string[];
}

type Report = (code: string, url: URL, detail: string) => void;
type Json = Readonly<Record<string, unknown>>;

/**
 * Checks what an agent publishes: its directory at both places, the card, the list of addresses, the page.
 * @param agent - As `Signature-Agent` names it.
 * @param expected - `null`: what is published is only compared with itself.
 */
export async function checkPublished(
  agent: URL,
  expected: ExpectedIdentity | null,
  get: FetchPublished,
  nowMs: number,
): Promise<readonly PublishedFault[]> {
  const faults: PublishedFault[] = [];
  const report: Report = (code, url, detail) => faults.push({ code, url: url.href, detail });
  const places = [new URL(DIRECTORY_PATH, agent), ...(agent.pathname === '/' ? [new URL('/', agent)] : [])];
  for (const url of places) {
    const answer = await answerOf(url, 'directory', get, report);
    if (answer !== null) checkDirectory(url, answer, expected, nowMs, report);
  }
  // At the root, where `publish` puts it, whether the agent is a host or the path of its directory.
  const cardUrl = new URL(`/${FILES.card}`, agent);
  const cardAnswer = await answerOf(cardUrl, 'card', get, report);
  const card = cardAnswer === null ? null : jsonOf(cardAnswer);
  if (cardAnswer !== null && card === null) report('card-unreadable', cardUrl, 'it is no JSON object');
  if (card === null) return faults;
  const about = checkCard(cardUrl, card, agent, expected, report);
  const lists = parseUrl(String(about['ips_uri'] ?? ''));
  if (lists !== null) {
    const answer = await answerOf(lists, 'ips', get, report);
    if (answer !== null) checkAddresses(lists, answer, expected, nowMs, report);
  } else if ((expected?.egress.length ?? 0) > 0) report('ips-unnamed', cardUrl, 'the card names no list of addresses');
  const pageUrl = parseUrl(String(card['client_uri'] ?? ''));
  if (pageUrl === null) report('page-unnamed', cardUrl, 'the card names no page for people');
  else {
    const answer = await answerOf(pageUrl, 'page', get, report);
    if (answer !== null) checkPage(pageUrl, answer, expected, report);
  }
  return faults;
}

/** An answer with status 200; else the fault is told. */
async function answerOf(url: URL, what: string, get: FetchPublished, report: Report): Promise<PublishedAnswer | null> {
  const answer = await get(url);
  if (typeof answer === 'string') {
    report(`${what}-absent`, url, answer);
    return null;
  }
  const { status, headers, isCut } = answer;
  if (status >= 300 && status < 400) {
    report(`${what}-redirects`, url, `to ${headerValue(headers, 'location')}: verifiers do not follow`);
  } else if (status !== 200) report(`${what}-status`, url, `the answer is ${status}`);
  else if (isCut) report(`${what}-too-large`, url, 'it has more than 64 KiB');
  else return answer;
  return null;
}

function checkDirectory(
  url: URL,
  answer: PublishedAnswer,
  expected: ExpectedIdentity | null,
  nowMs: number,
  report: Report,
): void {
  const type = mediaType(answer);
  if (type !== DIRECTORY_TYPE) report('directory-type', url, `it is served as ${type}, not as ${DIRECTORY_TYPE}`);
  checkOpen(url, 'directory', answer, report);
  const maxAge = Number(/(?:^|[\s,])max-age=(\d{1,9})/i.exec(headerValue(answer.headers, 'cache-control') ?? '')?.[1]);
  if (!(maxAge <= DIRECTORY_CACHE_SECONDS)) {
    report('directory-cache', url, `Cache-Control: max-age should be there, and ${DIRECTORY_CACHE_SECONDS} at most`);
  }
  const members = jsonOf(answer)?.['keys'];
  if (!Array.isArray(members)) {
    report('directory-unreadable', url, 'it is no JWK set: an object with a list `keys`');
    return;
  }
  if (members.length > MAX_DIRECTORY_KEYS) report('directory-keys', url, `more than ${MAX_DIRECTORY_KEYS} keys`);
  const listed = members.slice(0, MAX_DIRECTORY_KEYS).flatMap((member: Json | null) => {
    if (typeof member === 'object' && member !== null && 'd' in member) {
      report('directory-private', url, 'a member has `d`: that key is not secret any more. Rotate it: --leaked');
    }
    const key = publicJwkOf(member);
    if (key === null) return [];
    const keyid = thumbprint(key);
    if (member?.['kid'] !== keyid) report('directory-kid', url, `\`kid\` of ${keyid} is not its thumbprint`);
    return [{ keyid, key }];
  });
  if (listed.length === 0) report('directory-keys', url, 'no Ed25519 key is listed');
  for (const keyid of expected?.keyids ?? []) {
    if (!listed.some((each) => each.keyid === keyid)) {
      report('directory-mismatch', url, `the key ${keyid} of the configuration is not listed`);
    }
  }
  const digest = headerValue(answer.headers, 'content-digest');
  const own = `sha-256=:${createHash('sha256').update(answer.body).digest('base64')}:`;
  if (digest !== null && !digest.split(/, */).includes(own)) {
    report('directory-digest', url, 'Content-Digest is not that of the body: serve it exactly as it was written');
  }
  const inputs = parseMembers(headerValue(answer.headers, 'signature-input') ?? '');
  const labels = [...(inputs ?? [])].filter(([, [, parameters]]) => parameters.get('tag') === DIRECTORY_TAG);
  if (labels.length === 0) {
    report('directory-unsigned', url, 'the answer is not signed, which some verifiers want: set the fields');
    return;
  }
  const signed = labels.map(([label, member]) => {
    const fields = answer.headers.filter(([name]) => name.toLowerCase() !== 'signature-input');
    const headers = [...fields, ['signature-input', `${label}=${memberText(member)}`]] as const;
    return verifySignature(
      { method: 'GET', url: url.href, headers, isResponse: true },
      (_, keyid) => listed.find((each) => each.keyid === keyid)?.key ?? null,
      { nowMs, tag: DIRECTORY_TAG, maxLifetimeSeconds: FOLDER_SIGNATURE_SECONDS + 86_400 },
    );
  });
  for (const verdict of signed) {
    if (verdict.kind !== 'verified')
      report('directory-signature', url, `a signature of it is wrong: ${verdict.reason}`);
  }
  for (const { keyid } of listed) {
    const isSigned = signed.some((verdict) => verdict.kind === 'verified' && verdict.keyid === keyid);
    if (!isSigned) report('directory-unsigned', url, `the answer is not signed with ${keyid}`);
  }
}

/** @returns What the card says of the crawler. */
function checkCard(
  url: URL,
  card: Json,
  agent: URL,
  expected: ExpectedIdentity | null,
  report: Report,
): Readonly<Record<string, unknown>> {
  const about = (typeof card['web_bot_auth'] === 'object' ? (card['web_bot_auth'] ?? {}) : {}) as Json;
  const wanted: readonly (readonly [member: string, found: unknown, wanted: string | undefined])[] = [
    ['client_id', card['client_id'], url.href],
    ['jwks_uri', card['jwks_uri'], new URL(DIRECTORY_PATH, agent).href],
    ['client_name', card['client_name'], expected?.name],
    ['rfc9309-product-token', about['rfc9309-product-token'], expected?.tokens[0]],
    ['purpose', about['purpose'] ?? '', expected?.purposes.join(', ')],
  ];
  for (const [member, found, value] of wanted) {
    if (value !== undefined && found !== value) {
      report('card-mismatch', url, `\`${member}\` is ${JSON.stringify(found)}, not ${JSON.stringify(value)}`);
    }
  }
  return about;
}

function checkAddresses(
  url: URL,
  answer: PublishedAnswer,
  expected: ExpectedIdentity | null,
  nowMs: number,
  report: Report,
): void {
  const type = mediaType(answer);
  if (type !== 'application/jafar+json' && type !== 'application/json')
    report('ips-type', url, `it is served as ${type}`);
  const list = jsonOf(answer);
  const prefixes = list?.['prefixes'];
  if (!Array.isArray(prefixes)) {
    report('ips-unreadable', url, 'it is no object with a list `prefixes`');
    return;
  }
  const madeMs = Date.parse(String(list?.['creationTime']));
  if (!(nowMs - madeMs <= MAX_ADDRESS_LIST_AGE_MS)) {
    report('ips-stale', url, 'it is older than a day: publish it again at least daily');
  }
  const ranges = prefixes.map((each: Json | null) => String(each?.['ipv4Prefix'] ?? each?.['ipv6Prefix']));
  const missing = (expected?.egress ?? []).filter((range) => !ranges.includes(range));
  const more = expected === null ? [] : ranges.filter((range) => !expected.egress.includes(range));
  if (missing.length > 0) report('ips-mismatch', url, `${missing.join(', ')} of \`identity.egress\` is not in it`);
  if (more.length > 0) report('ips-mismatch', url, `${more.join(', ')} is not in \`identity.egress\``);
}

function checkPage(url: URL, answer: PublishedAnswer, expected: ExpectedIdentity | null, report: Report): void {
  const type = mediaType(answer);
  if (type !== 'text/html') report('page-type', url, `it is served as ${type}`);
  const text = Buffer.from(answer.body).toString('utf8');
  const [token] = expected?.tokens ?? [];
  if (token !== undefined && !text.includes(token)) {
    report('page-mismatch', url, `it does not say how to close a site in robots.txt to ${token}`);
  }
}

function checkOpen(url: URL, what: string, { headers }: PublishedAnswer, report: Report): void {
  if (headerValue(headers, 'access-control-allow-origin') === '*') return;
  report(`${what}-cors`, url, 'Access-Control-Allow-Origin: * is missing: verifiers in browsers cannot read it');
}

function mediaType({ headers }: PublishedAnswer): string {
  return (headerValue(headers, 'content-type') ?? 'nothing').split(';')[0]?.trim().toLowerCase() ?? '';
}

function jsonOf({ body }: PublishedAnswer): Json | null {
  return parseJsonObject(new TextDecoder().decode(body));
}
