// The key from RFC 9421 B.1.4. It signs only in tests.

import { parseSigningKey } from '../src/signatures/signing-key.js';

/** The key as JWK. */
export const TEST_JWK = {
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU',
  x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
} as const;

/** The key, ready to sign. */
export const TEST_KEY = parseSigningKey(JSON.stringify(TEST_JWK));
