// A key is changed without any request that a verifier cannot check: each cached copy of the directory lists the key
// that signs.

import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ResponseOutcome } from '../fetch/outcome.js';
import { createUndiciFetcher } from '../fetch/undici-fetcher.js';
import { COVERED_COMPONENTS, DIRECTORY_PATH } from '../signatures/profile.js';
import { requestSigner } from '../signatures/sign-request.js';
import { loadSigningKey, type SigningKey } from '../signatures/signing-key.js';
import { ROTATION_WAIT_MS } from './limits.js';
import { identityFiles } from './publish.js';
import { createRequestVerifier } from './request-verifier.js';
import { keysOfRotation, nextRotation, writeKeyFile } from './rotation.js';

const NOW = Date.UTC(2026, 10, 23);
const HOUR = 3_600_000;

let base: string;
let path: string;
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-rotation-'));
  path = join(base, 'bot.key');
  await writeKeyFile(path);
});
afterEach(() => rmSync(base, { recursive: true }));

const idOf = (file: string): string => loadSigningKey(`file:${file}`).keyid;
const ids = (keys: readonly SigningKey[]): string[] => keys.map(({ keyid }) => keyid);

async function rotateKey(file: string, nowMs: number, isLeaked = false) {
  const rotation = await nextRotation(file, nowMs, isLeaked);
  await rotation.take();
  return rotation;
}

const AGENT = 'https://bot.example/.well-known/http-message-signatures-directory';
const IDENTITY = {
  ...{ name: 'tidepool', contact: 'us@example.org', userAgent: 'tidepool/1.0', tokens: ['tidepool'], purposes: [] },
  ...{ egress: [], domain: null, page: null, minIntervalMs: 1_000, agent: new URL(AGENT) },
};

/** A site that verifies, with the directory as its host serves it at that time. */
function site(served: () => ReadonlyMap<string, string>, now: () => number) {
  const answer = (): Partial<ResponseOutcome> => {
    const [, block = ''] = `\n${served().get('_headers')}`.split(`\n${DIRECTORY_PATH}\n`);
    const fields = [...(block.split('\n\n')[0] ?? '').matchAll(/^ {2}([\w-]+): (.*)$/gm)];
    const body = Buffer.from(served().get(DIRECTORY_PATH.slice(1)) ?? '');
    const headers = fields.map(([, name = '', value = '']) => [name, value] as const);
    return { kind: 'response', status: 200, headers, body, truncated: null };
  };
  const fetch = async () => answer() as ResponseOutcome;
  return createRequestVerifier({
    fetcher: { ...createUndiciFetcher(), fetch },
    allowAddresses: ['127.0.0.0/8'],
    resolve: async () => ['127.0.0.1'],
    nowMs: now,
  });
}

