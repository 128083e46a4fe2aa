// Commands and scripts of one client, sent again while it cannot reach its server. Scripts are called by their digest,
// in full where a server does not know them yet: after a restart, a failover or on another node of a cluster.

import { createHash } from 'node:crypto';
import { Resending, type Verdict } from '../server/resending.js';
import { messageOf } from '../store-failure.js';
import { COMMIT_LUA } from './lua-commit.js';
import { HOST_LUA } from './lua-host.js';
import { LEASE_LUA, WAKE_LUA } from './lua-lease.js';
import { DUE_LUA, LATE_LUA, READ_HOST_LUA, RESERVE_LUA, SCAN_LUA, SETTINGS_LUA, STATS_LUA } from './lua-read.js';
import { SEEN_LUA } from './lua-seen.js';
import { SHARD_LUA } from './lua-shard.js';
import type { ResolvedRedisOptions } from './options.js';

export type ScriptValue = string | Buffer | number;

const SCRIPTS = {
  commit: script(HOST_LUA, SEEN_LUA, COMMIT_LUA),
  lease: script(HOST_LUA, LEASE_LUA),
  wake: script(HOST_LUA, WAKE_LUA),
  scan: script(HOST_LUA, SCAN_LUA),
  readHost: script(HOST_LUA, READ_HOST_LUA),
  due: script(DUE_LUA),
  late: script(LATE_LUA),
  stats: script(STATS_LUA),
  reserve: script(RESERVE_LUA),
  settings: script(SETTINGS_LUA),
};

export type ScriptName = keyof typeof SCRIPTS;

/** Words of temporary errors (connections, restarts, failovers, migrating slots), of the server or of ioredis. */
const TEMPORARY = new RegExp(
  [
    '^(?:LOADING|READONLY|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|MISCONF|NOREPLICAS|BUSY|MOVED|ASK)\\b',
    ...['Connection is closed', 'writeable', 'max retries per request', 'Too many Cluster redirections'],
    ...['Command timed out', 'refresh slots cache', 'startup nodes', "Cluster isn't ready", 'non local key'],
    ...['ECONN', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ENOTFOUND'],
  ].join('|'),
  'i',
);

/** One client. Every call rejects with `store-failed` when the server refuses, or does not answer within `holdMs`. */
export class Connection {
  readonly #client: ResolvedRedisOptions['client'];
  readonly #resending: Resending;

  constructor(options: ResolvedRedisOptions) {
    this.#client = options.client;
    this.#resending = new Resending({ ...options, judge, isEnded: () => options.client.status === 'end' });
  }

  /** Commands that wait are not sent again. */
  close(): void {
    this.#resending.close();
  }

  call(command: string, args: ScriptValue[]): Promise<unknown> {
    return this.#resending.call(() => this.#client.callBuffer(command, args));
  }

  /** Runs a script on the shard whose keys begin with `base`. `values`: its `ARGV`, the clock first. */
  run(name: ScriptName, base: string, values: readonly ScriptValue[]): Promise<unknown> {
    const { text, digest } = SCRIPTS[name];
    const rest = [2, `${base}m`, `${base}-`, ...values];
    return this.call('EVALSHA', [digest, ...rest]).catch((error: unknown) => {
      if (messageOf(error).includes(': NOSCRIPT')) return this.call('EVAL', [text, ...rest]);
      throw error;
    });
  }
}

function judge(error: unknown): Verdict {
  const isTemporary = TEMPORARY.test(messageOf(error));
  const isOutOfRetries = error instanceof Error && error.name === 'MaxRetriesPerRequestError';
  return isTemporary || isOutOfRetries ? 'unreachable' : 'refused';
}

function script(...parts: readonly string[]): { readonly text: string; readonly digest: string } {
  const text = SHARD_LUA + parts.join('');
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}
