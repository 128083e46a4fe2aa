// Verifies the signatures in an archive again: the public keys can prove that a crawl belongs to this crawler. It
// reports unsigned requests among signed ones, and signatures that prove nothing.

import { type ReadRequest, readRequests } from '../archive/read-archive.js';
import { listOpenWarcs } from '../archive/warc-files.js';
import { orIfAbsent } from '../directory/atomic-file.js';
import { keepLatest } from '../keep-latest.js';
import { parseUrl } from '../parse-url.js';
import type { SignatureFindings, Violation } from '../report/audit/audit-report.js';
import { plural } from '../report/table.js';
import { type PublicJwk, thumbprint } from '../signatures/signing-key.js';
import { type SignatureFault, verifySignature } from '../signatures/verify-signature.js';
import {
  MAX_AUDITED_LIFETIME_SECONDS,
  MAX_KNOWN_SIGNATURES,
  MAX_LISTED_SIGNATURES,
  MAX_SIGNING_DELAY_SECONDS,
} from './limits.js';

const FAULTS: Partial<Record<SignatureFault, string>> = {
  'signature-wrong': 'its signature is not of this request: of another host or path, or changed',
  'life-too-long': `its signature holds for more than ${MAX_AUDITED_LIFETIME_SECONDS} s`,
  'not-https': 'it is signed, and http: others on the way could use the signature',
  'key-unknown': 'its key is none of those given',
};

/**
 * @param folders - Folders of WARC files; an absent folder has none. @throws Errors of reading the archive.
 * @param keys - The published keys; if there are none, everything is judged except who made the signatures.
 */
export async function auditSignatures(
  folders: readonly string[],
  keys: readonly PublicJwk[],
): Promise<SignatureFindings> {
  const byId = new Map(keys.map((key) => [thumbprint(key), key]));
  const found: Violation[] = [];
  const notes: string[] = [];
  const addDamage = (path: string, records: number): void => {
    notes.push(
      `${path} cannot be read after its first ${plural(records, 'record')}: later signatures were not checked.`,
    );
  };
  const used = new Map<string, true>();
  let [count, unidentified] = [0, 0];
  const add = ({ url, startedAtMs: atMs }: ReadRequest, detail: string): void => {
    count += 1;
    if (found.length < MAX_LISTED_SIGNATURES)
      found.push({ kind: 'signature', url, host: parseUrl(url)?.hostname ?? null, atMs, detail });
  };
  const checkSigned = (request: ReadRequest, fault: SignatureFault | null): void => {
    if (fault === 'key-unknown' && keys.length === 0) unidentified += 1;
    else if (fault !== null) add(request, FAULTS[fault] ?? `its signature is ${fault}`);
    const signature = request.headers.find(([name]) => name.toLowerCase() === 'signature')?.[1] ?? '';
    if (used.has(signature)) add(request, 'its signature was used before');
    keepLatest(used, signature, true, MAX_KNOWN_SIGNATURES);
  };
  for (const folder of folders) {
    // A run signs all of its https requests or none, and has its own files.
    let file = { name: '', isSigned: false, unsigned: 0, first: null as ReadRequest | null };
    const endFile = (): void => {
      if (!file.isSigned || file.first === null) return;
      add(file.first, `it and ${file.unsigned - 1} more of ${file.name} have no signature, the others have one`);
    };
    for (const path of await orIfAbsent([], () => listOpenWarcs(folder)))
      notes.push(`${path} is not complete: signatures in it were not checked.`);
    for await (const request of readRequests(folder, addDamage)) {
      if (request.filename !== file.name) {
        endFile();
        file = { name: request.filename, isSigned: false, unsigned: 0, first: null };
      }
      const fault = faultOf(request, byId);
      if (fault !== 'unsigned') {
        file.isSigned = true;
        checkSigned(request, fault);
      } else if (/^https:/i.test(request.url)) {
        file.unsigned += 1;
        file.first ??= request;
      }
    }
    endFile();
  }
  if (unidentified > 0)
    notes.push(
      `Who made ${plural(unidentified, 'signature')} was not checked: --keys <file> takes the published key directory.`,
    );
  return { found, count, notes };
}

/** Why the signature of a request proves nothing; `null`: it is verified. */
function faultOf(
  { url, headers, startedAtMs }: ReadRequest,
  keys: ReadonlyMap<string, PublicJwk>,
): SignatureFault | null {
  const verdict = verifySignature({ method: 'GET', url, headers }, (_, keyid) => keys.get(keyid) ?? null, {
    nowMs: startedAtMs,
    toleranceSeconds: MAX_SIGNING_DELAY_SECONDS,
    maxLifetimeSeconds: MAX_AUDITED_LIFETIME_SECONDS,
  });
  return verdict.kind === 'verified' ? null : verdict.reason;
}
