// An account at one https origin: where it is, who allows its use, and its secrets, which are read once from files or
// the environment and never shown. The option `signIn`.

import { invalidOption, MannerlyError } from '../errors.js';
import { parseUrl } from '../parse-url.js';
import { isSecretReference, readSecret } from '../secret-place.js';
import { MAX_CONSENT_CHARS, MAX_FORM_FIELDS, MAX_SECRET_CHARS, MIN_CONSENT_CHARS } from './limits.js';

/** A login form: where it is sent to, and the page that has it. */
export interface LoginForm {
  readonly url: string;
  /** Requested first, if a handler `login` reads its fields. */
  readonly page: string;
}

/** The option, unchecked. */
type Given = Readonly<Partial<Record<'origin' | 'consent' | 'basic' | 'bearer' | 'form', unknown>>>;
type Env = Readonly<Record<string, string | undefined>>;

/** An account. Code that lists its fields, such as a manifest, cannot read its secrets. */
export class Credential {
  readonly origin: string;
  readonly kind: 'basic' | 'bearer' | 'form';
  /** Who allows it, in the operator's words. */
  readonly consent: string;
  /** `null`: there is no form to send. */
  readonly form: LoginForm | null;
  /** The value of Authorization; `null`: none. */
  readonly #authorization: string | null;
  readonly #fields: readonly (readonly [name: string, value: string])[];

  /** @throws MannerlyError `option-invalid`, `option-unknown`, which never show a secret. */
  constructor(given: unknown, env: Env = process.env) {
    const { origin, consent, basic, bearer, form } = checkedKeys('signIn', given, KEYS) as Given;
    this.origin = originOf(origin);
    this.consent = checkedConsent(consent);
    const kinds = Object.entries({ basic, bearer, form }).filter(([, value]) => value !== undefined);
    if (kinds.length !== 1) {
      const names = kinds.map(([name]) => name).join(' and ') || 'none';
      throw invalidOption('signIn', 'an object with one of basic, bearer and form', names);
    }
    this.kind = kinds[0]?.[0] as Credential['kind'];
    this.form = form === undefined ? null : formOf(form, this.origin);
    this.#fields = form === undefined ? [] : fieldsOf((form as { readonly fields?: unknown }).fields, env);
    this.#authorization = authorizationOf(basic, bearer, env);
  }

  /** The value of Authorization; `null`: a form is sent instead. */
  authorization(): string | null {
    return this.#authorization;
  }

  /** The body of the form. @param extraFields - Fields that a handler has read from the page. */
  formBody(extraFields: Readonly<Record<string, string>> = {}): string {
    return new URLSearchParams([...Object.entries(extraFields), ...this.#fields.map(([...field]) => field)]).toString();
  }
}

const KEYS = ['origin', 'consent', 'basic', 'bearer', 'form'] as const;
const FORM_KEYS = ['url', 'page', 'fields'] as const;
const SECRET_HINT =
  'Give each secret as file:PATH or env:NAME; the secret itself belongs into neither options nor logs.';

/** Like `fill`, but never shows values, since one may be a secret. */
function checkedKeys(option: string, given: unknown, known: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalidOption(option, 'an object', Array.isArray(given) ? 'a list' : typeof given);
  }
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return given as Readonly<Record<string, unknown>>;
  throw new MannerlyError('option-unknown', `unknown option \`${option}.${unknown}\`; known: ${known.join(', ')}`);
}

function originOf(given: unknown): string {
  const url = typeof given === 'string' ? parseUrl(given) : null;
  if (url !== null && url.protocol === 'https:' && url.href === `${url.origin}/`) return url.origin;
  const hint = 'One origin without a path. The credential is sent over https only.';
  throw invalidOption('signIn.origin', 'https://host or https://host:port', given, hint);
}

function checkedConsent(given: unknown): string {
  const text = typeof given === 'string' ? given.trim() : '';
  if (text.length >= MIN_CONSENT_CHARS && text.length <= MAX_CONSENT_CHARS) return text;
  const expected = `${MIN_CONSENT_CHARS} to ${MAX_CONSENT_CHARS} characters`;
  throw invalidOption('signIn.consent', expected, given ?? 'none', CONSENT_HINT);
}

const CONSENT_HINT =
  'Say who allows it, such as "account of our own, terms read on 2026-03-01: crawling is allowed". It is in the manifest.';

function formOf(given: unknown, origin: string): LoginForm {
  const { url, page = url } = checkedKeys('signIn.form', given, FORM_KEYS);
  return { url: formUrl('url', url, origin), page: formUrl('page', page, origin) };
}

function formUrl(name: string, given: unknown, origin: string): string {
  const url = typeof given === 'string' ? parseUrl(given) : null;
  if (url !== null && url.origin === origin && url.username === '' && url.password === '') {
    url.hash = '';
    return url.href;
  }
  throw invalidOption(`signIn.form.${name}`, `a URL of ${origin}`, url === null ? typeof given : url.origin);
}

function fieldsOf(given: unknown, env: Env): [name: string, value: string][] {
  const isList = Array.isArray(given) && given.length > 0 && given.length <= MAX_FORM_FIELDS;
  if (!isList) {
    throw invalidOption('signIn.form.fields', `a list of 1 to ${MAX_FORM_FIELDS} fields`, typeof given, FIELD_HINT);
  }
  return given.map((each: unknown, at) => {
    const [, name, source] = (typeof each === 'string' && /^([^=]+)=(.*)$/s.exec(each)) || [];
    const option = `signIn.form.fields[${at}]`;
    if (name === undefined || source === undefined) throw invalidOption(option, 'NAME=PLACE', typeof each, FIELD_HINT);
    if (source.startsWith('text:')) return [name, source.slice('text:'.length)];
    return [name, readSecretAt(option, source, env)];
  });
}

const FIELD_HINT =
  'Write each field as name=env:NAME, name=file:PATH, or name=text:VALUE for a value that is not secret.';

function authorizationOf(basic: unknown, bearer: unknown, env: Env): string | null {
  if (basic !== undefined) {
    const pair = readSecretAt('signIn.basic', basic, env);
    if (!pair.includes(':')) throw invalidOption('signIn.basic', 'the place of NAME:PASSWORD', basic, SECRET_HINT);
    return `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
  }
  if (bearer === undefined) return null;
  const token = readSecretAt('signIn.bearer', bearer, env);
  if (/^[\x21-\x7e]+$/.test(token)) return `Bearer ${token}`;
  throw invalidOption('signIn.bearer', 'the place of a token of visible ASCII characters', bearer, SECRET_HINT);
}

function readSecretAt(option: string, source: unknown, env: Env): string {
  // A secret given as a value is not shown.
  if (typeof source !== 'string' || !isSecretReference(source)) {
    throw invalidOption(option, 'file:PATH or env:NAME', 'something else', SECRET_HINT);
  }
  const secret = readSecret(source, env);
  if (secret.kind === 'none') throw invalidOption(option, `a place that holds a secret: ${secret.reason}`, source);
  if (secret.text !== '' && secret.text.length <= MAX_SECRET_CHARS) return secret.text;
  throw invalidOption(option, `a place that holds 1 to ${MAX_SECRET_CHARS} characters`, source);
}
