// `add` and `commit` in PL/pgSQL: links first, then the hosts. One call is one transaction (A2, C5, X3). Fingerprints
// come sorted and without repeats (except for links that are queued even if known), so that transactions wait for each
// other in one order. The hosts of links come as sorted pairs of key and lane.

import {
  checkServer,
  END_LEASE,
  FUNCTION_SETTINGS,
  HOST_VARIABLES,
  indexHost,
  SAVE_HOST,
  SAVE_TALLY,
  takeEntries,
} from './sql-host.js';

const ADD_VARIABLES = `
  v_free int8; v_chosen int8[]; v_fresh int8[]; v_pairs int4[]; v_found int4[]; v_ids int4[]; v_update int4[]; v_arrival int8; v_made int4; v_link record;
`;

/**
 * Whether the link `u` is queued: it is not deduped, or it is among the fresh ones, which are sorted like the links.
 */
function isQueued(u: string): string {
  return `(v_fresh[width_bucket(${u}.fingerprint, v_fresh)] = ${u}.fingerprint OR ${u}.again)`;
}

const LINKS =
  'unnest(p_fp, p_pair, p_place, p_priority, p_body_at, p_body_len, v_again, v_wait) u(fingerprint, pair, place, priority, body_at, body_len, again, wait)';

/**
 * Locks the hosts of queued links, so that they do not go idle. `v_update`: hosts that are idle or do not know the
 * lane.
 */
const FIND_HOSTS = `
  SELECT array_agg(x.n ORDER BY x.n), array_agg(x.id ORDER BY x.n), array_agg(x.n ORDER BY x.n) FILTER (WHERE x.to_update)
    INTO v_found, v_ids, v_update
    FROM (
      SELECT k.n::int4 AS n, g.id, k.lane <> ALL (g.lanes)
        OR (g.lease_end = 0 AND NOT g.parked AND (g.due IS NULL OR g.due > greatest(v_now, g.next_at))) AS to_update
      FROM unnest(p_key, p_lane) WITH ORDINALITY k(key, lane, n),
        LATERAL (SELECT * FROM $S.host WHERE host.key = k.key LIMIT 1 FOR KEY SHARE) g
      WHERE v_pairs[width_bucket(k.n::int4, v_pairs)] = k.n
    ) x;`;

/** Queues links. `v_fresh`: the fingerprints that were new. `v_full`: the links that did not fit. */
const ADD_LINKS = `
  SELECT p_most - sum(unfinished) INTO v_free FROM $S.tally;
  v_full := '{}';
  v_chosen := p_fp;
  IF v_free < cardinality(p_fp) THEN
    -- In the order of the links. Known ones need no space.
    SELECT coalesce(array_agg(c.fingerprint ORDER BY c.fingerprint) FILTER (WHERE c.n <= v_free), '{}'), coalesce(array_agg(c.place) FILTER (WHERE c.n > v_free), '{}')
      INTO v_chosen, v_full
      FROM (
        SELECT u.fingerprint, u.place, row_number() OVER (ORDER BY u.place) AS n FROM ${LINKS}
        WHERE u.again OR (SELECT true FROM $S.seen s WHERE s.fingerprint = u.fingerprint) IS NULL
      ) c;
  END IF;
  WITH made AS (
    INSERT INTO $S.seen (fingerprint) SELECT * FROM unnest(v_chosen) ON CONFLICT DO NOTHING RETURNING fingerprint
  ) SELECT coalesce(array_agg(fingerprint), '{}') INTO v_fresh FROM made;
  d_known := d_known + cardinality(v_fresh);
  SELECT array_agg(DISTINCT u.pair), count(*) INTO v_pairs, v_made FROM ${LINKS} WHERE ${isQueued('u')} AND u.place <> ALL (v_full);
  IF v_made > 0 THEN
    d_unfinished := d_unfinished + v_made;
    ${FIND_HOSTS}
    IF v_found IS NULL OR cardinality(v_found) < cardinality(v_pairs) THEN
      INSERT INTO $S.host (key, id, lanes, due)
        SELECT k.key, nextval('$S.host_id'), array_agg(k.lane), CASE WHEN p_wait IS NULL THEN v_now END
        FROM unnest(p_key, p_lane) WITH ORDINALITY k(key, lane, n)
        WHERE v_pairs[width_bucket(k.n::int4, v_pairs)] = k.n AND (SELECT true FROM $S.host g WHERE g.key = k.key) IS NULL
        GROUP BY k.key ORDER BY min(k.n)
        ON CONFLICT DO NOTHING;
      GET DIAGNOSTICS v_made = ROW_COUNT;
      d_hosts := d_hosts + v_made;
      ${FIND_HOSTS}
    END IF;
    v_arrival := nextval('$S.arrival') * 2048;
    INSERT INTO $S.entry (host, lane, ord, priority, attempt, body)
      SELECT v_ids[width_bucket(u.pair, v_found)], p_lane[u.pair], ((u.priority + 1)::int8 << 52) + v_arrival + u.place, u.priority, 0,
        substr(p_bodies, u.body_at, u.body_len)
      FROM ${LINKS} WHERE ${isQueued('u')} AND u.place <> ALL (v_full) AND (p_wait IS NULL OR u.wait = 0);
    IF v_update IS NOT NULL THEN
      FOR v_link IN
        SELECT k.key, array_agg(k.lane) AS lanes FROM unnest(p_key, p_lane) WITH ORDINALITY k(key, lane, n)
        WHERE v_update[width_bucket(k.n::int4, v_update)] = k.n GROUP BY k.key ORDER BY min(k.n)
      LOOP
        UPDATE $S.host g SET
          lanes = CASE WHEN v_link.lanes <@ g.lanes THEN g.lanes ELSE ARRAY(SELECT DISTINCT unnest(g.lanes || v_link.lanes)) END,
          due = CASE WHEN g.lease_end > 0 OR g.parked OR p_wait IS NOT NULL THEN g.due ELSE least(g.due, greatest(g.next_at, v_now)) END
          WHERE g.key = v_link.key;
      END LOOP;
    END IF;
    IF p_wait IS NOT NULL THEN
      INSERT INTO $S.later (ready_at, id, host, lane, priority, attempt, body)
        SELECT v_now + u.wait, v_arrival + u.place, v_ids[width_bucket(u.pair, v_found)], p_lane[u.pair], u.priority, 0,
          substr(p_bodies, u.body_at, u.body_len)
        FROM ${LINKS} WHERE ${isQueued('u')} AND u.place <> ALL (v_full) AND u.wait > 0;
      FOR v_link IN
        SELECT p_key[u.pair] AS key, min(u.wait) AS soonest, min(nullif(u.wait, 0)) AS later
        FROM ${LINKS} WHERE ${isQueued('u')} AND u.place <> ALL (v_full) GROUP BY 1 ORDER BY min(u.pair)
      LOOP
        UPDATE $S.host g SET later_at = least(g.later_at, v_now + v_link.later),
          due = CASE WHEN g.lease_end > 0 OR g.parked THEN g.due ELSE least(g.due, greatest(g.next_at, v_now + v_link.soonest)) END
          WHERE g.key = v_link.key;
      END LOOP;
    END IF;
  END IF;`;

