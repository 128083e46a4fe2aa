// The key that RFC 9421 B.1.4 prints. It signs nothing but tests.

import { parseSigningKey } from '../src/signatures/signing-key.js';

/** As JWK. */
export const TEST_JWK = {
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU',
  x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
} as const;

/** Ready to sign. */
export const TEST_KEY = parseSigningKey(JSON.stringify(TEST_JWK));
