// From nothing to a folder that can be served: two commands, and each mistake on the way is named.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_JWK } from '../signatures/test-key.fixture.js';
import { fakeIo } from './io.fixture.js';
import { runCommand } from './program.js';

let base: string;
let key: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-identity-'));
  key = join(base, 'keys', 'bot.key');
});
afterAll(() => rmSync(base, { recursive: true }));

async function identity(...args: string[]) {
  const io = fakeIo();
  const code = await runCommand(['identity', ...args], io);
  return { code, out: io.outLines.join('\n'), err: io.errLines.join('\n') };
}

/** A configuration, and the flags that publish it. */
function configured(signature: object, more: object = {}): string[] {
  const file = join(base, 'mannerly.config.json');
  writeFileSync(
    file,
    JSON.stringify({ identity: { name: 'tidepool', contact: 'https://a.example/', signature }, ...more }),
  );
  return ['publish', '--config', file, '--to', join(base, 'folder')];
}

const AGENT = 'https://bot.example/';

describe('mannerly identity', () => {
  it('makes a key once, and publishes its public part and nothing of the private one', async () => {
    const made = await identity('init', '--key', key);
    expect(made).toMatchObject({ code: 0, err: '' });
    const keyid = /thumbprint ([\w-]{43})\./.exec(made.out)?.[1] ?? 'none';
    expect(await identity('init', '--key', key)).toMatchObject({ code: 2, out: '' });
    const args = configured({ key: `file:${key}`, agent: AGENT }, { purposes: ['search'] });
    expect(await identity(...args, '--egress', '198.51.100.0/28')).toMatchObject({ code: 0, err: '' });
    const published = readFileSync(join(base, 'folder/.well-known/http-message-signatures-directory'), 'utf8');
    expect(JSON.parse(published)).toMatchObject({ keys: [{ kid: keyid }] });
    expect(readFileSync(join(base, 'folder/about.html'), 'utf8')).toContain('Declared: search.');
    expect(made.out + published).not.toContain(readFileSync(key, 'utf8').split('\n')[1]);
  });

  it('lists the next key too', async () => {
    const next = join(base, 'keys', 'next.key');
    await identity('init', '--key', next);
    await identity(...configured({ key: `file:${key}`, agent: AGENT }), '--also', next);
    const published = readFileSync(join(base, 'folder/index.json'), 'utf8');
    expect((JSON.parse(published) as { keys: unknown[] }).keys).toHaveLength(2);
  });

  it.each([
    ['no key', { agent: AGENT }, {}, 'identity.signature.key'],
    ['an agent below a path', { key: 'KEY', agent: `${AGENT}keys` }, {}, 'the path of `identity.signature.agent`'],
    ['the key that RFC 9421 prints', { key: 'env:MANNERLY_TEST_KEY', agent: AGENT }, {}, 'key-is-test-key'],
    ['rules that are loosened', { key: 'KEY', agent: AGENT }, { robots: { policy: 'base' } }, 'robots'],
  ])('refuses to publish %s', async (_title, signature, more, says) => {
    process.env['MANNERLY_TEST_KEY'] = JSON.stringify(TEST_JWK);
    const filled = JSON.parse(JSON.stringify(signature).replace('"KEY"', JSON.stringify(`file:${key}`))) as object;
    const refused = await identity(...configured(filled, more));
    delete process.env['MANNERLY_TEST_KEY'];
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(says);
  });

  it.each([
    [['init'], 'missing --name or --key'],
    [['init', '--name', '../x'], 'identity.name'],
    [['publish', '--config', 'none.json'], 'none.json'],
    [['rotate'], 'Allowed choices'],
  ])('refuses %j', async (args, says) => {
    expect((await identity(...args)).err).toContain(says);
  });
});
