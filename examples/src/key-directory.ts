// Your own key directory on Node.js, instead of static files: each answer is signed for five minutes, as the strictest
// verifiers require. Behind a server that terminates TLS, name its public host as the authority.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { keyDirectory, type ListedKey, loadSigningKey, signDirectory } from 'mannerly/identity';

const PATHS = ['/', '/.well-known/http-message-signatures-directory'];
const MINUTES_5 = 300;

/**
 * @param authority - The host that verifiers request, such as `bot.example`.
 * @param keys - All keys to publish; one of them signs your crawl.
 */
export function serveKeys(authority: string, keys: readonly ListedKey[]) {
  const body = keyDirectory(keys);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'GET' || !PATHS.includes(request.url ?? '')) {
      response.writeHead(404).end();
      return;
    }
    const signed = await signDirectory(body, authority, keys, { nowMs: Date.now(), lifetimeSeconds: MINUTES_5 });
    response.writeHead(200, {
      'Content-Type': 'application/http-message-signatures-directory+json',
      'Cache-Control': 'max-age=86400',
      'Access-Control-Allow-Origin': '*',
      ...signed,
    });
    response.end(body);
  };
}

/** Keys in the files that `mannerly identity init` has made. */
export function keysFrom(...files: readonly string[]): ListedKey[] {
  return files.map((file) => loadSigningKey(`file:${file}`));
}
