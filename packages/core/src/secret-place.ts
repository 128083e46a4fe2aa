// Where a secret is: an option names a file or a variable, so that options, logs and process lists contain no secret.

import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

/** The secret, without blanks around it; or why there is none, without showing the option's value. */
export type SecretResult =
  | { readonly kind: 'secret'; readonly text: string }
  | { readonly kind: 'none'; readonly reason: string };

/** Whether an option names a place: `file:PATH` or `env:NAME`. */
export function isSecretReference(source: string): boolean {
  return PLACE.test(source);
}

/** Reads the secret at a place. Never throws. */
export function readSecret(
  source: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): SecretResult {
  const [, kind, place = ''] = PLACE.exec(source) ?? [];
  if (kind === undefined) return { kind: 'none', reason: 'it is neither file:PATH nor env:NAME' };
  let file: number | null = null;
  try {
    file = kind === 'env' ? null : openSync(place, 'r');
    const others = file === null ? null : othersRights(file);
    if (others !== null) return { kind: 'none', reason: others };
    const text = file === null ? env[place] : readFileSync(file, 'utf8');
    return text === undefined
      ? { kind: 'none', reason: 'no such variable is set' }
      : { kind: 'secret', text: text.trim() };
  } catch (error) {
    return { kind: 'none', reason: `it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})` };
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** What others may do with an open file that only its owner may use; `null`: nothing. Windows has no such modes. */
export function othersRights(file: number): string | null {
  const { mode } = fstatSync(file);
  if (process.platform === 'win32' || (mode & 0o077) === 0) return null;
  return `others may use it (mode ${(mode & 0o777).toString(8)}); chmod 600 it`;
}

const PLACE = /^(file|env):(.+)$/s;
