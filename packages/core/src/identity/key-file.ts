// A new private key in a file of its own that only its owner can read. A file that is there is never replaced.

import { generateKeyPairSync } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasPlatformCode } from '../directory/whole-file.js';
import { MannerlyError } from '../errors.js';
import { loadSigningKey } from '../signatures/signing-key.js';

/**
 * Makes an Ed25519 key as PKCS#8 PEM, mode 600, in a folder that is made with mode 700. @returns Its thumbprint.
 * @throws MannerlyError `identity-key` where the file is there already; the platform's error.
 */
export async function writeKeyFile(path: string): Promise<string> {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await writeFile(path, pem, { flag: 'wx', mode: 0o600, flush: true });
  } catch (cause) {
    if (!hasPlatformCode(cause, 'EEXIST')) {
      // Half of a key would be in the way of the next attempt.
      await rm(path, { force: true });
      throw cause;
    }
    throw new MannerlyError('identity-key', `${path} is there already, and a key is never replaced`, {
      hint: 'Name another file with --key <file>.',
      cause,
    });
  }
  return loadSigningKey(`file:${path}`).keyid;
}
