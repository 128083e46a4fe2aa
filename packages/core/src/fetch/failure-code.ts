// What the platform's errors mean: from an error to a `FailureCode`. The only file that knows their codes.

import type { FailureCode } from './outcome.js';

/** Where in its exchange a request was when the error came. */
export type ExchangePhase = 'connecting' | 'sent' | 'answering';

const BY_CODE: ReadonlyMap<string, FailureCode> = new Map([
  ['ECONNREFUSED', 'refused'],
  ['EHOSTUNREACH', 'unreachable-network'],
  ['EHOSTDOWN', 'unreachable-network'],
  ['ENETUNREACH', 'unreachable-network'],
  ['ENETDOWN', 'unreachable-network'],
  ['EADDRNOTAVAIL', 'unreachable-network'],
  ['EAFNOSUPPORT', 'unreachable-network'],
  ['EACCES', 'unreachable-network'],
  ['EPERM', 'unreachable-network'],
  ['ECONNRESET', 'reset'],
  ['ECONNABORTED', 'reset'],
  ['EPIPE', 'reset'],
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['EPROTO', 'tls'],
  ['HOSTNAME_MISMATCH', 'tls'],
  ['UND_ERR_HEADERS_OVERFLOW', 'headers-too-large'],
]);

/** OpenSSL's and Node's families of certificate and protocol errors. */
const TLS_CODE =
  /^(?:ERR_(?:TLS|SSL|OSSL)|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_(?:CA|PURPOSE|NON_CA)|ERROR_IN_C|PATH_LENGTH)/;

/**
 * The code for an error. What is not known is `internal`: it says nothing about the host, and is worth a look.
 *
 * @throws Never.
 */
export function failureCode(error: unknown, phase: ExchangePhase): FailureCode {
  const { code, message, name } = readError(error);
  // undici's code for whatever it could not parse, where a length had been named before the header section ended.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return phase === 'answering' ? 'closed-early' : 'framing';
  if (code === 'ETIMEDOUT') return phase === 'connecting' ? 'timeout-connect' : 'reset';
  const known = BY_CODE.get(code);
  if (known !== undefined) return known;
  if (TLS_CODE.test(code)) return 'tls';
  // By its name: the platform has a copy of undici of its own, with classes of its own. Only the message says more.
  if (name === 'HTTPParserError') return /Invalid EOF state/.test(message) ? 'closed-early' : 'framing';
  // undici's one code for a connection that ended: by the other side, or because what came was no response.
  if (code === 'UND_ERR_SOCKET') return /^bad /.test(message) ? 'framing' : 'closed-early';
  return 'internal';
}

/**
 * The code for an error of the platform's `fetch`, which wraps what happened: the innermost cause with a code decides.
 *
 * @throws Never.
 */
export function failureCodeWithin(error: unknown): FailureCode {
  let found: FailureCode = 'internal';
  let cause: unknown = error;
  // Five: causes may lead in a circle.
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    const code = failureCode(cause, 'sent');
    if (code !== 'internal') found = code;
    cause = cause.cause;
  }
  return found;
}

/** What to tell people about an error. Never throws. */
export function failureDetail(error: unknown): string {
  const { code, message } = readError(error);
  return code === '' || message.includes(code) ? message : `${message} (${code})`;
}

function readError(error: unknown): { code: string; message: string; name: string } {
  if (!(error instanceof Error)) return { code: '', message: String(error), name: '' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { code, message: error.message, name: error.name };
}
