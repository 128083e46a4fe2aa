// The secret under which a crawl's fingerprints are made: drawn once, by whichever process comes first, and kept in the store.

import type { FrontierStore } from '../store.js';
import { newFingerprintSecret } from '../url/fingerprint.js';
import type { CrawlLock } from './crawl-lock.js';

const RECORD_SECRET = 'fingerprint-secret';

/** The secret of a crawl: another key would make every known URL new again. @throws What the store throws. */
export async function keptSecret(store: FrontierStore, lock: CrawlLock): Promise<string> {
  return (await read(store)) ?? lock.exclusively(async () => (await read(store)) ?? draw(store));
}

async function read(store: FrontierStore): Promise<string | null> {
  const kept = await store.readRecord(RECORD_SECRET);
  return kept === null ? null : new TextDecoder().decode(kept);
}

async function draw(store: FrontierStore): Promise<string> {
  const secret = newFingerprintSecret();
  await store.writeRecord(RECORD_SECRET, new TextEncoder().encode(secret));
  return secret;
}
