// Redis as the engine of `server-queues.ts`: calls of scripts, commits as the arguments of theirs, and records. The
// scripts have what they do.

import { unreadable } from '../../errors.js';
import type { AddOutcome, Entry, HostCommit, NewEntry } from '../../store.js';
import { bufferOf } from '../checked-store.js';
import { bytesOf, numberOf, type Row, type ServerEngine } from '../server/server-queues.js';
import { createLaneNames, type LaneName, microseconds } from '../server/server-store.js';
import type { Connection, ResolvedRedisOptions, ScriptValue } from './connection.js';

/** The most hosts of one script, during which the server answers no other client. */
const MAX_HOSTS_PER_SCRIPT = 256;
/** The most characters of a record's key for the key to be listed. */
const MAX_LISTED_KEY_CHARS = 100;
/** Characters of a lane's name in the store: 36 bits of a hash. Only lanes of one host must differ. */
const LANE_CHARS = 6;
/** Bytes of an entry before its lane. */
const ENTRY_HEAD = 13;
/** By the letters of the script. */
const OUTCOMES: Readonly<Record<string, AddOutcome>> = { n: 'new', k: 'known', f: 'full' };

/**
 * @param options - `shards`: how many the crawl has.
 * @param crawlKey - The key that names the crawl; `null`: another shard has it.
 */
export function redisEngine(
  connection: Connection,
  { shards, maxQueued, nowMs, waitReplicas }: ResolvedRedisOptions,
  crawlKey: string | null,
): ServerEngine {
  const { base } = connection;
  const laneOf = laneNames();
  /** The first value of a script: the clock (nothing: the server's own), and the last `since` of the server. */
  const clock = (since: string | null) => `${nowMs === null ? '' : Math.floor(nowMs() * 1_000)},${since ?? ''}`;
  const readRecord = async (key: string) => bytesOf(await connection.call('GET', [`${base}r${key}`]));
  return {
    maxHosts: MAX_HOSTS_PER_SCRIPT,

    async call(name, values, since) {
      const rest = values.map((value) => (Array.isArray(value) ? JSON.stringify(value) : ((value ?? '') as string)));
      return (await connection.run(name, [clock(since), ...rest])) as Row[];
    },

    async commit(operation, hosts, links, since) {
      const values = commitValues(operation, Math.ceil(maxQueued / shards), hosts, links, laneOf);
      const [nowSince, letters, ...kept] = (await connection.run('commit', [clock(since), ...values])) as Row;
      return {
        since: String(nowSince),
        links: Array.from(String(letters), (letter) => OUTCOMES[letter]!),
        // A list of entries, or 0.
        hosts: kept.map((one) =>
          Array.isArray(one) ? { ok: true, entries: readEntries(one) } : { ok: false, reason: 'lost' },
        ),
      };
    },

    readEntries,

    /** Commits of one process wait for each other. */
    async replicate() {
      if (waitReplicas > 0) await connection.waitForReplicas(waitReplicas);
    },

    readRecord,

    /**
     * A key is listed before its record is written, and unlisted after it is removed. A listing skips keys without a
     * record. Both commands are sent at once: what is called next, such as a commit, runs after them.
     */
    async writeRecord(key, value) {
      const record = `${base}r${key}`;
      const names = `${base}n`;
      if (value === null) {
        await Promise.all([connection.call('DEL', [record]), connection.call('ZREM', [names, key])]);
        return;
      }
      const isListed = key.length <= MAX_LISTED_KEY_CHARS;
      await Promise.all([
        isListed ? connection.call('ZADD', [names, 0, key]) : null,
        connection.call('SET', [record, bufferOf(value)]),
      ]);
    },

    /** The cursor is the last key. */
    async listRecords(prefix, cursor, limit) {
      const first = cursor === null ? `[${prefix}` : `(${cursor}`;
      const range = [`${base}n`, first, `[${prefix}\xff`, 'LIMIT', 0, limit];
      const keys = ((await connection.call('ZRANGEBYLEX', range)) as Row).map(String);
      const listed = await Promise.all(keys.map(async (key) => ({ key, value: await readRecord(key) })));
      const items = listed.filter((item): item is { key: string; value: Uint8Array } => item.value !== null);
      return { cursor: keys.length === limit ? keys.at(-1)! : null, items };
    },

    /**
     * The key that names the crawl, the only one with a `c` there, is removed last: until then `destroy` can be called
     * again.
     */
    async destroy() {
      const pattern = `${base.replaceAll(/[*?[\]\\]/g, '\\$&')}[^c]*`;
      let cursor = '0';
      do cursor = String(await connection.run('destroy', [',', cursor, pattern]));
      while (cursor !== '0');
      if (crawlKey !== null) await connection.call('DEL', [crawlKey]);
    },
  };
}

/** Lanes by six characters; empty: the host's own lane. */
export function laneNames(): LaneName<string> {
  return createLaneNames('', (sha256) => sha256.toString('base64url').slice(0, LANE_CHARS));
}

/**
 * A commit as arguments of its script: a list in JSON, and the bytes that the list names by their place among the
 * arguments. Absent values are `false`, because a list in Lua ends at the first nil.
 */
function commitValues(
  operation: number,
  maxQueued: number,
  hosts: readonly HostCommit[],
  links: readonly NewEntry[],
  laneOf: LaneName<string>,
): ScriptValue[] {
  // The first two arguments are the clock and the list.
  const bytes: Buffer[] = [];
  const argumentIndex = (value: Uint8Array | undefined) => value !== undefined && 2 + bytes.push(bufferOf(value));
  const queued = links.map(({ host, lane, fingerprint, priority, body, notBeforeMs = 0, dedupe = true }) => {
    const fields = [priority, dedupe, laneOf(lane), microseconds(notBeforeMs)];
    // As decimal digits, which a small set stores in eight bytes.
    return [host, String(numberOf(fingerprint)), ...fields, argumentIndex(body)];
  });
  const parts = hosts.map(({ host, fencingToken, done = [], requeue = [], state, delayMs, blockLanes = [], then }) => {
    const requeued = requeue.map(({ id, priority = false, body, notBeforeMs = 0 }) => {
      return [id, priority, microseconds(notBeforeMs), argumentIndex(body)];
    });
    const blocks = blockLanes.map(({ lane, ms }) => [laneOf(lane), microseconds(ms)]);
    const delayUs = delayMs !== undefined && microseconds(delayMs);
    return [host, fencingToken, done, requeued, argumentIndex(state), delayUs, blocks, ...endOf(then)];
  });
  return [JSON.stringify([operation, maxQueued, queued, parts]), ...bytes];
}

/** What becomes of the lease, microseconds, and how many entries may come. */
function endOf(then: HostCommit['then']) {
  if ('keep' in then) return ['keep', microseconds(then.keep.ttlMs), then.keep.want];
  const { dueInMs } = then.release;
  return dueInMs === null ? ['park', 0, 0] : ['release', microseconds(dueInMs), 0];
}

function readEntries(list: unknown): Entry[] {
  return (list as readonly Buffer[]).map((bytes) => {
    if (bytes.length < ENTRY_HEAD) throw unreadable('an entry');
    return {
      id: String(bytes.readUIntBE(5, 5)),
      attempt: bytes[10]!,
      priority: bytes[11]!,
      // A copy, because the answer's bytes are part of a larger buffer.
      body: new Uint8Array(bytes.subarray(ENTRY_HEAD + bytes[ENTRY_HEAD - 1]!)),
    };
  });
}
