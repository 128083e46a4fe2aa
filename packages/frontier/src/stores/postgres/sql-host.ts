// One host queue in PL/pgSQL: text fragments that the functions are made of. Each works on `h`, a locked row of `host`,
// and on `v_now`; `SAVE_HOST` writes the row back. `host-queues.ts` and `host-entries.ts` explain what they do. Names:
// `p_` arguments, `o_` results, `d_` changes of the counts, `v_` other variables.
//
// Rank: 0 for entries that a holder did not finish, otherwise 1 + priority. An entry's `ord` is rank * 2^52 + arrival.
// Arrivals come in steps of 2,048, and the entries of one batch are within a step. The id is the first arrival, and is
// null in `entry` while the two are equal.
//
// Going idle (C4). A transaction that finds nothing to hand out must not miss an entry that another transaction has
// written but not committed. A transaction that adds to a host holds `FOR KEY SHARE` on the host's row until its end.
// Leases and commits take `FOR NO KEY UPDATE`, which does not conflict with that. Only a transaction that wants to
// remove a host from the index, or move it to a later place, tries `FOR UPDATE` without waiting, and reads the entries
// once more when it has the lock. If another transaction is adding, the host stays in its place, and the next lease
// decides. The lock alone is not enough: sometimes both transactions held their locks (PostgreSQL 18.4), apparently if
// `FOR KEY SHARE` was being granted while the other raised its `FOR NO KEY UPDATE` to `FOR UPDATE`. An update prevents
// that, and its row shows who else locked it.

/**
 * Settings of every function. Plans are made once, when the tables are empty, and must not scan full tables later. For
 * the same reason tables are not joined: each row is found by its own key, in a `LATERAL` with a limit, a scalar query
 * or a loop.
 */
export const FUNCTION_SETTINGS = `LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off
SET plan_cache_mode = force_generic_plan`;

export const HOST_VARIABLES = `
  h $S.host;
  v_now int8 := coalesce(p_now, (extract(epoch FROM clock_timestamp()) * 1000000)::int8);
  v_open int4[]; v_flight int8[]; v_taken int8[]; v_taken_ord int8[]; v_taken_lane int4[]; v_packed bytea; v_count int4;
  v_since int8; v_lost int8; v_longest int8; v_isready boolean; v_isadding boolean; v_at int8;
  d_unfinished int8 := 0; d_flight int8 := 0; d_known int8 := 0; d_hosts int8 := 0;
`;

/** More arrivals than a server can assign in the seconds that another server may not know of. */
const ARRIVALS_SKIPPED = 10_000_000;

/** Whether the server is the one last seen. */
export const IS_ALIVE = `EXISTS (SELECT FROM $S.alive WHERE one AND started = pg_postmaster_start_time() AND home = '$S.crawl'::regclass)`;

/**
 * After a restart, or on another server, the latest answers may be lost, leases included. So nothing is granted before
 * the longest lease that may be lost has ended and the host's delay has passed. `ttl`, SQL: the ttl of the requested
 * lease.
 */
export function checkServer(ttl: string): string {
  // The crawl's row is read last. If it were read earlier, and another session saw the present server in between, it
  // would be the row of the other server.
  return `
  IF NOT ${IS_ALIVE} THEN
    PERFORM FROM $S.crawl WHERE one FOR NO KEY UPDATE;
    IF NOT ${IS_ALIVE} THEN
      DELETE FROM $S.alive;
      INSERT INTO $S.alive VALUES (true, pg_postmaster_start_time(), '$S.crawl'::regclass);
      UPDATE $S.crawl SET server_since = v_now, lost_until = v_now + greatest(longest, ${ttl}) WHERE one;
      -- What the other server gave may still be in flight: its ids are not given again.
      PERFORM setval('$S.arrival', (SELECT last_value FROM $S.arrival) + ${ARRIVALS_SKIPPED});
    END IF;
  END IF;
  SELECT server_since, lost_until, longest INTO v_since, v_lost, v_longest FROM $S.crawl WHERE one;
  IF ${ttl} > v_longest THEN
    UPDATE $S.crawl SET longest = greatest(longest, ${ttl}) WHERE one;
  END IF;`;
}

/** Queues entries whose time has come and ends blocks whose time has passed. `v_open`: lanes that are not blocked. */
const QUEUE_WAITING = `
  IF h.later_at <= v_now THEN
    WITH ready AS (
      DELETE FROM $S.later l WHERE l.ctid = ANY (ARRAY(
        SELECT ctid FROM $S.later WHERE host = h.id AND ready_at <= v_now ORDER BY ready_at, id LIMIT 1000
      )) RETURNING l.*
    ) INSERT INTO $S.entry (host, lane, ord, id, priority, attempt, body)
      SELECT host, lane, ((priority + 1)::int8 << 52) + nextval('$S.arrival') * 2048, id, priority, attempt, body FROM ready;
    h.later_at := (SELECT ready_at FROM $S.later WHERE host = h.id ORDER BY ready_at LIMIT 1);
  END IF;
  IF h.blocked_lanes = '{}' THEN
    v_open := h.lanes;
  ELSE
    SELECT coalesce(array_agg(lane), '{}'), coalesce(array_agg(till), '{}') INTO h.blocked_lanes, h.blocked_until
      FROM unnest(h.blocked_lanes, h.blocked_until) u(lane, till) WHERE till > v_now;
    v_open := ARRAY(SELECT lane FROM unnest(h.lanes) lane WHERE lane <> ALL (h.blocked_lanes));
  END IF;`;

