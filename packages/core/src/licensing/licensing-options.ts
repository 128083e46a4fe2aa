// The options of licences, checked, and the tokens that they name. A token is read from a file or the environment when
// a crawl is made, kept here, and never shown.

import { invalidOption, MannerlyError } from '../errors.js';
import { parseUrl } from '../parse-url.js';
import { isSecretReference, readSecret } from '../secret-place.js';
import type { LicenseParty } from './license-terms.js';
import { MAX_LICENSE_TOKEN_CHARS } from './limits.js';

export interface ResolvedLicensing {
  readonly mode: 'respect' | 'observe' | 'off';
  readonly read: 'with-purpose' | 'always' | 'never';
  readonly party: { readonly [Name in keyof LicenseParty]: LicenseParty[Name] | null } | null;
  readonly accepted: readonly string[];
  readonly tokens: readonly { readonly origin: string; readonly token: string }[];
  readonly strict: boolean;
  readonly onPaymentRequired: 'refuse';
}

/** The tokens of a crawl, each for exactly one https origin (licensing C7). */
export class LicenseTokens {
  readonly #tokens: ReadonlyMap<string, { readonly token: string; readonly endsAtMs: number | null }>;

  /** @throws MannerlyError `option-invalid`, which names the place of a token and never the token. */
  constructor(tokens: ResolvedLicensing['tokens'], env: Readonly<Record<string, string | undefined>> = process.env) {
    this.#tokens = new Map(
      tokens.map(({ origin, token: place }) => {
        const token = readTokenAt(place, env);
        return [originOf(origin), { token, endsAtMs: expiryMs(token) }];
      }),
    );
  }

  get origins(): readonly string[] {
    return [...this.#tokens.keys()];
  }

  /** The origins whose token has not ended. */
  validOrigins(nowMs: number): readonly string[] {
    return [...this.#tokens].flatMap(([origin, { endsAtMs }]) =>
      endsAtMs !== null && endsAtMs <= nowMs ? [] : origin,
    );
  }

  /** The tokens that state their end (JWT, `exp`), if it is before a time. */
  expiringBefore(timeMs: number): readonly { readonly origin: string; readonly endsAtMs: number }[] {
    return [...this.#tokens].flatMap(([origin, { endsAtMs }]) =>
      endsAtMs === null || endsAtMs >= timeMs ? [] : [{ origin, endsAtMs }],
    );
  }

  /** The value of Authorization for a request to a URL; `null` if none. */
  fieldFor({ origin, protocol }: URL): string | null {
    const known = protocol === 'https:' ? this.#tokens.get(origin) : undefined;
    return known === undefined ? null : `License ${known.token}`;
  }
}

/** The last second that a date can have (ECMA-262: 8.64e15 ms). */
const LAST_SECOND = 8.64e12;

function originOf(text: string): string {
  const url = parseUrl(text);
  if (url !== null && url.protocol === 'https:' && url.href === `${url.origin}/`) return url.origin;
  throw invalidOption('licensing.tokens', 'each origin to be https://host or https://host:port', text);
}

function readTokenAt(source: string, env: Readonly<Record<string, string | undefined>>): string {
  const secret = readSecret(source, env);
  // A token that was given by value is never shown.
  if (secret.kind === 'none') throw noToken(isSecretReference(source) ? source : 'a place', secret.reason);
  if (/^[\x21-\x7e]+$/.test(secret.text) && secret.text.length <= MAX_LICENSE_TOKEN_CHARS) return secret.text;
  throw noToken(source, 'it is not a token of visible ASCII characters');
}

/** When a token ends, epoch milliseconds; `null` if it is not a JWT, or does not say (RFC 7519 section 4.1.4). */
function expiryMs(token: string): number | null {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return null;
  try {
    const { exp } = Object(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))) as { exp?: unknown };
    return typeof exp === 'number' && Math.abs(exp) < LAST_SECOND ? Math.round(exp * 1_000) : null;
  } catch {
    // Most tokens are opaque.
    return null;
  }
}

function noToken(place: string, reason: string): MannerlyError {
  return new MannerlyError('option-invalid', `expected \`licensing.tokens\` to name a token at ${place}: ${reason}`, {
    hint: 'Give each token as file:PATH or env:NAME; the token itself belongs neither in options nor in logs.',
  });
}
