// Where a secret is: an option names a file or a variable, so that options, logs and process lists contain no secret.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { MAX_SECRET_FILE_BYTES } from './limits.js';

/** The secret, without blanks around it; or why there is none, without showing the option's value. */
export type SecretResult =
  | { readonly kind: 'secret'; readonly text: string }
  | { readonly kind: 'none'; readonly reason: string };

/** Whether an option names a place: `file:PATH` or `env:NAME`. */
export function isSecretReference(source: string): boolean {
  return PLACE.test(source);
}

/**
 * Reads the secret at a place. Never throws.
 * @param isPrivate - Whether a file that other users may read is refused. Containers get their secrets in such files.
 */
export function readSecret(source: string, env: NodeJS.ProcessEnv = process.env, isPrivate = false): SecretResult {
  const [, kind, place = ''] = PLACE.exec(source) ?? [];
  if (kind === undefined) return { kind: 'none', reason: 'it is neither file:PATH nor env:NAME' };
  try {
    const text = kind === 'env' ? env[place] : readStart(place, isPrivate);
    return text === undefined
      ? { kind: 'none', reason: 'no such variable is set' }
      : { kind: 'secret', text: text.trim() };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { kind: 'none', reason: code === undefined ? message : `it cannot be read (${code})` };
  }
}

/** @throws Error if the file is to be private and other users may read or change it. Windows has no such modes. */
function readStart(path: string, isPrivate: boolean): string {
  const file = openSync(path, 'r');
  try {
    const { mode } = fstatSync(file);
    if (isPrivate && process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new Error(`others may use it (mode ${(mode & 0o777).toString(8)}); chmod 600 it`);
    const bytes = Buffer.alloc(MAX_SECRET_FILE_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

const PLACE = /^(file|env):(.+)$/s;
