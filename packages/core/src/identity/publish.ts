// The folder that a crawler publishes about itself: static files for the root of one host. It never contains a private
// key, and is never written next to one (specification, identity 12). The header fields are written in the formats of
// three kinds of static host: `_headers`, nginx and Caddy.

import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { orIfAbsent, writeAtomically } from '../directory/atomic-file.js';
import { MannerlyError } from '../errors.js';
import { MAX_KEY_BYTES } from '../signatures/limits.js';
import { DIRECTORY_PATH, DIRECTORY_TYPE } from '../signatures/profile.js';
import { addressList } from './addresses.js';
import { FILES, identityCard, identityPage, type PublishedIdentity } from './identity-card.js';
import { keyDirectory, type ListedKey, signDirectory } from './key-directory.js';
import {
  DIRECTORY_CACHE_SECONDS,
  FOLDER_SIGNATURE_SECONDS,
  MAX_FOLDER_ENTRIES,
  ROTATION_CACHE_SECONDS,
} from './limits.js';

/** What a private key looks like: PEM of any kind, or the member `d` of a JWK. */
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----|"d"\s*:/;

/** Files by name. @throws MannerlyError `option-invalid` as `keyDirectory`. */
export async function identityFiles(
  identity: PublishedIdentity,
  keys: readonly ListedKey[],
  nowMs: number,
): Promise<ReadonlyMap<string, string>> {
  const { agent, egress } = identity;
  const directory = keyDirectory(keys);
  const times = { nowMs, lifetimeSeconds: FOLDER_SIGNATURE_SECONDS };
  const signed = await signDirectory(directory, agent.host, keys, times);
  const keyids = keys.map(({ keyid }) => keyid);
  const cacheSeconds = keys.length > 1 ? ROTATION_CACHE_SECONDS : DIRECTORY_CACHE_SECONDS;
  const listed = { ...publicFields(DIRECTORY_TYPE, cacheSeconds), ...signed };
  const served: ServedFile[] = [
    { path: DIRECTORY_PATH, file: FILES.directory, fields: listed },
    { path: '/', file: FILES.root, fields: listed },
    { path: `/${FILES.card}`, file: FILES.card, fields: publicFields('application/json', DIRECTORY_CACHE_SECONDS) },
  ];
  const files = new Map<string, string>([
    [FILES.directory, directory],
    [FILES.root, directory],
    [FILES.card, identityCard(identity)],
    [FILES.page, identityPage(identity, keyids)],
  ]);
  if (egress.length > 0) {
    files.set(FILES.addresses, addressList(egress, nowMs));
    const fields = publicFields('application/jafar+json', 3_600);
    served.push({ path: `/${FILES.addresses}`, file: FILES.addresses, fields });
  }
  for (const [name, text] of hostFiles(served)) files.set(name, text);
  for (const [name, text] of files) if (PRIVATE_KEY.test(text)) throw new Error(`${name} would hold a private key`);
  return files;
}

/** Overwrites the files. @throws MannerlyError `identity-key` if the folder has a private key, or very many files. */
export async function writeIdentityFolder(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  const existing = await orIfAbsent([], () => readdir(folder, { recursive: true }));
  if (existing.length > MAX_FOLDER_ENTRIES) throw refused(`${folder} has ${existing.length} files`);
  for (const name of existing) {
    const path = join(folder, name);
    const stats = await stat(path);
    if (!stats.isFile() || stats.size > MAX_KEY_BYTES) continue;
    if (PRIVATE_KEY.test(await readFile(path, 'utf8'))) throw refused(`key-is-private-in-public-folder: ${path}`);
  }
  for (const [name, text] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeAtomically(join(folder, name), text);
  }
}

function refused(what: string): MannerlyError {
  return new MannerlyError('identity-key', what, {
    hint: 'Published files need a folder of their own, and private keys must be kept elsewhere.',
  });
}

/** Fields for files that everyone may read and cache for this long. */
function publicFields(type: string, seconds: number): Record<string, string> {
  return { 'Content-Type': type, 'Cache-Control': `max-age=${seconds}`, 'Access-Control-Allow-Origin': '*' };
}

/** A path of the host, its file, and the fields of its answer. */
interface ServedFile {
  readonly path: string;
  readonly file: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The files by name. Values of fields contain quotation marks, but neither `'` nor a backquote. */
function hostFiles(served: readonly ServedFile[]): ReadonlyMap<string, string> {
  const root = served.find(({ path }) => path === '/')?.file ?? '';
  return new Map([
    ['_headers', served.map(({ path, fields }) => `${path}\n${linesOf(fields, (n, v) => `  ${n}: ${v}`)}`).join('\n')],
    ['_redirects', `/ /${root} 200\n`],
    ['nginx.conf.part', served.map(nginxLocation).join('\n')],
    ['Caddyfile.part', `rewrite / /${root}\n${served.map(caddyHeaders).join('\n')}`],
  ]);
}

function nginxLocation({ path, file, fields: { 'Content-Type': type = '', ...fields } }: ServedFile): string {
  const added = linesOf(fields, (name, value) => `  add_header ${name} '${value}';`);
  return `location = ${path} {\n  types { }\n  default_type '${type}';\n${added}  try_files /${file} =404;\n}\n`;
}

/** Uses the requested path: Caddy sets fields before it rewrites. */
function caddyHeaders({ path, fields }: ServedFile): string {
  return `header ${path} {\n${linesOf(fields, (name, value) => `  ${name} \`${value}\``)}}\n`;
}

function linesOf(fields: Readonly<Record<string, string>>, line: (name: string, value: string) => string): string {
  return Object.entries(fields)
    .map(([name, value]) => `${line(name, value)}\n`)
    .join('');
}
