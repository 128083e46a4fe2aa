// From nothing to a folder that can be served: two commands, and each mistake on the way is named.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { run, runWith } from '../../test-support/run-command.js';
import { TEST_JWK } from '../../test-support/test-key.js';
import { loadSigningKey } from '../signatures/signing-key.js';
import { runCommand } from './program.js';

let base: string;
let key: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-identity-'));
  key = join(base, 'keys', 'bot.key');
});
afterAll(() => rmSync(base, { recursive: true }));

const identity = (...args: string[]) => run('identity', ...args);

/** Writes a configuration. Returns the flags that publish it. */
function configured(signature: object, more: object = {}, who: object = {}): string[] {
  const file = join(base, 'mannerly.config.json');
  writeFileSync(
    file,
    JSON.stringify({ identity: { name: 'tidepool', contact: 'https://a.example/', ...who, signature }, ...more }),
  );
  return ['publish', '--config', file, '--to', join(base, 'folder')];
}

const AGENT = 'https://bot.example/';

describe('mannerly identity', () => {
  it('makes a key once, and publishes only its public part', async () => {
    const made = await identity('init', '--key', key);
    expect(made).toMatchObject({ code: 0, err: '' });
    const keyid = /thumbprint ([\w-]{43})\./.exec(made.out)?.[1] ?? 'none';
    expect(await identity('init', '--key', key)).toMatchObject({ code: 2, out: '' });
    const args = configured({ key: `file:${key}`, agent: AGENT }, { purposes: ['search'] });
    expect(await identity(...args)).toMatchObject({ code: 0, err: '' });
    const published = readFileSync(join(base, 'folder/.well-known/http-message-signatures-directory'), 'utf8');
    expect(JSON.parse(published)).toMatchObject({ keys: [{ kid: keyid }] });
    expect(readFileSync(join(base, 'folder/about.html'), 'utf8')).toContain('Declared: search.');
    expect(made.out + published).not.toContain(readFileSync(key, 'utf8').split('\n')[1]);
  });

  it('says so if the page that it publishes names only itself as the contact', async () => {
    await identity('init', '--key', key);
    const who = { contact: `${AGENT}about.html` };
    const { code, err } = await identity(...configured({ key: `file:${key}`, agent: AGENT }, {}, who));
    expect([code, err]).toEqual([0, expect.stringContaining('does not say how to reach you')]);
  });

  it.each([
    ['init', '--to', 'folder'],
    ['publish', '--leaked', ''],
    ['rotate', '--also', 'other.key'],
    ['check', '--live', 'https://a.example/'],
    ['verify', '--allow-address', '127.0.0.0/8', '--json'],
  ])('refuses a flag that the action would ignore: %s %s', async (action, ...flags) => {
    const { code, err } = await identity(action, ...flags.filter((flag) => flag !== ''));
    expect(code).toBe(2);
    expect(err).toContain(`${action} takes no ${action === 'verify' ? '--json' : flags[0]}`);
  });

  it('publishes addresses, their names and the pace of the configuration', async () => {
    const who = { contact: 'us@a.example', egress: ['198.51.100.0/28'], domain: 'bot.example' };
    const politeness = { profile: 'gentle' };
    const result = await identity(...configured({ key: `file:${key}`, agent: AGENT }, { politeness }, who));
    expect(result).toMatchObject({ code: 0, err: expect.stringContaining('identity-no-page') });
    expect(result.out).toContain('crawl-198-51-100-0.bot.example');
    const file = (name: string) => JSON.parse(readFileSync(join(base, 'folder', name), 'utf8')) as object;
    expect(file('ips.json')).toMatchObject({ prefixes: [{ ipv4Prefix: '198.51.100.0/28' }] });
    expect(file('card.json')).toMatchObject({ web_bot_auth: { 'rate-expectation': 'max=0.34rps per host' } });
    const page = { ...who, page: 'https://a.example/bot' };
    expect(await identity(...configured({ key: `file:${key}`, agent: AGENT }, {}, page))).toMatchObject({ err: '' });
  });

  it('a crawl that signs and names no page reports that', async () => {
    const crawling = async (who: object) => {
      const [, , file = ''] = configured({ key: `file:${key}`, agent: AGENT }, {}, who);
      const io = fakeIo();
      const out = join(base, `crawl-${Object.keys(who).length}`);
      await runCommand(['crawl', 'https://127.0.0.1:1/', '--pages', '1', '--config', file, '--out', out], io);
      return io.errLines.join('\n');
    };
    expect(await crawling({ contact: 'us@a.example' })).toContain('identity-no-page');
    expect(await crawling({ contact: 'us@a.example', page: 'https://a.example/' })).not.toContain('identity-no-page');
  });

  it('lists the next key too', async () => {
    const next = join(base, 'keys', 'next.key');
    await identity('init', '--key', next);
    await identity(...configured({ key: `file:${key}`, agent: AGENT }), '--also', next);
    const published = readFileSync(join(base, 'folder/index.json'), 'utf8');
    expect((JSON.parse(published) as { keys: unknown[] }).keys).toHaveLength(2);
  });

  it('rotates the key in three steps, two days apart, and refuses a step that is too early', async () => {
    const keyid = async () => loadSigningKey(`file:${own}`).keyid;
    const own = join(base, 'keys', 'rotated.key');
    await identity('init', '--key', own);
    const first = await keyid();
    const [, ...flags] = configured({ key: `file:${own}`, agent: AGENT });
    const listed = () =>
      (JSON.parse(readFileSync(join(base, 'folder/index.json'), 'utf8')) as { keys: { kid: string }[] }).keys.map(
        ({ kid }) => kid,
      );
    const rotate = (afterDays: number, ...more: readonly string[]) => {
      const io = { ...fakeIo(), nowMs: () => Date.UTC(2026, 10, 23) + afterDays * 86_400_000 };
      return runWith(io, 'identity', 'rotate', ...flags, ...more);
    };
    expect(await rotate(0)).toMatchObject({ code: 0, out: expect.stringContaining('from 2026-11-25T00:05') });
    expect([await keyid(), listed().length, listed()[0]]).toEqual([first, 2, first]);
    expect(readFileSync(join(base, 'folder/_headers'), 'utf8')).toContain('max-age=3600');
    expect(await rotate(1)).toMatchObject({ code: 2, err: expect.stringContaining('too early') });
    // Publishing in between lists both keys.
    await identity('publish', ...flags);
    expect(listed()).toHaveLength(2);
    // If the folder is refused, the key and the step stay as they are.
    const stray = join(base, 'folder', 'stray.key');
    writeFileSync(stray, readFileSync(own));
    expect(await rotate(3)).toMatchObject({ code: 2, err: expect.stringContaining('key-is-private-in-public-folder') });
    expect(await keyid()).toBe(first);
    rmSync(stray);
    expect(await rotate(3)).toMatchObject({ code: 0, out: expect.stringContaining('signs from now on') });
    expect([(await keyid()) === first, listed().at(-1)]).toEqual([false, first]);
    expect(await rotate(6)).toMatchObject({ code: 0, out: expect.stringContaining('The old key is removed') });
    expect(listed()).toEqual([await keyid()]);
    expect(await rotate(6, '--leaked')).toMatchObject({ code: 0 });
    expect(listed()).toHaveLength(1);
  });

  it.each([
    ['no key', { agent: AGENT }, {}, 'identity.signature.key'],
    ['an agent below a path', { key: 'KEY', agent: `${AGENT}keys` }, {}, 'the path of `identity.signature.agent`'],
    ['the key that RFC 9421 prints', { key: 'env:MANNERLY_TEST_KEY', agent: AGENT }, {}, 'key-is-test-key'],
    [
      'addresses with host bits',
      { key: 'KEY', agent: AGENT },
      { who: { egress: ['198.51.100.1/28'] } },
      'identity.egress[0]',
    ],
    ['private addresses', { key: 'KEY', agent: AGENT }, { who: { egress: ['10.0.0.0/8'] } }, 'public addresses'],
    ['a domain that is none', { key: 'KEY', agent: AGENT }, { who: { domain: 'a b' } }, 'identity.domain'],
    ['rules that are loosened', { key: 'KEY', agent: AGENT }, { robots: { policy: 'base' } }, 'robots'],
  ])(
    'refuses to publish %s',
    async (_title, signature, { who = {}, ...more }: { who?: object; robots?: object }, says) => {
      process.env['MANNERLY_TEST_KEY'] = JSON.stringify(TEST_JWK);
      const filled = JSON.parse(JSON.stringify(signature).replace('"KEY"', JSON.stringify(`file:${key}`))) as object;
      const refused = await identity(...configured(filled, more, who));
      delete process.env['MANNERLY_TEST_KEY'];
      expect(refused.code).toBe(2);
      expect(refused.err).toContain(says);
    },
  );

  it.each([
    [['init'], 'missing --name or --key'],
    [['init', '--name', '../x'], 'identity.name'],
    [['publish', '--config', 'none.json'], 'none.json'],
    [['rotate'], 'missing the configuration'],
    [['turn'], 'Allowed choices'],
  ])('refuses %j', async (args, says) => {
    expect((await identity(...args)).err).toContain(says);
  });
});
