// A key is read from a file or variable, and refused if others could have it.

import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { TEST_JWK } from '../../test-support/test-key.js';
import { checkAgent } from './profile.js';
import { loadSigningKey, parseSigningKey, publicJwkOf, thumbprint } from './signing-key.js';

const folder = mkdtempSync(join(tmpdir(), 'mannerly-key-'));
afterAll(() => rmSync(folder, { recursive: true }));
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const PEM = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
const { x = '' } = publicKey.export({ format: 'jwk' });
const KEYID = thumbprint({ kty: 'OKP', crv: 'Ed25519', x });

const stored = (text: string, mode: number): string => {
  const path = join(folder, `${Math.random()}.key`);
  writeFileSync(path, text, { mode });
  return `file:${path}`;
};
const faultOf = (call: () => unknown): { code?: string; message: string; hint?: string } => {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error('not refused');
};

describe('a key', () => {
  it('from a file, as PEM or JWK', () => {
    const fromPem = loadSigningKey(stored(PEM, 0o600));
    expect(fromPem).toMatchObject({ keyid: KEYID, isTestKey: false, publicJwk: { x } });
    expect(loadSigningKey(stored(JSON.stringify(privateKey.export({ format: 'jwk' })), 0o400)).keyid).toBe(KEYID);
    expect(JSON.stringify(fromPem)).not.toContain(privateKey.export({ format: 'jwk' }).d);
  });

  it('from a variable', () => {
    expect(loadSigningKey('env:BOT_KEY', { BOT_KEY: PEM }).keyid).toBe(KEYID);
    expect(faultOf(() => loadSigningKey('env:BOT_KEY', {})).message).toContain('no such variable');
  });

  it('is the test key of the RFC', () => {
    expect(parseSigningKey(JSON.stringify(TEST_JWK)).isTestKey).toBe(true);
  });
});

describe('refusals that do not show the key', () => {
  const pemOf = (type: 'rsa' | 'ec') =>
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  it.each<[string, () => unknown, RegExp]>([
    ['by value', () => loadSigningKey(PEM), /neither file:PATH nor env:NAME/],
    ['RSA', () => parseSigningKey(String(pemOf('rsa'))), /of type rsa/],
    ['EC', () => parseSigningKey(String(pemOf('ec'))), /of type ec/],
    ['a public key', () => parseSigningKey(String(publicKey.export({ type: 'spki', format: 'pem' }))), /no PKCS#8/],
    ['a JWK without d', () => parseSigningKey(JSON.stringify({ ...TEST_JWK, d: undefined })), /no PKCS#8/],
    ['something else', () => parseSigningKey(`{"d":"${'a'.repeat(20_000)}"}`), /no PKCS#8/],
    ['no file', () => loadSigningKey(`file:${folder}/none`), /cannot be read/],
  ])('%s', (_, call, message) => {
    const fault = faultOf(call);
    expect(fault).toMatchObject({ code: 'identity-key', message: expect.stringMatching(message) });
    expect(`${fault.message}${fault.hint}`).not.toMatch(/BEGIN|aaaaa/);
  });

  it.skipIf(process.platform === 'win32').each([0o640, 0o604, 0o666])('a file that others may read (%o)', (mode) => {
    const source = stored(PEM, 0o600);
    // `chmod` ignores the process's umask, which would remove permissions.
    chmodSync(source.slice(5), mode);
    expect(faultOf(() => loadSigningKey(source))).toMatchObject({
      code: 'identity-key',
      message: expect.stringMatching(/others may use it .*chmod 600/),
    });
  });
});

it('a public JWK is read without its private member only', () => {
  expect(publicJwkOf({ ...TEST_JWK, d: undefined, kid: 'x' })).toBeNull();
  const { d: _, ...rest } = TEST_JWK;
  expect(publicJwkOf({ ...rest, kid: 'x', use: 'sig' })).toEqual(rest);
  for (const odd of [null, 'x', TEST_JWK, { ...rest, crv: 'X25519' }, { ...rest, x: 'short' }]) {
    expect(publicJwkOf(odd)).toBeNull();
  }
});

it('an agent is an https URL, or an origin where that is sent', () => {
  expect(checkAgent('url', 'https://Bot.example/keys')).toBe('https://bot.example/keys');
  expect(checkAgent('string', 'https://bot.example/')).toBe('https://bot.example');
  expect(checkAgent('origin', 'https://bot.example/.well-known/http-message-signatures-directory')).toBe(
    'https://bot.example',
  );
  const odd = ['http://bot.example/', 'https://bot.example/?a', 'https://a:b@bot.example/', 'bot', undefined, 7];
  for (const agent of odd) expect(() => checkAgent('url', agent)).toThrow('identity.signature.agent');
  expect(() => checkAgent('string', 'https://bot.example/keys')).toThrow('path');
});
