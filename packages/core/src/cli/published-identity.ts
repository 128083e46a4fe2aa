// The configuration of the identity that `mannerly identity` publishes, and the folder made from it.

import { resolve } from 'node:path';
import { resolvePoliteness } from '@mannerly/frontier/internal';
import { MannerlyError } from '../errors.js';
import { checkEgressRanges } from '../fetch/address-ranges.js';
import { lacksPage, NO_PAGE, resolveIdentity } from '../fetch/identity.js';
import { expectedName } from '../identity/addresses.js';
import type { ListedKey } from '../identity/key-directory.js';
import { identityFiles, writeIdentityFolder } from '../identity/publish.js';
import { fill } from '../options/check.js';
import { relaxedDefaultsIn } from '../options/options.js';
import { OPTIONS } from '../options/table.js';
import { present } from '../present.js';
import { checkAgent, DIRECTORY_PATH } from '../signatures/profile.js';
import type { SigningKey } from '../signatures/signing-key.js';
import { findConfig, readConfig } from './config-file.js';
import { UsageError } from './failure.js';
import type { Flags } from './flags.js';
import type { CliIo } from './io.js';

/** The flags of `mannerly identity` as commander has them. */
export interface IdentityFlags extends Pick<Flags, 'name' | 'to' | 'keys' | 'allowAddress' | 'json'> {
  readonly key?: string;
  readonly config?: string;
  readonly also?: readonly string[];
  readonly leaked?: boolean;
  readonly listen?: number;
  readonly live?: string;
}

export type ConfiguredIdentity = Awaited<ReturnType<typeof readConfiguredIdentity>>;

const ROWS = { identity: OPTIONS.identity, robots: OPTIONS.robots, politeness: OPTIONS.politeness };

/**
 * Reads it. `source`: where its key is, `file:PATH` or `env:NAME`. `keyPath`: the absolute path of the key; `null` if
 * it is not in a file.
 * @param config - The file; if absent, that of the working directory. @throws UsageError, MannerlyError
 */
export async function readConfiguredIdentity(config: string | undefined) {
  const file = config ?? findConfig(process.cwd());
  if (file === null) throw new UsageError('missing the configuration', 'Name it with --config <file>.');
  const { identity, purposes = [], robots = {}, politeness = {} } = await readConfig(file);
  const { signature, ...given } = identity ?? {};
  if (signature?.key === undefined) {
    throw new UsageError(`${file} has no \`identity.signature.key\``, 'mannerly identity init makes a key.');
  }
  // The card says that RFC 9309 is followed unchanged.
  const filled = fill('', ROWS, { robots, politeness, identity });
  const [relaxedDefault] = relaxedDefaultsIn('', { robots: ROWS.robots }, filled);
  if (relaxedDefault !== undefined) {
    throw new UsageError(
      relaxedDefault,
      'The card would state that RFC 9309 is obeyed. A crawl like this has no card.',
    );
  }
  const agent = new URL(checkAgent(signature.form ?? 'url', signature.agent));
  if (agent.pathname !== '/' && agent.pathname !== DIRECTORY_PATH) {
    const hint = `The folder is for the root of a host: ${agent.origin}${DIRECTORY_PATH} or ${agent.origin}/.`;
    throw new UsageError(`the path of \`identity.signature.agent\` is ${agent.pathname}`, hint);
  }
  const { minMs, crawlIntervalMs } = resolvePoliteness({
    profile: filled.politeness.profile,
    ...present({ requestsPerSecond: politeness.requestsPerSecond }),
  });
  const published = {
    ...resolveIdentity(given),
    purposes,
    egress: checkEgressRanges(filled.identity.egress),
    domain: filled.identity.domain,
    agent,
    minIntervalMs: Math.max(minMs, crawlIntervalMs ?? 0),
  };
  const [, path] = /^file:(.+)$/s.exec(signature.key) ?? [];
  return { published, source: signature.key, keyPath: path === undefined ? null : resolve(path) };
}

/** Writes the folder and says what to do with it. @throws MannerlyError */
export async function writePublished(
  { published }: ConfiguredIdentity,
  keys: readonly (SigningKey & ListedKey)[],
  to: string,
  io: CliIo,
): Promise<void> {
  if (keys.some(({ isTestKey }) => isTestKey)) {
    throw new MannerlyError('identity-key', 'key-is-test-key: the key printed in RFC 9421 is public');
  }
  const files = await identityFiles(published, keys, io.nowMs());
  await writeIdentityFolder(to, files);
  const { agent, domain, egress } = published;
  io.out(`Written to ${to}: ${[...files.keys()].join(', ')}.`);
  io.out(`Serve it at ${agent.origin}/ with the fields of one of the three header files. They are valid for 30 days.`);
  if (domain !== null && egress[0] !== undefined) {
    io.out(`Set the names of your addresses (PTR, and A or AAAA): ${expectedName(egress[0], domain)} and so on.`);
  }
  if (lacksPage(published)) io.err(NO_PAGE);
}