describe('the rotation of a key', () => {
  it('over a week, tried every hour: each request verifies at sites that fetched the directory at any hour', async () => {
    const first = idOf(path);
    const steps: string[] = [];
    const terms = {
      form: 'url',
      agent: AGENT,
      components: COVERED_COMPONENTS.path,
      lifetimeSeconds: 300,
      nonce: true,
    } as const;
    const [wait, fields] = [Math.ceil(ROTATION_WAIT_MS / HOUR), ['list', 'use', 'drop']];
    let nowMs = NOW;
    let served = await identityFiles(IDENTITY, await keysOfRotation(path), nowMs);
    // One site for each hour of half a day; each keeps its copy for as long as allowed.
    const sites = Array.from({ length: 12 }, () =>
      site(
        () => served,
        () => nowMs,
      ),
    );
    const verdicts: string[] = [];
    for (let hour = 0; hour < 7 * 24; hour += 1) {
      nowMs = NOW + hour * HOUR;
      // After a day, every cache has the directory from before the first step.
      if (hour >= 24 && steps.length < fields.length) {
        try {
          const rotation = await nextRotation(path, nowMs);
          served = await identityFiles(IDENTITY, rotation.keys, nowMs);
          await rotation.take();
          steps.push(`${rotation.step} ${hour}`);
        } catch (error) {
          expect(String(error)).toMatch(/too early: the step "(use|drop)" may be taken at 2026-/);
        }
      }
      const url = new URL(`https://site.example/${hour}`);
      const signed = await requestSigner(loadSigningKey(`file:${path}`), terms)(url, nowMs);
      const request = { method: 'GET', url: url.href, headers: Object.entries(signed) };
      for (const each of sites.slice(0, hour + 1)) verdicts.push((await each.verify(request)).kind);
      // And at the last moment of the signature's lifetime.
      nowMs += 290_000;
      verdicts.push((await sites[hour % sites.length]!.verify(request)).kind);
    }
    expect(verdicts.length).toBeGreaterThan(2_000);
    expect(verdicts.filter((kind) => kind !== 'verified')).toEqual([]);
    expect(steps).toEqual(['list 24', `use ${24 + wait}`, `drop ${24 + 2 * wait}`]);
    expect(idOf(path)).not.toBe(first);
    expect(readdirSync(base)).toEqual(['bot.key']);
  });

  it('changes nothing that signs before the step is taken', async () => {
    await rotateKey(path, NOW);
    const before = idOf(path);
    const late = NOW + ROTATION_WAIT_MS;
    expect((await nextRotation(path, late)).step).toBe('use');
    expect([idOf(path), (await nextRotation(path, late)).step]).toEqual([before, 'use']);
  });

  it('lists the keys that sign now, that will sign, and that signed before', async () => {
    const first = idOf(path);
    const listed = await rotateKey(path, NOW);
    const next = idOf(`${path}.next`);
    expect([listed.step, ids(listed.keys), idOf(path)]).toEqual(['list', [first, next], first]);
    expect(listed.next).toEqual({ step: 'use', dueMs: NOW + ROTATION_WAIT_MS });
    const used = await rotateKey(path, NOW + ROTATION_WAIT_MS);
    expect([used.step, ids(used.keys), idOf(path)]).toEqual(['use', [next, first], next]);
    expect(ids(await keysOfRotation(path))).toEqual([next, first]);
    const dropped = await rotateKey(path, NOW + 2 * ROTATION_WAIT_MS);
    expect([dropped.step, ids(dropped.keys), dropped.next]).toEqual(['drop', [next], null]);
  });

  it.each(['before', 'list', 'use'])('replaces keys that have leaked at once: %s', async (when) => {
    const leaked = [idOf(path)];
    if (when !== 'before') leaked.push(...ids((await rotateKey(path, NOW)).keys));
    if (when === 'use') await rotateKey(path, NOW + ROTATION_WAIT_MS);
    const { step, keys } = await rotateKey(path, NOW + ROTATION_WAIT_MS, true);
    expect([step, keys.length, idOf(path)]).toEqual(['drop', 1, ids(keys)[0]]);
    for (const each of leaked) expect(ids(keys)).not.toContain(each);
    expect(readdirSync(base)).toEqual(['bot.key']);
  });

  it('continues after an interrupted step', async () => {
    const first = idOf(path);
    // The new key was written in part, then completely, but no step was recorded.
    writeFileSync(`${path}.next`, '-----BEGIN', { mode: 0o600 });
    await nextRotation(path, NOW);
    const next = idOf(`${path}.next`);
    expect(ids((await rotateKey(path, NOW)).keys)).toEqual([first, next]);
    // The files were renamed, but no step was recorded.
    renameSync(path, `${path}.old`);
    renameSync(`${path}.next`, path);
    expect(ids(await keysOfRotation(path))).toEqual([next, first]);
    expect(ids((await rotateKey(path, NOW + ROTATION_WAIT_MS)).keys)).toEqual([next, first]);
  });

  it.skipIf(process.platform === 'win32')('keeps each key readable only by its owner', async () => {
    await rotateKey(path, NOW);
    await rotateKey(path, NOW + ROTATION_WAIT_MS);
    for (const name of ['bot.key', 'bot.key.old']) expect(statSync(join(base, name)).mode & 0o777).toBe(0o600);
  });

  it('refuses an unreadable record of steps, and an invalid key', async () => {
    writeFileSync(`${path}.rotation.json`, '{"step":"list"}');
    await expect(rotateKey(path, NOW)).rejects.toThrow('rotation.json cannot be read');
    rmSync(`${path}.rotation.json`);
    await expect(rotateKey(join(base, 'none'), NOW)).rejects.toMatchObject({ code: 'identity-key' });
    expect(existsSync(join(base, 'none.next'))).toBe(false);
  });
});
