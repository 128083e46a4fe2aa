// A site that verifies who sends requests, as its operator would: with an implementation that is not ours. It checks
// the log of a web.

import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { httpbis } from 'http-message-signatures';
import { CERTIFICATES, HOSTILE_KEY, TRUSTED } from './hostile/certificates.js';
import type { WebExchange } from './web.js';

/** Two hosts of one certificate: two origins on one port. */
export const [SITE, OTHER_SITE] = ['tls-good.test', 'other.tls-good.test'] as const;
/** The TLS options of their web. */
export const SITE_TLS = { key: HOSTILE_KEY, cert: CERTIFICATES.good } as const;
/** The certificates that the crawl has to trust. */
export const SITE_CA = TRUSTED;
/** The identity of the crawl in the tests. */
export const AGENT = 'https://bot.example/keys';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
/** A private key for tests only, PEM. */
export const TEST_PEM = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
/** The secret part of the key as base64url and as base64: it must not appear in output. */
export const SECRETS: readonly string[] = [
  privateKey.export({ format: 'jwk' }).d ?? '',
  Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url')
    .toString('base64')
    .slice(0, 40),
];
const PUBLIC_X = publicKey.export({ format: 'jwk' }).x;

type Seen = Pick<WebExchange, 'authority' | 'path' | 'headers'>;

/** Whether a request verifies, at the host that received it or at another one. */
export async function verifies({ authority, path, headers }: Seen, at = `https://${authority}`): Promise<boolean> {
  try {
    const verdict = await httpbis.verifyMessage(
      {
        keyLookup: async () => ({
          algs: ['ed25519'],
          verify: async (data, signature) =>
            verify(null, data, createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })), signature),
        }),
        requiredFields: ['@authority'],
        requiredParams: ['created', 'expires', 'keyid', 'tag'],
      },
      { method: 'GET', url: `${at}${path}`, headers: { ...headers } },
    );
    return verdict === true && PUBLIC_X !== undefined;
  } catch {
    return false;
  }
}

/** The faults in the log of an https site: requests unsigned, wrongly signed, valid for another host, or repeated. */
export async function faultsOf(log: readonly Seen[]): Promise<string[]> {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const each of log) {
    const name = `${each.authority}${each.path}`;
    const signature = each.headers['signature'] ?? 'none';
    if (!(await verifies(each))) faults.push(`${name}: not verified`);
    const otherHost = each.authority.replace(/^[^:]*/, each.authority.startsWith('other') ? SITE : OTHER_SITE);
    if (await verifies(each, `https://${otherHost}`)) faults.push(`${name}: good at ${otherHost}`);
    if (seen.has(signature)) faults.push(`${name}: used twice`);
    seen.add(signature);
  }
  return faults;
}
