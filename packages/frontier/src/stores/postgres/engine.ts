// PostgreSQL as the engine of `server-queues.ts`: its functions as statements, one round trip each. The `sql-*.ts`
// files have what the functions do.

import type { HostCommitAnswer } from '../../store.js';
import { bufferOf } from '../checked-store.js';
import { bytesOf, type ServerEngine, type ServerFunction, sortedWithIndex } from '../server/server-queues.js';
import type { Connection, ResolvedPostgresOptions } from './connection.js';
import { REMOVE_SQL } from './schema.js';
import { IS_ALIVE } from './sql-host.js';
import { hostValues, laneNames, linkValues, readEntries, readNumbers, textsOf } from './values.js';

const NOW = '(SELECT coalesce($1::int8, (extract(epoch FROM clock_timestamp()) * 1000000)::int8) AS us) now';
/** Less than every fingerprint but one of the 2^64. */
const MIN_FINGERPRINT = '-9223372036854775808';

/** Statements that do not take the time. */
const UNTIMED = {
  stats: 'SELECT sum(unfinished)::int8, sum(in_flight)::int8, sum(known)::int8, sum(hosts)::int8 FROM $S.tally',
  isKnown: 'SELECT 1 FROM $S.seen WHERE fingerprint = $1::int8',
  know: `WITH new AS (INSERT INTO $S.seen SELECT DISTINCT unnest($1::int8[]) ON CONFLICT DO NOTHING RETURNING 1)
    UPDATE $S.tally SET known = known + (SELECT count(*) FROM new) WHERE slot = 0`,
  known: `SELECT fingerprint, fingerprint FROM $S.seen WHERE fingerprint > coalesce($1::int8, '${MIN_FINGERPRINT}')
    ORDER BY fingerprint LIMIT $2`,
} satisfies { readonly [F in ServerFunction]?: string };

