// The keys of a published directory, from a file.

import { readFile, stat } from 'node:fs/promises';
import { parseJsonObject } from '../parse-json.js';
import { type PublicJwk, publicJwkOf } from '../signatures/signing-key.js';
import { UsageError } from './failure.js';
import { MAX_DIRECTORY_BYTES } from './limits.js';

/** The keys of a published directory. @throws UsageError for a file that holds none */
export async function readKeys(file: string): Promise<readonly PublicJwk[]> {
  const { size } = await stat(file);
  const text = size > MAX_DIRECTORY_BYTES ? '' : await readFile(file, 'utf8');
  const { keys } = parseJsonObject(text) ?? {};
  const read = Array.isArray(keys) ? keys.flatMap((each) => publicJwkOf(each) ?? []) : [];
  if (read.length > 0) return read;
  throw new UsageError(`${file} holds no Ed25519 keys`, 'It is a JWK set, as mannerly identity publish writes it.');
}
