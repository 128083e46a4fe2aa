// Whether a request was sent by who it says: the site's side of signed requests.

import { checkOptions } from '../call-options.js';
import { invalidOption } from '../errors.js';
import type { Fetcher } from '../fetch/fetcher.js';
import { createUndiciFetcher } from '../fetch/undici-fetcher.js';
import type { SignedMessage } from '../signatures/signed-message.js';
import { type SignatureVerdict, verifySignature } from '../signatures/verify-signature.js';
import { PublishedKeys } from './published-keys.js';

interface RequestVerifierOptions {
  /** Seconds by which the clocks of signers may differ from ours. @default 0 */
  readonly toleranceSeconds?: number;
  /** CIDR ranges from which directories are fetched although they are not public, for tests. @default none */
  readonly allowAddresses?: readonly string[];
  /** Names to addresses. @default the system's resolver */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  /** What fetches directories. @default one of undici */
  readonly fetcher?: Fetcher;
  /** Epoch milliseconds. @default Date.now */
  readonly nowMs?: () => number;
}

/** Verifies requests by the keys that their agents publish. */
export interface RequestVerifier {
  /**
   * The verdict about a request as it arrived, with the absolute URL that it asked for. `verified`: the holder of a key
   * that `agent` publishes has sent it to this host. `invalid`: its signature is wrong, with the reason. `unverified`:
   * it has none, or its key is not to be had. Never rejects.
   */
  verify(request: SignedMessage): Promise<SignatureVerdict>;
  close(): Promise<void>;
}

/**
 * Makes a verifier. It fetches the directories of agents once per lifetime (a minute to a day): over https, from public
 * addresses, without following a redirect, within 5 seconds, 64 KiB and 16 keys.
 * @throws MannerlyError `option-invalid`, `option-unknown`
 */
export function createRequestVerifier(options: RequestVerifierOptions = {}): RequestVerifier {
  checkOptions('createRequestVerifier', options, {
    toleranceSeconds: 'number',
    allowAddresses: 'list',
    resolve: 'function',
    fetcher: 'object',
    nowMs: 'function',
  });
  const { toleranceSeconds = 0, allowAddresses = [], resolve = null, nowMs = Date.now } = options;
  if (!(toleranceSeconds >= 0 && toleranceSeconds <= 300))
    throw invalidOption('toleranceSeconds', 'a number from 0 to 300', toleranceSeconds);
  const fetcher = options.fetcher ?? createUndiciFetcher();
  const keys = new PublishedKeys({ fetcher, allowAddresses, resolve, nowMs });
  return {
    async verify(request) {
      let wanted: string | null = null;
      const judge = () =>
        verifySignature(
          request,
          (agent, keyid) => {
            wanted = agent;
            return keys.key(agent, keyid);
          },
          { nowMs: nowMs(), toleranceSeconds },
        );
      const verdict = judge();
      if (verdict.kind !== 'verified' && verdict.reason !== 'key-unknown') return verdict;
      // A key that was removed meanwhile verifies until its directory is fetched again.
      await keys.load(wanted);
      return judge();
    },
    close: () => fetcher.close(),
  };
}
