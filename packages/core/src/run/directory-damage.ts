// Finds what has changed in a crawl directory since its last run: files that are missing, shorter, changed or
// unreadable. A run that ended left the sizes and hashes of its files. For a run that was killed, unreadable lines are
// found.

import { join } from 'node:path';
import { listNames, sha256Of, sizeOf } from '../directory/atomic-file.js';
import { checkEntryKinds } from '../directory/crawl-directory.js';
import { partsOf } from '../directory/crawl-paths.js';
import { readLines, readValues } from '../directory/read-lines.js';
import { isError } from '../errors.js';
import { parseJson } from '../parse-json.js';
import { plural } from '../report/table.js';
import { MAX_REPORTED_DAMAGE, MAX_VERIFIED_BYTES } from './limits.js';
import { isRobotsCopy, type OutputHash, readRunManifest } from './run-manifest.js';

/**
 * Compares a directory with what its last run left. Files that a person removed on purpose are reported too.
 * @returns A sentence for each damaged file, at most `MAX_REPORTED_DAMAGE`. Empty for a directory without a crawl. Past
 * the first `MAX_VERIFIED_BYTES`, only sizes are compared, so changes within those files are not found.
 * @throws MannerlyError `directory-format` for a folder in place of a file; the platform's error if the directory or
 *   `run.json` cannot be read.
 */
export async function findDamage(path: string): Promise<readonly string[]> {
  await checkEntryKinds(path);
  const sentences: string[] = [];
  let remainingBytes = MAX_VERIFIED_BYTES;
  const mayRead = (bytes: number): boolean => {
    remainingBytes -= bytes;
    return remainingBytes >= 0;
  };
  const parts = await partsOf(path);
  // Files that several processes write may have been written after the run that recorded their hash.
  const isWrittenByOthers = (name: string): boolean => parts.length > 1 && /^(?:crawl|settings)\.json$/.test(name);
  for (const part of parts) {
    const manifest = await readRunManifest(part.runPath);
    if (manifest !== null && manifest !== 'unreadable' && manifest.end !== null) {
      const outputs = manifest.end.outputs.filter((output) => !isWrittenByOthers(output.path));
      for (const output of outputs) sentences.push(...(await findChange(path, output, mayRead).catch(unreadable)));
      continue;
    }
    if (manifest === 'unreadable')
      sentences.push(`${part.runPath} cannot be read, so the other files were not verified`);
    else if (manifest === null && ((await sizeOf(part.requestsPath)) ?? 0) > 0)
      sentences.push(`${part.runPath} is missing, so the other files were not verified`);
    const logs = Object.values(part).filter((each): each is string => String(each).endsWith('.jsonl'));
    for (const log of logs) sentences.push(...(await unreadableLines(log, mayRead).catch(unreadable)));
  }
  sentences.push(...(await damagedCopies(join(path, 'robots'), mayRead).catch(unreadable)));
  const more = sentences.length - MAX_REPORTED_DAMAGE;
  return more <= 0
    ? sentences
    : [...sentences.slice(0, MAX_REPORTED_DAMAGE), `${plural(more, 'other file')} damaged too`];
}

/** The sentences about what was requested: an audit has to know them after later runs too. */
export function damagedRequestLogs(damage: readonly string[]): readonly string[] {
  return damage.filter((sentence) => /\b(?:requests|runs)(?:-\d+)?\.jsonl /.test(sentence));
}

/** Whether a WARC file is damaged: what is made from the archive lacks its pages. */
export function isArchiveDamaged(damage: readonly string[]): boolean {
  return damage.some((sentence) => sentence.includes('.warc.gz '));
}

/** The current command may not even need the file. */
function unreadable(error: unknown): string[] {
  return [`a file cannot be read: ${isError(error) ? error.message : String(error)}`];
}

/** A file may have grown, because a later run that was killed appended to it. */
async function findChange(folder: string, { path, bytes, sha256 }: OutputHash, mayRead: (bytes: number) => boolean) {
  // These can be rebuilt at any time from `archive`.
  if (/^archive(-\d+)?\.wacz$/.test(path)) return [];
  const file = join(folder, ...path.split('/'));
  const size = await sizeOf(file);
  if (size === null) return [`${file} is missing`];
  if (size < bytes) return [`${file} has ${size} bytes, and the last run left ${bytes}`];
  if (bytes === 0 || sha256 === null || !mayRead(bytes)) return [];
  return (await sha256Of(file, bytes)) === sha256 ? [] : [`${file} was changed since the last run left it`];
}

/** A killed run may leave half a line at the end. */
async function unreadableLines(file: string, mayRead: (bytes: number) => boolean): Promise<string[]> {
  const size = await sizeOf(file);
  if (size === null || size === 0 || !mayRead(size)) return [];
  let unreadable = 0;
  let isPreviousUnreadable = false;
  for await (const line of readLines(file)) {
    if (isPreviousUnreadable) unreadable += 1;
    isPreviousUnreadable = parseJson(line) === undefined;
  }
  return unreadable === 0
    ? []
    : [`${plural(unreadable, 'line')} of ${file} cannot be read: what follows leaves it out`];
}

/** A copy is named after its hash, and the index lists each one. */
async function damagedCopies(folder: string, mayRead: (bytes: number) => boolean): Promise<string[]> {
  const names = new Set(await listNames(folder));
  const missing = new Set<string>();
  for await (const { hash } of readValues(join(folder, 'index.jsonl'), isRobotsCopy))
    if (!names.has(`${hash}.txt`)) missing.add(hash);
  const sentences = [...missing].map((hash) => `${join(folder, `${hash}.txt`)} is missing`);
  for (const name of names) {
    const file = join(folder, name);
    if (!/^[0-9a-f]{64}\.txt$/.test(name) || !mayRead((await sizeOf(file)) ?? 0)) continue;
    if (`${await sha256Of(file)}.txt` !== name) sentences.push(`${file} is not the copy that its name says`);
  }
  return sentences;
}
