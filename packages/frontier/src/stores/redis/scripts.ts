// The scripts and how they are called: by their digest, in full where the server does not know them yet. Several servers of
// a cluster, a restart or a failover need nothing else.

import { createHash } from 'node:crypto';
import { asFailure, messageOf } from '../server/failures.js';
import type { Connection } from './connection.js';
import { COMMIT_LUA } from './lua-commit.js';
import { HOST_LUA } from './lua-host.js';
import { LEASE_LUA, WAKE_LUA } from './lua-lease.js';
import { DUE_LUA, LATE_LUA, READ_HOST_LUA, RESERVE_LUA, SCAN_LUA, SETTINGS_LUA, STATS_LUA } from './lua-look.js';
import { SEEN_LUA } from './lua-seen.js';
import { SHARD_LUA } from './lua-shard.js';

/** A word of a command; answers are bytes, numbers, `null` and lists of them. */
export type Word = string | Buffer | number;

const SCRIPTS = {
  commit: script(SHARD_LUA, HOST_LUA, SEEN_LUA, COMMIT_LUA),
  lease: script(SHARD_LUA, HOST_LUA, LEASE_LUA),
  wake: script(SHARD_LUA, HOST_LUA, WAKE_LUA),
  scan: script(SHARD_LUA, HOST_LUA, SCAN_LUA),
  readHost: script(SHARD_LUA, HOST_LUA, READ_HOST_LUA),
  due: script(SHARD_LUA, DUE_LUA),
  late: script(SHARD_LUA, LATE_LUA),
  stats: script(SHARD_LUA, STATS_LUA),
  reserve: script(SHARD_LUA, RESERVE_LUA),
  settings: script(SHARD_LUA, SETTINGS_LUA),
};

/** The name of a script. */
export type ScriptName = keyof typeof SCRIPTS;

/**
 * Runs a script on a shard.
 *
 * @param base - What its keys begin with.
 * @param words - Its `ARGV`, beginning with the clock's word.
 * @throws FrontierError `store-failed`.
 */
export async function runScript(
  connection: Connection,
  name: ScriptName,
  base: string,
  words: readonly Word[],
): Promise<unknown> {
  const { text, digest } = SCRIPTS[name];
  const refused = `Redis refused \`${name}\``;
  const rest = [2, `${base}m`, `${base}-`, ...words];
  try {
    return await connection.call('EVALSHA', [digest, ...rest]);
  } catch (error) {
    if (!messageOf(error).startsWith('NOSCRIPT')) throw asFailure(refused, error);
  }
  try {
    return await connection.call('EVAL', [text, ...rest]);
  } catch (error) {
    throw asFailure(refused, error);
  }
}

function script(...parts: readonly string[]): { readonly text: string; readonly digest: string } {
  const text = parts.join('');
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}