const CHECK_READY = `
  ${QUEUE_WAITING}
  v_isready := EXISTS (
    SELECT FROM unnest(v_open) o(lane), LATERAL (SELECT FROM $S.entry WHERE host = h.id AND entry.lane = o.lane LIMIT 1) e
  );
  v_at := CASE WHEN v_isready THEN 0 ELSE least(h.later_at, (
    SELECT min(u.till) FROM unnest(h.blocked_lanes, h.blocked_until) u(lane, till)
    WHERE (SELECT true FROM $S.entry WHERE host = h.id AND entry.lane = u.lane LIMIT 1)
  )) END;`;

/** Sets `h.due` and `v_isready`. `again`, SQL: when to try again if another transaction is adding. */
export function indexHost(again: string): string {
  return `
  IF h.parked THEN
    h.due := NULL;
  ELSE
    ${CHECK_READY}
    IF NOT v_isready THEN
      PERFORM FROM $S.host WHERE key = h.key FOR UPDATE SKIP LOCKED;
      IF FOUND THEN
        UPDATE $S.host x SET due = x.due WHERE x.key = h.key
          RETURNING x.xmax::text NOT IN ('0', pg_current_xact_id()::xid::text) INTO v_isadding;
      END IF;
      IF FOUND AND NOT v_isadding THEN
        -- What was committed before the lock. The row's own \`later_at\` cannot have changed: it is locked.
        ${CHECK_READY}
      ELSE
        v_at := ${again};
      END IF;
    END IF;
    h.due := CASE WHEN v_at IS NULL THEN NULL ELSE greatest(h.next_at, v_at) END;
  END IF;`;
}

/** Hands out up to `count` entries, in `v_packed`. */
export function takeEntries(count: string): string {
  return `
  v_packed := NULL;
  v_count := ${count};
  IF v_count > 0 THEN
    ${QUEUE_WAITING}
    v_flight := ARRAY(SELECT o FROM unnest(h.flight_ord) o ORDER BY o);
    SELECT array_agg(t.id ORDER BY t.ord), array_agg(t.ord ORDER BY t.ord), array_agg(t.lane ORDER BY t.ord),
        string_agg(int8send(t.id) || int2send(t.attempt) || int2send(t.priority) || int4send(length(t.body)) || t.body, '' ORDER BY t.ord)
      INTO v_taken, v_taken_ord, v_taken_lane, v_packed
      FROM (
        SELECT coalesce(e.id, e.ord & 4503599627370495) AS id, e.ord, e.lane, e.attempt, e.priority, e.body
        FROM unnest(v_open) o(lane), LATERAL (
          SELECT * FROM $S.entry WHERE host = h.id AND entry.lane = o.lane ORDER BY entry.ord LIMIT v_count + cardinality(v_flight)
        ) e
        -- A search in the sorted list of what is in flight already.
        WHERE v_flight[width_bucket(e.ord, v_flight)] IS DISTINCT FROM e.ord
        ORDER BY e.ord LIMIT v_count
      ) t;
    IF v_taken IS NOT NULL THEN
      h.flight_id := h.flight_id || v_taken;
      h.flight_ord := h.flight_ord || v_taken_ord;
      h.flight_lane := h.flight_lane || v_taken_lane;
      d_flight := d_flight + cardinality(v_taken);
    END IF;
  END IF;`;
}

/** Ends a lease: entries in flight go back in front, in the order in which they were handed out. */
export const END_LEASE = `
  IF h.flight_id <> '{}' THEN
    UPDATE $S.entry e SET ord = b.back, id = b.id, attempt = least(255, e.attempt + 1)
      FROM (
        SELECT x.place, u.id, nextval('$S.arrival') * 2048 AS back FROM unnest(h.flight_id, h.flight_ord, h.flight_lane) u(id, ord, lane),
          LATERAL (SELECT ctid AS place FROM $S.entry WHERE host = h.id AND entry.lane = u.lane AND entry.ord = u.ord LIMIT 1) x
      ) b WHERE e.ctid = b.place;
    d_flight := d_flight - cardinality(h.flight_id);
    h.flight_id := '{}'; h.flight_ord := '{}'; h.flight_lane := '{}';
  END IF;
  h.lease_end := 0;`;

/** Writes `h`. The key and the id never change; lanes change only when entries are added. */
export const SAVE_HOST = `
  UPDATE $S.host SET parked = h.parked, fencing_token = h.fencing_token, next_at = h.next_at, lease_end = h.lease_end, delay = h.delay, op = h.op,
    due = h.due, later_at = h.later_at, lanes = h.lanes, blocked_lanes = h.blocked_lanes, blocked_until = h.blocked_until,
    flight_id = h.flight_id, flight_ord = h.flight_ord, flight_lane = h.flight_lane, state = h.state
    WHERE key = h.key;`;

/** Writes the counts. It comes last in a function, so that others wait for the row only briefly. */
export const SAVE_TALLY = `
  IF d_unfinished <> 0 OR d_flight <> 0 OR d_known <> 0 OR d_hosts <> 0 THEN
    UPDATE $S.tally SET unfinished = unfinished + d_unfinished, in_flight = in_flight + d_flight, known = known + d_known,
      hosts = hosts + d_hosts WHERE slot = (pg_backend_pid() & 63);
  END IF;`;
