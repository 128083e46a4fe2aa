// `lease` and `wake` in PL/pgSQL.

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

/** Microseconds until a host is tried again that could not go idle because another transaction was adding to it. */
const RETRY_US = 20_000;

const END_LAPSED_LEASE = `
  IF h.lease_end > 0 THEN
    h.next_at := h.lease_end + h.delay;
    ${END_LEASE}
  END IF;`;

/** Sets `v_isready`: whether the host may be granted. If not, the host was moved to its place in the index. */
const CHECK_HOST = `
  v_isready := false;
  IF h.lease_end > 0 AND h.lease_end + h.delay > v_now THEN
    -- Its lease was extended after it was put here.
    h.due := h.lease_end + h.delay;
    ${SAVE_HOST}
  ELSIF h.fencing_token < v_since AND v_lost + greatest(h.delay, p_delay) > v_now THEN
    -- Another holder may still send requests by a lease that was lost.
    ${END_LAPSED_LEASE}
    h.next_at := greatest(h.next_at, v_lost + greatest(h.delay, p_delay));
    ${indexHost('v_now')}
    v_isready := false;
    ${SAVE_HOST}
  ELSE
    ${END_LAPSED_LEASE}
    v_isready := true;
  END IF;`;

/** Counting stops here: the `queued` of a lease is never higher. */
const MAX_COUNTED_ENTRIES = 256;

const GRANT = `
  h.fencing_token := greatest(h.fencing_token + 1, v_now);
  h.delay := greatest(h.delay, p_delay);
  h.lease_end := v_now + p_ttl;
  h.due := h.lease_end + h.delay;
  ${takeEntries('p_entries')}
  ${SAVE_HOST}
  key := h.key; fencing_token := h.fencing_token; state := h.state; entries := coalesce(v_packed, '');
  queued := (SELECT count(*) FROM (SELECT FROM $S.entry WHERE host = h.id LIMIT ${MAX_COUNTED_ENTRIES} + cardinality(h.flight_id)) c)
    - cardinality(h.flight_id);
  IF h.later_at IS NOT NULL THEN
    queued := queued + (SELECT count(*) FROM (SELECT FROM $S.later WHERE host = h.id LIMIT ${MAX_COUNTED_ENTRIES}) c);
  END IF;
  v_granted := v_granted + 1;
  RETURN NEXT;`;

/**
 * `lease`: due hosts, oldest first, or the named ones. The first row is not a host: its `key` is the clock, its
 * `fencing_token` is when the present server was first seen, and its `queued` is -1 if nothing is granted because the
 * clock is later than `p_latest`. A `p_latest` of -1 says that the clock was set forward.
 */
export const LEASE_SQL = `
CREATE OR REPLACE FUNCTION $S.lease(p_now int8, p_hosts int4, p_entries int4, p_ttl int8, p_delay int8, p_latest int8, p_names text[])
RETURNS TABLE (key text, fencing_token int8, state bytea, queued int4, entries bytea) ${FUNCTION_SETTINGS} AS $lease$
#variable_conflict use_column
DECLARE
  ${HOST_VARIABLES}
  v_granted int4 := 0; v_checks int4 := 2 * p_hosts + 64; v_visits int4; v_name text;
BEGIN
  ${checkServer('p_ttl')}
  IF p_latest = -1 THEN
    UPDATE $S.crawl SET server_since = v_now, lost_until = v_now + greatest(longest, p_ttl) WHERE one
      RETURNING server_since, lost_until INTO v_since, v_lost;
  END IF;
  key := v_now::text; fencing_token := v_since; queued := 0;
  IF p_latest >= 0 AND v_now > p_latest THEN queued := -1; END IF;
  RETURN NEXT;
  IF p_latest = -1 OR queued = -1 THEN RETURN; END IF;
  IF p_names IS NOT NULL THEN
    FOREACH v_name IN ARRAY p_names LOOP
      EXIT WHEN v_granted >= p_hosts;
      INSERT INTO $S.host (key, id, lanes) SELECT v_name, nextval('$S.host_id')::int4, '{}'
        WHERE NOT EXISTS (SELECT FROM $S.host x WHERE x.key = v_name) ON CONFLICT DO NOTHING;
      IF FOUND THEN d_hosts := d_hosts + 1; END IF;
      SELECT * INTO h FROM $S.host x WHERE x.key = v_name FOR NO KEY UPDATE;
      CONTINUE WHEN h.parked OR greatest(h.next_at, CASE WHEN h.lease_end > 0 THEN h.lease_end + h.delay END) > v_now;
      ${CHECK_HOST}
      IF v_isready THEN ${GRANT} END IF;
    END LOOP;
  END IF;
  WHILE p_names IS NULL AND v_granted < p_hosts AND v_checks > 0 LOOP
    v_visits := 0;
    FOR h IN SELECT * FROM $S.host x WHERE x.due <= v_now ORDER BY x.due
      LIMIT least(v_checks, p_hosts - v_granted) FOR NO KEY UPDATE SKIP LOCKED LOOP
      v_visits := v_visits + 1;
      v_checks := v_checks - 1;
      ${CHECK_HOST}
      IF v_isready THEN
        ${indexHost(`v_now + ${RETRY_US}`)}
        IF v_isready THEN ${GRANT} ELSE ${SAVE_HOST} END IF;
      END IF;
    END LOOP;
    EXIT WHEN v_visits = 0;
  END LOOP;
  ${SAVE_TALLY}
END $lease$;`;

export const WAKE_SQL = `
CREATE OR REPLACE FUNCTION $S.wake(p_now int8, p_key text) RETURNS void ${FUNCTION_SETTINGS} AS $wake$
DECLARE
  ${HOST_VARIABLES}
BEGIN
  SELECT * INTO h FROM $S.host x WHERE x.key = p_key AND x.parked FOR NO KEY UPDATE;
  IF FOUND THEN
    h.parked := false;
    ${indexHost('v_now')}
    ${SAVE_HOST}
  END IF;
END $wake$;`;
