// Which failure an error of the platform is. If this breaks, a fault of this machine counts as a bug, and the URL is
// lost.

import { expect, it } from 'vitest';
import { failureCode, failureDetail } from './failure-code.js';

it.each([
  ['EMFILE', 'unreachable-network'],
  ['ENOBUFS', 'unreachable-network'],
  ['ENETUNREACH', 'unreachable-network'],
  ['ECONNREFUSED', 'refused'],
  ['ENONSENSE', 'internal'],
])('%s is %s', (code, failure) => {
  expect(failureCode(Object.assign(new Error(code), { code }), 'connecting')).toBe(failure);
});

it.each([
  [
    "the reason of OpenSSL's message",
    {
      message: '80CC:error:0A00042E:SSL routines:ssl3_read_bytes:tlsv1 alert protocol version:rec_layer_s3.c:1601:\n',
      reason: 'tlsv1 alert protocol version',
      code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    },
    'tlsv1 alert protocol version (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION)',
  ],
  [
    'what to do about an unknown authority',
    { message: 'self-signed certificate in certificate chain', code: 'SELF_SIGNED_CERT_IN_CHAIN' },
    'self-signed certificate in certificate chain (SELF_SIGNED_CERT_IN_CHAIN)' +
      '; name an authority of your own network in NODE_EXTRA_CA_CERTS',
  ],
  [
    'a code once',
    { message: 'connect ECONNREFUSED 127.0.0.1:9', code: 'ECONNREFUSED' },
    'connect ECONNREFUSED 127.0.0.1:9',
  ],
])('the detail has %s', (_what, { message, ...more }, detail) => {
  expect(failureDetail(Object.assign(new Error(message), more))).toBe(detail);
});