/** Takes the entries of `v_leave` out of flight. The rows are `v_taken` (id), `v_taken_ord` and `v_taken_lane`. */
const LEAVE_FLIGHT = `
  SELECT array_agg(u.id), array_agg(u.ord), array_agg(u.lane) INTO v_taken, v_taken_ord, v_taken_lane
    FROM unnest(h.flight_id, h.flight_ord, h.flight_lane) u(id, ord, lane) WHERE u.id = ANY (v_leave);
  IF v_taken IS NOT NULL THEN
    IF cardinality(v_taken) = cardinality(h.flight_id) THEN
      h.flight_id := '{}'; h.flight_ord := '{}'; h.flight_lane := '{}';
    ELSE
      SELECT array_agg(u.id), array_agg(u.ord), array_agg(u.lane) INTO h.flight_id, h.flight_ord, h.flight_lane
        FROM unnest(h.flight_id, h.flight_ord, h.flight_lane) u(id, ord, lane) WHERE u.id <> ALL (v_leave);
    END IF;
    d_flight := d_flight - cardinality(v_taken);
  END IF;`;

const FINISH = `
  v_leave := v_part.done;
  ${LEAVE_FLIGHT}
  IF v_taken IS NOT NULL THEN
    DELETE FROM $S.entry e WHERE e.ctid = ANY (ARRAY(
      SELECT x.place FROM unnest(v_taken_lane, v_taken_ord) u(lane, ord),
        LATERAL (SELECT ctid AS place FROM $S.entry WHERE host = h.id AND entry.lane = u.lane AND entry.ord = u.ord LIMIT 1) x
    ));
    d_unfinished := d_unfinished - cardinality(v_taken);
  END IF;`;

/** One after the other, because each gets a new arrival number. */
const REQUEUE = `
  FOR v_item IN SELECT * FROM json_to_recordset(v_part.requeue) AS x(id int8, priority int2, us int8, body text) LOOP
    v_leave := ARRAY[v_item.id];
    ${LEAVE_FLIGHT}
    CONTINUE WHEN v_taken IS NULL;
    SELECT * INTO v_entry FROM $S.entry x WHERE x.host = h.id AND x.lane = v_taken_lane[1] AND x.ord = v_taken_ord[1];
    CONTINUE WHEN NOT FOUND;
    v_entry.priority := coalesce(v_item.priority, v_entry.priority);
    v_entry.body := coalesce(decode(v_item.body, 'hex'), v_entry.body);
    v_entry.attempt := least(255, v_entry.attempt + 1);
    IF v_item.us > 0 THEN
      DELETE FROM $S.entry x WHERE x.host = h.id AND x.lane = v_entry.lane AND x.ord = v_entry.ord;
      INSERT INTO $S.later (ready_at, id, host, lane, priority, attempt, body)
        VALUES (v_now + v_item.us, v_taken[1], h.id, v_entry.lane, v_entry.priority, v_entry.attempt, v_entry.body);
      h.later_at := least(h.later_at, v_now + v_item.us);
    ELSE
      UPDATE $S.entry x SET ord = ((v_entry.priority + 1)::int8 << 52) + nextval('$S.arrival') * 2048, id = v_taken[1],
        priority = v_entry.priority, body = v_entry.body, attempt = v_entry.attempt WHERE x.host = h.id AND x.lane = v_entry.lane AND x.ord = v_entry.ord;
    END IF;
  END LOOP;`;

