// The tables of a crawl, in their own schema. Times are microseconds of the server's clock. A host's row has everything
// that a lease needs, so that an entry is written once when it is added and deleted once when it is done.
//
//   crawl     which crawl this is; when the present server was first seen, and until when leases may be lost
//   alive     the server that was seen: when it started, and its table `crawl`. Unlogged, so it is empty after a crash
//             and on a promoted standby; in a restored copy one of the two values differs
//   seen      fingerprints
//   host      a host queue: its place in the time index (`due`, never too late), lease, delay, blocked lanes, entries
//             in flight
//   entry     entries queued or in flight, by (host, lane, ord); `ord` has the rank in its upper bits, then the arrival
//   later     entries that wait for their time
//   tally     counts, in several rows so that transactions do not wait for each other; the sum of the rows is the count
//   record, slot   records, reserved slots

import { COMMIT_SQL } from './sql-commit.js';
import { LEASE_SQL, WAKE_SQL } from './sql-lease.js';
import { READ_HOST_SQL, RESERVE_SQL, SCAN_SQL } from './sql-read.js';

export const FORMAT = 'mannerly-frontier-postgres';
/**
 * The version of tables and functions. Increase it with every change that is incompatible with older processes. A crawl
 * keeps the functions that it was created with.
 */
export const VERSION = 7;

const TABLES = `
CREATE SCHEMA IF NOT EXISTS $S;
CREATE TABLE IF NOT EXISTS $S.crawl (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  format text NOT NULL, version int4 NOT NULL, crawl text NOT NULL, identity text NOT NULL,
  server_since int8 NOT NULL DEFAULT 0, lost_until int8 NOT NULL DEFAULT 0, longest int8 NOT NULL DEFAULT 0
);
CREATE UNLOGGED TABLE IF NOT EXISTS $S.alive (one boolean PRIMARY KEY, started timestamptz NOT NULL, home oid NOT NULL);
CREATE TABLE IF NOT EXISTS $S.seen (fingerprint int8 PRIMARY KEY);
CREATE SEQUENCE IF NOT EXISTS $S.arrival;
CREATE SEQUENCE IF NOT EXISTS $S.host_id;
CREATE TABLE IF NOT EXISTS $S.host (
  key text COLLATE "C" PRIMARY KEY, id int4 NOT NULL,
  parked boolean NOT NULL DEFAULT false, fencing_token int8 NOT NULL DEFAULT 0, next_at int8 NOT NULL DEFAULT 0,
  lease_end int8 NOT NULL DEFAULT 0, delay int8 NOT NULL DEFAULT 0, op int8 NOT NULL DEFAULT 0,
  due int8, later_at int8,
  lanes int4[] NOT NULL, blocked_lanes int4[] NOT NULL DEFAULT '{}', blocked_until int8[] NOT NULL DEFAULT '{}',
  flight_id int8[] NOT NULL DEFAULT '{}', flight_ord int8[] NOT NULL DEFAULT '{}', flight_lane int4[] NOT NULL DEFAULT '{}',
  state bytea
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX IF NOT EXISTS host_due ON $S.host (due) WHERE due IS NOT NULL;
CREATE TABLE IF NOT EXISTS $S.entry (
  ord int8 NOT NULL, host int4 NOT NULL, lane int4 NOT NULL, priority int2 NOT NULL, attempt int2 NOT NULL,
  id int8, body bytea NOT NULL,
  PRIMARY KEY (host, lane, ord)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE TABLE IF NOT EXISTS $S.later (
  ready_at int8 NOT NULL, id int8 NOT NULL, host int4 NOT NULL, lane int4 NOT NULL, priority int2 NOT NULL, attempt int2 NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (host, ready_at, id)
);
CREATE TABLE IF NOT EXISTS $S.tally (
  slot int4 PRIMARY KEY,
  unfinished int8 NOT NULL DEFAULT 0, in_flight int8 NOT NULL DEFAULT 0, known int8 NOT NULL DEFAULT 0,
  hosts int8 NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
INSERT INTO $S.tally (slot) SELECT generate_series(0, 63) ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS $S.record (key text COLLATE "C" PRIMARY KEY, value bytea NOT NULL);
CREATE TABLE IF NOT EXISTS $S.slot (key text COLLATE "C" PRIMARY KEY, next_at int8 NOT NULL) WITH (fillfactor = 50);
`;

/** Creates a crawl's tables and functions in one transaction. Several processes may send it at the same time. */
export const INSTALL_SQL = [
  "SELECT pg_advisory_xact_lock(hashtext('mannerly $S'));",
  ...[TABLES, COMMIT_SQL, LEASE_SQL, WAKE_SQL, RESERVE_SQL, READ_HOST_SQL, SCAN_SQL],
].join('\n');

/** Removes them in one transaction. The schema stays if it contains anything else or has another owner. */
export const REMOVE_SQL = `
DROP TABLE IF EXISTS $S.crawl, $S.alive, $S.seen, $S.host, $S.entry, $S.later, $S.tally, $S.record, $S.slot;
DROP SEQUENCE IF EXISTS $S.arrival, $S.host_id;
DROP FUNCTION IF EXISTS $S.commit, $S.lease, $S.wake, $S.reserve, $S.read_host, $S.scan;
DO $$ BEGIN
  DROP SCHEMA $S;
EXCEPTION WHEN dependent_objects_still_exist OR insufficient_privilege THEN NULL; END $$`;

/** Names the crawl, unless it has a name already. Arguments: the crawl and its identity. */
export const NAME_CRAWL_SQL = `
WITH made AS (
  INSERT INTO $S.crawl (format, version, crawl, identity) VALUES ('${FORMAT}', ${VERSION}, $1, $2) ON CONFLICT DO NOTHING RETURNING one
) INSERT INTO $S.alive SELECT one, pg_postmaster_start_time(), '$S.crawl'::regclass FROM made ON CONFLICT DO NOTHING`;
