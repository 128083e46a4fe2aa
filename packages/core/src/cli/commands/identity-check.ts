// `mannerly identity check`: what a verifier or a registry would find wrong with a published identity: with the folder
// before it is served, or with what its host answers.

import { Resolver } from 'node:dns/promises';
import { createUndiciFetcher } from '../../fetch/undici-fetcher.js';
import { checkNames } from '../../identity/addresses.js';
import { checkPublished, type ExpectedIdentity } from '../../identity/check-published.js';
import { publishedFetcher, publishedFolder } from '../../identity/published-file.js';
import { keysOfRotation } from '../../identity/rotation.js';
import { parseUrl } from '../../parse-url.js';
import { plural, printable } from '../../report/table.js';
import { loadSigningKey } from '../../signatures/signing-key.js';
import { findConfig } from '../config-file.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { json } from '../flags.js';
import type { CliIo } from '../io.js';
import { type ConfiguredIdentity, type IdentityFlags, readPublished } from '../published-identity.js';

/**
 * @param target - The URL of the directory, or of its host; absent: the folder is checked.
 * @throws UsageError, MannerlyError
 */
export async function identityCheck(target: string | undefined, flags: IdentityFlags, io: CliIo): Promise<number> {
  const { config = findConfig(process.cwd()) ?? undefined, to = 'identity', allowAddress = [] } = flags;
  const configured = config === undefined && target !== undefined ? null : await readPublished(config);
  const agent = target === undefined ? configured?.published.agent : parseUrl(target);
  if (agent?.protocol !== 'https:') {
    throw new UsageError(`"${target}" is not an https URL`, 'Write the address of the directory, or of its host.');
  }
  const expected = configured === null ? null : await expectedOf(configured);
  const fetcher = createUndiciFetcher();
  try {
    const access = { fetcher, allowAddresses: allowAddress, resolve: null, nowMs: io.nowMs };
    const get = target === undefined ? publishedFolder(to) : publishedFetcher(access);
    const faults = [...(await checkPublished(agent, expected, get, io.nowMs()))];
    const { domain = null, egress = [] } = configured?.published ?? {};
    if (target !== undefined && domain !== null) {
      const resolver = new Resolver({ timeout: 5_000, tries: 2 });
      faults.push(...(await checkNames(egress, domain, resolver)));
    }
    const where = target === undefined ? to : agent.href;
    if (flags.json === true) io.out(json({ checked: where, faults }));
    else {
      for (const { code, url, detail } of faults) io.out(`${code}  ${printable(url, 500)}: ${printable(detail, 500)}`);
      io.out(faults.length === 0 ? `${where}: nothing is wrong.` : `${where}: ${plural(faults.length, 'fault')}.`);
    }
    return faults.length === 0 ? EXIT.ok : EXIT.violated;
  } finally {
    await fetcher.close();
  }
}

async function expectedOf({ published, source, keyPath }: ConfiguredIdentity): Promise<ExpectedIdentity> {
  const keys = keyPath === null ? [loadSigningKey(source)] : await keysOfRotation(keyPath);
  return { ...published, keyids: keys.map(({ keyid }) => keyid) };
}
