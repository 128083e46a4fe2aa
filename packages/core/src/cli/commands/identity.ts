// `mannerly identity init | publish | rotate | check`: the key that a crawler signs with, the folder that its operator
// publishes, the change of the key, and the faults that others would find in what is published.

import { Resolver } from 'node:dns/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { resolvePoliteness } from '@mannerly/frontier/internal';
import { MannerlyError } from '../../errors.js';
import { checkEgressRanges } from '../../fetch/address-ranges.js';
import { lacksPage, NO_PAGE, resolveIdentity } from '../../fetch/identity.js';
import { createUndiciFetcher } from '../../fetch/undici-fetcher.js';
import { checkNames, expectedName } from '../../identity/addresses.js';
import { checkPublished } from '../../identity/check-published.js';
import { FILES } from '../../identity/identity-card.js';
import type { ListedKey } from '../../identity/key-directory.js';
import { identityFiles, writeIdentityFolder } from '../../identity/publish.js';
import { publishedFetcher, publishedFolder } from '../../identity/published-file.js';
import { keysOfRotation, nextRotation, writeKeyFile } from '../../identity/rotation.js';
import { fill } from '../../options/check.js';
import { relaxedDefaultsIn } from '../../options/options.js';
import { OPTIONS } from '../../options/table.js';
import { parseUrl } from '../../parse-url.js';
import { present } from '../../present.js';
import { iso, plural, printable } from '../../report/table.js';
import { checkAgent, DIRECTORY_PATH } from '../../signatures/profile.js';
import { loadSigningKey, type SigningKey } from '../../signatures/signing-key.js';
import { findConfig, readConfig } from '../config-file.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { type IdentityFlags, json } from '../flags.js';
import type { CliIo } from '../io.js';

const FLAGS_OF = {
  init: ['name', 'key'],
  publish: ['config', 'also', 'to'],
  rotate: ['config', 'to', 'leaked'],
  check: ['config', 'to', 'allowAddress', 'json'],
  verify: ['config', 'listen', 'live', 'keys', 'allowAddress'],
} satisfies Readonly<Record<string, readonly (keyof IdentityFlags)[]>>;

export async function identityCommand(
  action: keyof typeof FLAGS_OF,
  target: string | undefined,
  flags: IdentityFlags,
  io: CliIo,
): Promise<number> {
  const unread = Object.keys(flags).find((flag) => !FLAGS_OF[action].some((known) => known === flag));
  if (unread !== undefined) {
    const flag = `--${unread.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new UsageError(`${action} takes no ${flag}`, 'See mannerly identity --help.');
  }
  if (action === 'check') return check(target, flags, io);
  if (action === 'verify') return (await import('./identity-verify.js')).identityVerify(target, flags, io);
  if (target !== undefined) throw new UsageError(`${action} takes no "${target}"`, 'See mannerly identity --help.');
  await { init, publish, rotate }[action](flags, io);
  return EXIT.ok;
}

async function init({ name, key }: IdentityFlags, io: CliIo): Promise<void> {
  if (key === undefined && name === undefined) {
    throw new UsageError('missing --name or --key', 'Write --name tidepool-study, or name the file: --key <file>.');
  }
  if (name !== undefined) resolveIdentity({ name, contact: 'name@is.checked' });
  const path = resolve(key ?? join(homedir(), '.config', 'mannerly', `${name}.key`));
  const keyid = await writeKeyFile(path);
  io.out(`Written to ${path}, readable only by you. Its public key has the thumbprint ${keyid}.`);
  const signature = JSON.stringify({ key: `file:${path}`, agent: `https://<host>${DIRECTORY_PATH}` });
  io.out(`Next: "signature": ${signature}`);
  io.out(
    'in `identity` of the configuration, then mannerly identity publish. Register with operators that verify first:',
  );
  io.out('until then some of them count a signed request as an unknown bot.');
}

async function publish({ config, also = [], to = 'identity' }: IdentityFlags, io: CliIo): Promise<void> {
  const configured = await readConfiguredIdentity(config);
  const keys = [...(await keysOf(configured)), ...also.map((path) => loadSigningKey(`file:${resolve(path)}`))];
  await writePublished(configured, keys, to, io);
}

async function rotate({ config, to = 'identity', leaked = false }: IdentityFlags, io: CliIo): Promise<void> {
  const configured = await readConfiguredIdentity(config);
  const { keyPath } = configured;
  if (keyPath === null) {
    const hint =
      'Rotate it where it is kept, and list both keys in the meantime: mannerly identity publish --also <file>.';
    throw new UsageError(`${configured.source} is not a file`, hint);
  }
  const { step, keys, next, take } = await nextRotation(keyPath, io.nowMs(), leaked);
  // Comes first: the signing key has to be listed.
  await writePublished(configured, keys, to, io);
  await take();
  const [signing] = keys;
  io.out(
    {
      list: `Both keys are listed now; the old one still signs. The new one lies in ${keyPath}.next.`,
      use: `The new key ${signing?.keyid} signs from now on; the old one is still listed. Start crawls anew.`,
      drop: `Only ${signing?.keyid} is listed and signs. The old key is removed: end crawls that still sign with it.`,
    }[step],
  );
  io.out(`Serve the folder now${next === null ? '.' : `, then run the same command from ${iso(next.dueMs)} on.`}`);
}

/**
 * The faults that a verifier or a registry would find in the folder before it is served, or in what its host answers.
 * @param target - The URL of the directory, or of its host; if absent, the folder is checked.
 */
async function check(target: string | undefined, flags: IdentityFlags, io: CliIo): Promise<number> {
  const { config = findConfig(process.cwd()) ?? undefined, to = 'identity', allowAddress = [] } = flags;
  const configured = config === undefined && target !== undefined ? null : await readConfiguredIdentity(config);
  const agent = target === undefined ? configured?.published.agent : parseUrl(target);
  if (agent?.protocol !== 'https:') {
    throw new UsageError(`"${target}" is not an https URL`, 'Write the address of the directory, or of its host.');
  }
  const keyids = configured === null ? [] : (await keysOf(configured)).map(({ keyid }) => keyid);
  const expected = configured === null ? null : { ...configured.published, keyids };
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

/** The listed keys: one, or both during a key change. */
function keysOf({ source, keyPath }: ConfiguredIdentity) {
  return keyPath === null ? [loadSigningKey(source)] : keysOfRotation(keyPath);
}

type ConfiguredIdentity = Awaited<ReturnType<typeof readConfiguredIdentity>>;

const ROWS = { identity: OPTIONS.identity, robots: OPTIONS.robots, politeness: OPTIONS.politeness };

/**
 * Reads it. `source`: where its key is, `file:PATH` or `env:NAME`. `keyPath`: the absolute path of the key; `null` if
 * it is not in a file.
 * @param config - The file; if absent, that of the working directory. @throws UsageError, MannerlyError
 */
async function readConfiguredIdentity(config: string | undefined) {
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
  const { profile, requestsPerSecond } = politeness;
  const { minMs, crawlIntervalMs } = resolvePoliteness(present({ profile, requestsPerSecond }));
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

const NO_CONTACT =
  `identity.contact is ${FILES.page} itself, so that page does not say how to reach you. ` +
  'Give a mailbox as `identity.contact`, and the page as `identity.page`.';

/** Writes the folder and says what to do with it. @throws MannerlyError */
async function writePublished(
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
  if (published.contact === `${agent.origin}/${FILES.page}`) io.err(NO_CONTACT);
}
