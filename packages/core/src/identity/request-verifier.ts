// Checks who sent a request: the site's side of signed requests. The keys that an agent publishes are kept for the
// lifetime of its directory, and if a later fetch fails (specification, identity 12, DECISION I15).

import { checkOptions } from '../call-options.js';
import { invalidOption } from '../errors.js';
import type { Fetcher } from '../fetch/fetcher.js';
import { createUndiciFetcher } from '../fetch/undici-fetcher.js';
import { keepLatest } from '../keep-latest.js';
import { parseUrl } from '../parse-url.js';
import { DIRECTORY_PATH } from '../signatures/profile.js';
import type { SignedMessage } from '../signatures/signed-message.js';
import { type PublicJwk, thumbprint } from '../signatures/signing-key.js';
import { type SignatureVerdict, verifySignature } from '../signatures/verify-signature.js';
import { keysOfDirectory } from './key-directory.js';
import { DIRECTORY_CACHE_SECONDS, MAX_KNOWN_DIRECTORIES, MIN_DIRECTORY_CACHE_SECONDS } from './limits.js';
import { maxAgeSeconds, type PublishedAnswer, publishedFetcher } from './published-file.js';

interface RequestVerifierOptions {
  /** Seconds by which the clocks of signers may differ from ours. @default 0 */
  readonly toleranceSeconds?: number;
  /** CIDR ranges from which directories are fetched although they are not public, for tests. @default none */
  readonly allowAddresses?: readonly string[];
  /** Resolves names to addresses. @default the system's resolver */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  /** Fetches directories. @default a fetcher with undici */
  readonly fetcher?: Fetcher;
  /** Epoch milliseconds. @default Date.now */
  readonly nowMs?: () => number;
}

/** Verifies requests by the keys that their agents publish. */
export interface RequestVerifier {
  /**
   * The verdict about a request as it arrived, with its absolute URL. `verified`: the holder of a key that `agent`
   * publishes has sent it to this host. `invalid`: its signature is wrong, with the reason. `unverified`: it has no
   * signature, or its key is not available. Nothing that a sender writes makes it reject: only MannerlyError
   * `option-invalid`, for something that is not a request.
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
  const get = publishedFetcher({ fetcher, allowAddresses, resolve, nowMs });
  /** By the URLs of their directories. */
  const known = new Map<string, KeySet>();
  const loading = new Map<string, Promise<void>>();
  const load = async (url: string): Promise<void> => {
    const answer = await get(new URL(url));
    // A verifier accepts no other answer.
    const isAccepted = typeof answer === 'object' && answer.status === 200 && !answer.isTruncated;
    const keys = isAccepted ? keysOfDirectory(new TextDecoder().decode(answer.body)) : null;
    const seconds = isAccepted && keys !== null ? cacheSeconds(answer) : MIN_DIRECTORY_CACHE_SECONDS;
    const byThumbprint =
      keys === null ? known.get(url)?.keys : new Map(keys.map((key) => [thumbprint(key), key] as const));
    const keySet = { keys: byThumbprint ?? NO_KEYS, freshUntilMs: nowMs() + 1_000 * seconds };
    keepLatest(known, url, keySet, MAX_KNOWN_DIRECTORIES);
  };
  /** Loads a directory unless it is fresh. Concurrent calls share one request. */
  const loadOnce = async (url: string): Promise<void> => {
    if ((known.get(url)?.freshUntilMs ?? 0) > nowMs()) return;
    const isLoading = loading.get(url) ?? load(url).finally(() => loading.delete(url));
    loading.set(url, isLoading);
    await isLoading;
  };
  return {
    async verify(request) {
      checkRequest(request);
      let directory: string | null = null;
      const verifyNow = () =>
        verifySignature(
          request,
          (agent, keyid) => {
            directory = directoryUrl(agent);
            return directory === null ? null : (known.get(directory)?.keys.get(keyid) ?? null);
          },
          { nowMs: nowMs(), toleranceSeconds },
        );
      const verdict = verifyNow();
      if (verdict.kind !== 'verified' && verdict.reason !== 'key-unknown') return verdict;
      // A key that was removed in the meantime verifies until its directory is fetched again.
      if (directory !== null) await loadOnce(directory);
      return verifyNow();
    },
    close: () => fetcher.close(),
  };
}

/** @throws MannerlyError `option-invalid` */
function checkRequest(request: SignedMessage): void {
  const { method, url, headers } = Object(request) as Partial<SignedMessage>;
  if (typeof method === 'string' && typeof url === 'string' && Array.isArray(headers)) return;
  const hint = 'Of a request of Node.js, the header fields are `Object.entries(request.headers)`.';
  const given = Object.keys(Object(request));
  throw invalidOption('request', 'a method, an absolute URL and a list of header fields', given, hint);
}

interface KeySet {
  /** By computed thumbprint, never by `kid` alone. */
  readonly keys: ReadonlyMap<string, PublicJwk>;
  readonly freshUntilMs: number;
}

const NO_KEYS: KeySet['keys'] = new Map();

/** The URL of an agent's keys: for a bare origin the well-known path. `null` if it is not an https URL. */
function directoryUrl(agent: string | null): string | null {
  const url = parseUrl(agent ?? '');
  if (url?.protocol !== 'https:') return null;
  return url.pathname === '/' && url.search === '' ? new URL(DIRECTORY_PATH, url).href : url.href;
}

function cacheSeconds(answer: PublishedAnswer): number {
  return Math.min(Math.max(maxAgeSeconds(answer) || 0, MIN_DIRECTORY_CACHE_SECONDS), DIRECTORY_CACHE_SECONDS);
}