const BLOCK_LANES = `
  FOR v_item IN SELECT * FROM json_to_recordset(v_part.blocks) AS x(lane int4, us int8) LOOP
    IF v_item.lane <> ALL (h.lanes) THEN h.lanes := h.lanes || v_item.lane; END IF;
    SELECT coalesce(array_agg(u.lane), '{}'), coalesce(array_agg(u.till), '{}') INTO h.blocked_lanes, h.blocked_until
      FROM unnest(h.blocked_lanes, h.blocked_until) u(lane, till) WHERE u.lane <> v_item.lane;
    IF v_item.us > 0 THEN
      h.blocked_lanes := h.blocked_lanes || v_item.lane;
      h.blocked_until := h.blocked_until || (v_now + v_item.us);
    END IF;
  END LOOP;`;

const KEEP = `
  h.lease_end := v_now + v_part.us;
  -- Only to an earlier place: a lease that finds the host there too early moves it.
  h.due := least(h.due, h.lease_end + h.delay);
  ${takeEntries('v_part.want')}
  o_entries := coalesce(v_packed, '');`;

const RELEASE = `
  h.next_at := v_now + CASE WHEN v_part.kind = 2 THEN h.delay ELSE v_part.us END;
  -- A lease that was lost with the server's memory, and its release with it: the host waits as the others do.
  IF h.fencing_token < v_since THEN h.next_at := greatest(h.next_at, v_lost + h.delay); END IF;
  h.fencing_token := greatest(h.fencing_token + 1, v_now);
  ${END_LEASE}
  h.parked := v_part.kind = 2;
  h.op := p_op;
  ${indexHost('v_now')}`;

/**
 * Returns a row for the links, then a row for each host. In the first, `o_fresh` has the fingerprints that were new,
 * `o_full` the places of the links that did not fit, and `o_since` the time when the present server was first seen.
 * `kind`: 0 keep, 1 release, 2 park.
 */
export const COMMIT_SQL = `
CREATE OR REPLACE FUNCTION $S.commit(
  p_now int8, p_op int8, p_most int8,
  p_key text[], p_lane int4[], p_fp int8[], p_pair int4[], p_place int4[], p_priority int2[], p_body_at int4[], p_body_len int4[],
  p_again boolean[], p_wait int8[], p_bodies bytea, p_ttl int8, p_hosts json
) RETURNS TABLE (o_kept boolean, o_entries bytea, o_fresh int8[], o_full int4[], o_since int8) ${FUNCTION_SETTINGS} AS $commit$
DECLARE
  ${HOST_VARIABLES}
  ${ADD_VARIABLES}
  v_part record; v_item record; v_entry $S.entry; v_full int4[] := '{}'; v_leave int8[];
  v_again boolean[] := coalesce(p_again, '{}'); v_wait int8[] := coalesce(p_wait, '{}');
BEGIN
  v_fresh := '{}';
  ${checkServer('p_ttl')}
  IF p_fp <> '{}' THEN ${ADD_LINKS} END IF;
  o_fresh := v_fresh; o_full := v_full; o_since := v_since;
  RETURN NEXT;
  o_fresh := NULL; o_full := NULL; o_since := NULL;
  FOR v_part IN SELECT * FROM json_to_recordset(p_hosts) AS x(key text, token int8, kind int2, us int8, want int4, delay int8,
    state text, done int8[], requeue json, blocks json) LOOP
    SELECT * INTO h FROM $S.host g WHERE g.key = v_part.key FOR NO KEY UPDATE;
    IF NOT FOUND OR h.lease_end = 0 OR h.fencing_token <> v_part.token THEN
      -- It ran before, and the answer was lost with its connection.
      o_kept := h.key IS NOT NULL AND h.lease_end = 0 AND h.op = p_op;
      o_entries := '';
    ELSE
      o_kept := true;
      o_entries := '';
      IF v_part.done IS NOT NULL THEN ${FINISH} END IF;
      IF v_part.requeue IS NOT NULL THEN ${REQUEUE} END IF;
      h.state := coalesce(decode(v_part.state, 'hex'), h.state);
      h.delay := coalesce(v_part.delay, h.delay);
      IF v_part.blocks IS NOT NULL THEN ${BLOCK_LANES} END IF;
      IF v_part.kind = 0 THEN ${KEEP} ELSE ${RELEASE} END IF;
      ${SAVE_HOST}
    END IF;
    RETURN NEXT;
  END LOOP;
  ${SAVE_TALLY}
END $commit$;`;
