// The scripts and how they are called: by their digest, in full where the server does not know them yet. Several
// servers of a cluster, a restart or a failover need nothing else.

import { createHash } from 'node:crypto';
import { messageOf, toFailure } from '../server/resending.js';
import type { Connection } from './connection.js';
import { COMMIT_LUA } from './lua-commit.js';
import { HOST_LUA } from './lua-host.js';
import { LEASE_LUA, WAKE_LUA } from './lua-lease.js';
import { DUE_LUA, LATE_LUA, READ_HOST_LUA, RESERVE_LUA, SCAN_LUA, SETTINGS_LUA, STATS_LUA } from './lua-read.js';
import { SEEN_LUA } from './lua-seen.js';
import { SHARD_LUA } from './lua-shard.js';

/** An argument of a command. */
export type ScriptValue = string | Buffer | number;

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
 * @param base - The prefix of its keys.
 * @param values - Its `ARGV`, the clock first.
 * @throws FrontierError `store-failed`.
 */
export async function runScript(
  connection: Connection,
  name: ScriptName,
  base: string,
  values: readonly ScriptValue[],
): Promise<unknown> {
  const { text, digest } = SCRIPTS[name];
  const rest = [2, `${base}m`, `${base}-`, ...values];
  try {
    return await connection.call('EVALSHA', [digest, ...rest]).catch((error: unknown) => {
      if (messageOf(error).startsWith('NOSCRIPT')) return connection.call('EVAL', [text, ...rest]);
      throw error;
    });
  } catch (error) {
    throw toFailure(`Redis refused \`${name}\``, error);
  }
}

function script(...parts: readonly string[]): { readonly text: string; readonly digest: string } {
  const text = parts.join('');
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}
