// What a site needs to verify signed requests, and a crawler's own host to publish the keys: the subpath `identity`.

export { loadSigningKey } from '../signatures/signing-key.js';
export type { SignatureVerdict } from '../signatures/verify-signature.js';
export { keyDirectory, type ListedKey, signDirectory } from './key-directory.js';
export { createRequestVerifier, type RequestVerifier } from './request-verifier.js';
