// The keys of a published directory, from a file.

import { readFile, stat } from 'node:fs/promises';
import { keysOfDirectory } from '../identity/key-directory.js';
import { MAX_DIRECTORY_BYTES } from '../identity/limits.js';
import type { PublicJwk } from '../signatures/signing-key.js';
import { UsageError } from './failure.js';

/** The keys of a published directory. @throws UsageError for a file without keys */
export async function readKeys(file: string): Promise<readonly PublicJwk[]> {
  const { size } = await stat(file);
  const text = size > MAX_DIRECTORY_BYTES ? '' : await readFile(file, 'utf8');
  const keys = keysOfDirectory(text) ?? [];
  if (keys.length > 0) return keys;
  throw new UsageError(`${file} holds no Ed25519 keys`, 'It is a JWK set, as mannerly identity publish writes it.');
}
