// Where a secret is: an option names a file or a variable, so that options, logs and process lists contain no secret.

import { readFileSync } from 'node:fs';

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
  try {
    const text = kind === 'env' ? env[place] : readFileSync(place, 'utf8');
    return text === undefined
      ? { kind: 'none', reason: 'no such variable is set' }
      : { kind: 'secret', text: text.trim() };
  } catch (error) {
    return { kind: 'none', reason: `it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})` };
  }
}

const PLACE = /^(file|env):(.+)$/s;