// `$1` is the time. Answers have bytes as hexadecimal digits, whatever the server's settings.
const TIMED: { readonly [F in Exclude<ServerFunction, keyof typeof UNTIMED>]: string } = {
  lease: `SELECT key, fencing_token, encode(state, 'hex'), queued, encode(entries, 'hex')
    FROM $S.lease($1, $2, $3, $4, $5, $6, $7)`,
  wake: 'SELECT $S.wake($1, $2)',
  // No host is due before its time. If its lease is known but its release is forgotten, it waits from the end of that
  // lease.
  raise: `UPDATE $S.host h SET
      delay = CASE WHEN lease_end > 0 THEN greatest(delay, w.wait) ELSE delay END,
      next_at = CASE WHEN lease_end > 0 THEN next_at ELSE greatest(next_at, now.us + w.wait) END,
      due = CASE WHEN due IS NOT NULL
        THEN greatest(due, w.wait + CASE WHEN lease_end > 0 THEN lease_end ELSE now.us END) END
    FROM ${NOW}, unnest($2::text[], $3::int8[]) w(key, wait) WHERE h.key = w.key`,
  // A server that was not seen yet has no `since`, and something is due at once: the next `lease` sees it.
  due: `SELECT CASE WHEN NOT ${IS_ALIVE} THEN 0 WHEN (SELECT sum(unfinished) FROM $S.tally) > 0 THEN (
      SELECT greatest(0, due - now.us) FROM $S.host WHERE due IS NOT NULL ORDER BY due LIMIT 1
    ) END, CASE WHEN ${IS_ALIVE} THEN server_since END FROM ${NOW}, $S.crawl WHERE one`,
  overdue: `SELECT now.us - due FROM ${NOW}, $S.host WHERE due <= now.us ORDER BY due LIMIT $2`,
  reserve: 'SELECT unnest($S.reserve($1, $2, $3))',
  readHost: `SELECT encode(o_state, 'hex'), o_queued, o_in_flight, o_leased::int4, o_parked::int4, o_due
    FROM $S.read_host($1, $2)`,
  clock: `SELECT us FROM ${NOW}`,
  scan: `SELECT o_key, encode(o_entry, 'hex'),
      CASE WHEN o_entry IS NULL THEN o_phase WHEN o_phase = 0 THEN o_first - now.us END, o_first, o_second
    FROM ${NOW}, $S.scan($2, $3, $4, $5, $6, $7::text IS NOT NULL)`,
  hosts: `SELECT key, encode(state, 'hex'), delay,
      greatest(0, next_at, CASE WHEN lease_end > 0 THEN lease_end + delay END,
        CASE WHEN crawl.lost_until > now.us THEN crawl.lost_until + delay END) - now.us,
      parked::int4, key
    FROM ${NOW}, $S.crawl, $S.host WHERE key > coalesce($2, '') ORDER BY key LIMIT $3`,
};
const COMMIT_ARGUMENTS = Array.from({ length: 16 }, (_, at) => `$${at + 1}`).join(', ');
const COMMIT = `SELECT o_kept, encode(o_entries, 'hex'), o_fresh, o_full, o_since FROM $S.commit(${COMMIT_ARGUMENTS})`;
const READ_RECORD = "SELECT encode(value, 'hex') FROM $S.record WHERE key = $1";
const LIST_RECORDS = `SELECT key, encode(value, 'hex') FROM $S.record
WHERE (key > $1 OR ($2 AND key = $1)) AND starts_with(key, $3) ORDER BY key LIMIT $4`;
const WRITE_RECORD = `INSERT INTO $S.record (key, value) VALUES ($1, $2)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

export function postgresEngine(connection: Connection, options: ResolvedPostgresOptions): ServerEngine {
  const { maxQueued, nowMs } = options;
  const laneOf = laneNames();
  /** `null`: the server's own clock. */
  const now = () => (nowMs === null ? null : Math.floor(nowMs() * 1_000));
  return {
    // One transaction, however many.
    maxHosts: Number.MAX_SAFE_INTEGER,

    call(name, values) {
      // Lists are text in the server's own format.
      const sent = values.map((value) => (Array.isArray(value) ? textsOf(value.map(String)) : value));
      return isUntimed(name) ? connection.call(UNTIMED[name], sent) : connection.call(TIMED[name], [now(), ...sent]);
    },

    async commit(operation, hosts, links) {
      const order = sortedWithIndex(hosts, ({ host }) => host);
      const parts = order.map(({ one }) => one);
      const linked = linkValues(links, laneOf);
      const values = [now(), operation, maxQueued, ...linked.values, ...hostValues(parts, laneOf)];
      const [[, , fresh, full, since = null] = [], ...rows] = await connection.call(COMMIT, values);
      const answers: HostCommitAnswer[] = [];
      for (const [index, { at }] of order.entries()) {
        const [isOurs, entries] = rows[index] ?? [];
        answers[at] = isOurs === 't' ? { ok: true, entries: readEntries(entries) } : { ok: false, reason: 'lost' };
      }
      return { since, hosts: answers, links: linked.outcomes(readNumbers(fresh), readNumbers(full)) };
    },

    readEntries,

    async readRecord(key) {
      const [row] = await connection.call(READ_RECORD, [key]);
      return bytesOf(row?.[0]);
    },

    async writeRecord(key, value) {
      if (value === null) await connection.call('DELETE FROM $S.record WHERE key = $1', [key]);
      else await connection.call(WRITE_RECORD, [key, bufferOf(value)]);
    },

    async listRecords(prefix, cursor, limit) {
      const rows = await connection.call(LIST_RECORDS, [cursor ?? prefix, cursor === null, prefix, limit + 1]);
      const items = rows.slice(0, limit).map(([key, hex]) => ({ key: String(key), value: bytesOf(hex ?? '')! }));
      return { cursor: rows.length > limit ? items.at(-1)!.key : null, items };
    },

    async destroy() {
      await connection.run(REMOVE_SQL);
    },
  };
}

function isUntimed(name: ServerFunction): name is keyof typeof UNTIMED {
  return name in UNTIMED;
}
