// The keys that agents publish. A set that is known is kept when a later fetch fails (specification, identity 12,
// DECISION I15).

import { keepLatest } from '../keep-latest.js';
import { parseUrl } from '../parse-url.js';
import { DIRECTORY_PATH } from '../signatures/profile.js';
import { type PublicJwk, thumbprint } from '../signatures/signing-key.js';
import { keysOfDirectory } from './key-directory.js';
import { DIRECTORY_CACHE_SECONDS, LEAST_DIRECTORY_CACHE_SECONDS, MAX_KNOWN_DIRECTORIES } from './limits.js';
import {
  type DirectoryAccess,
  type FetchPublished,
  maxAgeSeconds,
  type PublishedAnswer,
  publishedFetcher,
} from './published-file.js';

interface KeySet {
  readonly keys: ReadonlyMap<string, PublicJwk>;
  readonly freshUntilMs: number;
}

const NO_KEYS: ReadonlyMap<string, PublicJwk> = new Map();

/** The keys of agents by the URLs of their directories. */
export class PublishedKeys {
  readonly #nowMs: () => number;
  readonly #get: FetchPublished;
  readonly #known = new Map<string, KeySet>();
  readonly #loading = new Map<string, Promise<void>>();

  /** @throws MannerlyError `option-invalid` for an address range that is none. */
  constructor(access: DirectoryAccess) {
    this.#nowMs = access.nowMs;
    this.#get = publishedFetcher(access);
  }

  /** The key as far as it is known by now. Never by its `keyid` alone. */
  key(agent: string | null, keyid: string): PublicJwk | null {
    const url = directoryUrl(agent);
    return url === null ? null : (this.#known.get(url)?.keys.get(keyid) ?? null);
  }

  /** Fetches the directory of an agent unless it is fresh; several calls at a time are one. Never rejects. */
  async load(agent: string | null): Promise<void> {
    const url = directoryUrl(agent);
    if (url === null || (this.#known.get(url)?.freshUntilMs ?? 0) > this.#nowMs()) return;
    const loading = this.#loading.get(url) ?? this.#fetch(url).finally(() => this.#loading.delete(url));
    this.#loading.set(url, loading);
    await loading;
  }

  async #fetch(url: string): Promise<void> {
    const answer = await this.#get(new URL(url));
    // Another answer is none that a verifier takes.
    const isTaken = typeof answer === 'object' && answer.status === 200 && !answer.isCut;
    const keys = isTaken ? keysIn(answer.body) : null;
    const known = this.#known.get(url)?.keys ?? NO_KEYS;
    const seconds = isTaken && keys !== null ? cacheSeconds(answer) : LEAST_DIRECTORY_CACHE_SECONDS;
    const set = { keys: keys ?? known, freshUntilMs: this.#nowMs() + 1_000 * seconds };
    keepLatest(this.#known, url, set, MAX_KNOWN_DIRECTORIES);
  }
}

/** Where an agent's keys are: a bare origin has them at the well-known path. `null`: no https URL. */
function directoryUrl(agent: string | null): string | null {
  const url = parseUrl(agent ?? '');
  if (url?.protocol !== 'https:') return null;
  return url.pathname === '/' && url.search === '' ? new URL(DIRECTORY_PATH, url).href : url.href;
}

/** By their thumbprints, which are computed; `null`: no directory. */
function keysIn(body: Uint8Array): ReadonlyMap<string, PublicJwk> | null {
  const keys = keysOfDirectory(new TextDecoder().decode(body));
  return keys === null ? null : new Map(keys.map((key) => [thumbprint(key), key]));
}

function cacheSeconds(answer: PublishedAnswer): number {
  return Math.min(Math.max(maxAgeSeconds(answer) || 0, LEAST_DIRECTORY_CACHE_SECONDS), DIRECTORY_CACHE_SECONDS);
}
