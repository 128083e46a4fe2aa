// Maps the platform's errors to a `FailureCode`. The only file that knows their codes.

import { isError } from '../errors.js';
import type { FailureCode } from './outcome.js';

/** The phase of the exchange when the error occurred. */
export type ExchangePhase = 'connecting' | 'sent' | 'answering';

const BY_CODE: readonly (readonly [codes: RegExp, failure: FailureCode])[] = [
  [/^PROXY_DOWN$/, 'proxy'],
  [/^PROXY_REFUSED$/, 'proxy-refused'],
  [/^ECONNREFUSED$/, 'refused'],
  [/^(?:E(?:HOST|NET)(?:UNREACH|DOWN)|EADDRNOTAVAIL|EAFNOSUPPORT|EACCES|EPERM)$/, 'unreachable-network'],
  // This machine has no socket or memory left, for now.
  [/^(?:EMFILE|ENFILE|ENOBUFS|ENOMEM)$/, 'unreachable-network'],
  [/^(?:ECONNRESET|ECONNABORTED|EPIPE)$/, 'reset'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'dns'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'headers-too-large'],
  [/^(?:EPROTO|HOSTNAME_MISMATCH)$/, 'tls'],
  // OpenSSL's and Node's families of certificate and protocol errors.
  [/^(?:ERR_(?:TLS|SSL|OSSL)|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|ERROR_IN_C|PATH_LENGTH)/, 'tls'],
  [/^INVALID_(?:CA|PURPOSE|NON_CA)/, 'tls'],
];

/** The code for an error. `internal` if it is unknown, which says nothing about the host. Never throws. */
export function failureCode(error: unknown, phase: ExchangePhase): FailureCode {
  const { code, message, name } = readError(error);
  // undici's code for anything it could not parse, if a length was named before the header section ended.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return phase === 'answering' ? 'closed-early' : 'framing';
  if (code === 'ETIMEDOUT') return phase === 'connecting' ? 'timeout-connect' : 'reset';
  // undici asserts valid statuses: no unrequested 101, and none below 100.
  if (code === 'ERR_ASSERTION' && phase !== 'connecting') return 'framing';
  const known = BY_CODE.find(([codes]) => codes.test(code));
  if (known !== undefined) return known[1];
  // By name, since the platform's own copy of undici has its own classes. Only the message has more details.
  if (name === 'HTTPParserError') return /Invalid EOF state/.test(message) ? 'closed-early' : 'framing';
  // undici's only code for a connection that ended: the other side closed it, or the data was not a response.
  if (code === 'UND_ERR_SOCKET') return /^bad /.test(message) ? 'framing' : 'closed-early';
  return 'internal';
}

/** The code for an error of the platform's `fetch`: the innermost cause with a known code decides. Never throws. */
export function failureCodeWithin(error: unknown): FailureCode {
  let found: FailureCode = 'internal';
  let cause: unknown = error;
  // At most five, since causes may be circular.
  for (let depth = 0; depth < 5 && isError(cause); depth += 1) {
    const code = failureCode(cause, 'sent');
    if (code !== 'internal') found = code;
    cause = cause.cause;
  }
  return found;
}

/** Certificates that no known authority has signed. */
const UNKNOWN_AUTHORITY = /^(?:SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:GET_ISSUER_CERT_LOCALLY|VERIFY_LEAF_SIGNATURE))$/;

/** The description of an error for people. Never throws. */
export function failureDetail(error: unknown): string {
  const { code, message } = readError(error);
  const hint = UNKNOWN_AUTHORITY.test(code) ? '; name an authority of your own network in NODE_EXTRA_CA_CERTS' : '';
  const needsCode = code !== '' && !code.startsWith('PROXY_') && !message.includes(code);
  return `${message}${needsCode ? ` (${code})` : ''}${hint}`;
}

function readError(error: unknown): { code: string; message: string; name: string } {
  if (!isError(error)) return { code: '', message: String(error), name: '' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // OpenSSL's own messages are lines of numbers and file names around the reason.
  const isCryptic = error.message.includes(':error:') && 'reason' in error && typeof error.reason === 'string';
  return { code, message: isCryptic ? String(error.reason) : error.message, name: error.name };
}
