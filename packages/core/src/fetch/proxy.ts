// The operator's only proxy: where it is, and its name and password. There is never a second one: a crawl that changes
// its address hides from the sites that limit it.

import { invalidOption } from '../errors.js';
import { parseUrl, percentDecoded } from '../parse-url.js';
import { isSecretReference, readSecret } from '../secret-place.js';
import { MAX_PROXY_URL_CHARS } from './limits.js';

/** A proxy. Code that lists its fields, such as a manifest, cannot read name and password. */
export class OperatorProxy {
  /** Without name and password. */
  readonly url: string;
  readonly isSocks: boolean;
  readonly host: string;
  readonly port: number;
  readonly #username: string;
  readonly #password: string;

  /** @param url - Its scheme, host and port are checked. */
  constructor({ protocol, hostname, port, username, password }: URL) {
    this.isSocks = protocol === 'socks5:';
    this.host = hostname.replace(/^\[|\]$/g, '');
    this.port = Number(port || (this.isSocks ? 1080 : 80));
    this.url = `${protocol}//${hostname}:${this.port}`;
    this.#username = percentDecoded(username);
    this.#password = percentDecoded(password);
  }

  /** The credentials; `null`: the proxy gets none. */
  credentials(): { readonly username: string; readonly password: string } | null {
    return this.#username === '' ? null : { username: this.#username, password: this.#password };
  }
}

/**
 * Reads the option `network.proxy`: `http://HOST:PORT`, `socks5://HOST:PORT`, or the place of such a URL, which may
 * then include a name and a password.
 * @throws MannerlyError `option-invalid`, which never shows a password.
 */
export function resolveProxy(given: unknown, env?: Readonly<Record<string, string | undefined>>): OperatorProxy {
  if (Array.isArray(given) || (typeof given === 'string' && /[,\s]/.test(given.trim()))) {
    throw invalidOption('network.proxy', 'one proxy', given, NO_ROTATION);
  }
  if (typeof given !== 'string') throw invalidOption('network.proxy', EXPECTED, given);
  if (!isSecretReference(given)) {
    const url = proxyUrl(given);
    if (url === null) throw invalidOption('network.proxy', EXPECTED, given);
    if (url.username === '' && url.password === '') return new OperatorProxy(url);
    throw invalidOption('network.proxy', 'a URL without name and password', url.protocol, SECRET_HINT);
  }
  const secret = readSecret(given, env);
  if (secret.kind === 'none') throw invalidOption('network.proxy', `a place that holds a URL: ${secret.reason}`, given);
  const url = proxyUrl(secret.text);
  if (url === null) throw invalidOption('network.proxy', `the place of ${EXPECTED}, which it does not hold`, given);
  return new OperatorProxy(url);
}

const EXPECTED = 'a URL such as http://127.0.0.1:3128 or socks5://127.0.0.1:1080';
const NO_ROTATION =
  'Lists and rotation are refused: a site has to be able to know one crawler by one address, and to limit it.';
const SECRET_HINT = 'Name where the whole URL is instead, as env:NAME or file:PATH; the password belongs into no log.';

/** The URL of a proxy; `null`: the text is not one. */
function proxyUrl(text: string): URL | null {
  const url = text.length <= MAX_PROXY_URL_CHARS ? parseUrl(text) : null;
  const isProxy =
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'socks5:') &&
    url.hostname !== '' &&
    /^\/?$/.test(url.pathname) &&
    url.search === '' &&
    url.hash === '';
  return isProxy ? url : null;
}
