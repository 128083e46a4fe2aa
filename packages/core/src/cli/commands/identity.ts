// `mannerly identity`: makes the key that a crawler signs with, and the folder that its operator publishes.

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { resolvePoliteness } from '@mannerly/frontier/internal';
import { MannerlyError } from '../../errors.js';
import { lacksPage, NO_PAGE, resolveIdentity } from '../../fetch/identity.js';
import { checkedEgress } from '../../fetch/own-addresses.js';
import { expectedName } from '../../identity/address-list.js';
import { writeKeyFile } from '../../identity/key-file.js';
import { identityFiles, writeIdentityFolder } from '../../identity/publish.js';
import { fill } from '../../options/check.js';
import { relaxedDefaultsIn } from '../../options/options.js';
import { OPTIONS } from '../../options/table.js';
import { checkedAgent, DIRECTORY_PATH } from '../../signatures/profile.js';
import { loadSigningKey } from '../../signatures/signing-key.js';
import { findConfig, readConfig } from '../config-file.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import type { CliIo } from '../io.js';

/** The flags as commander has them. */
export interface IdentityFlags {
  readonly name?: string;
  readonly key?: string;
  readonly config?: string;
  readonly also?: readonly string[];
  readonly to?: string;
}

const ROWS = { identity: OPTIONS.identity, robots: OPTIONS.robots, politeness: OPTIONS.politeness };

/** Runs the command. @throws UsageError, MannerlyError */
export async function identityCommand(action: 'init' | 'publish', flags: IdentityFlags, io: CliIo): Promise<number> {
  return action === 'init' ? init(flags, io) : publish(flags, io);
}

async function init({ name, key }: IdentityFlags, io: CliIo): Promise<number> {
  if (key === undefined && name === undefined) {
    throw new UsageError('missing --name or --key', 'Write --name tidepool-study, or name the file: --key <file>.');
  }
  if (name !== undefined) resolveIdentity({ name, contact: 'name@is.checked' });
  const path = resolve(key ?? join(homedir(), '.config', 'mannerly', `${name}.key`));
  const keyid = await writeKeyFile(path);
  io.out(`Written to ${path}, for you alone. Its public key has the thumbprint ${keyid}.`);
  io.out(
    `Next: identity.signature: { key: ${JSON.stringify(`file:${path}`)}, agent: "https://<host>${DIRECTORY_PATH}" }`,
  );
  io.out(
    'in mannerly.config.json, then mannerly identity publish. Register with operators that verify before you sign:',
  );
  io.out('until then some of them count a signed request as an unknown bot.');
  return EXIT.ok;
}

async function publish({ config, also = [], to = 'identity' }: IdentityFlags, io: CliIo): Promise<number> {
  const file = config ?? findConfig(process.cwd());
  if (file === null) throw new UsageError('missing the configuration', 'Name it with --config <file>.');
  const { identity, purposes = [], robots = {}, politeness = {} } = await readConfig(file);
  const { signature, ...given } = identity ?? {};
  if (signature?.key === undefined) {
    throw new UsageError(`${file} has no \`identity.signature.key\``, 'mannerly identity init makes a key.');
  }
  // The card says that RFC 9309 is obeyed as it stands.
  const filled = fill('', ROWS, { robots, politeness, identity });
  const [loosened] = relaxedDefaultsIn('', { robots: ROWS.robots }, filled);
  if (loosened !== undefined) {
    throw new UsageError(loosened, 'The card would say that RFC 9309 is obeyed: a crawl like this has none.');
  }
  const agent = new URL(checkedAgent(signature.form ?? 'url', signature.agent));
  if (agent.pathname !== '/' && agent.pathname !== DIRECTORY_PATH) {
    const hint = `The folder is for the root of a host: ${agent.origin}${DIRECTORY_PATH} or ${agent.origin}/.`;
    throw new UsageError(`the path of \`identity.signature.agent\` is ${agent.pathname}`, hint);
  }
  const keys = [signature.key, ...also.map((path) => `file:${resolve(path)}`)].map((source) => loadSigningKey(source));
  if (keys.some(({ isTestKey }) => isTestKey)) {
    throw new MannerlyError('identity-key', 'key-is-test-key: everybody has the key that RFC 9421 prints');
  }
  const who = resolveIdentity(given);
  const { domain } = filled.identity;
  const { minMs, crawlIntervalMs } = resolvePoliteness({
    profile: filled.politeness.profile,
    ...(politeness.requestsPerSecond === undefined ? {} : { requestsPerSecond: politeness.requestsPerSecond }),
  });
  const leastIntervalMs = Math.max(minMs, crawlIntervalMs ?? 0);
  const egress = checkedEgress(filled.identity.egress);
  const published = { ...who, purposes, egress, domain, agent, leastIntervalMs };
  const files = await identityFiles(published, keys, io.nowMs());
  await writeIdentityFolder(to, files);
  io.out(`Written to ${to}: ${[...files.keys()].join(', ')}.`);
  io.out(`Serve it at ${agent.origin}/ with the fields of one of the three header files. They hold for 30 days.`);
  if (domain !== null && egress[0] !== undefined) {
    io.out(`Set the names of your addresses (PTR, and A or AAAA): ${expectedName(egress[0], domain)} and so on.`);
  }
  if (lacksPage(who)) io.err(NO_PAGE);
  return EXIT.ok;
}
