// A key directory on Node.js: verifiers get a new signature with each answer.

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { keysFrom, serveKeys } from './key-directory.js';

it('has the public key at both paths, with signature fields, and nothing else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mannerly-keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { privateKey } = generateKeyPairSync('ed25519');
  const file = join(folder, 'bot.key');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const handle = serveKeys('bot.example', keysFrom(file));
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { x } = privateKey.export({ format: 'jwk' });
  for (const path of ['/', '/.well-known/http-message-signatures-directory']) {
    const answer = await fetch(base + path);
    expect(await answer.json()).toMatchObject({ keys: [{ kty: 'OKP', crv: 'Ed25519', x, use: 'sig' }] });
    expect(answer.headers.get('signature-input')).toContain('tag="http-message-signatures-directory"');
    expect(answer.headers.get('content-digest')).toMatch(/^sha-256=:/);
    expect(answer.headers.get('signature')).toMatch(/^sig1=:/);
  }
  expect((await fetch(`${base}/other`)).status).toBe(404);
});
