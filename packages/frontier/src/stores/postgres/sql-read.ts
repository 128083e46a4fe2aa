// `read_host`, `scan` and `reserve` in PL/pgSQL.

import { checkServer, FUNCTION_SETTINGS, HOST_VARIABLES } from './sql-host.js';

/** `reserve`: microseconds to wait for each key, in the order of the keys, which come sorted. */
export const RESERVE_SQL = `
CREATE OR REPLACE FUNCTION $S.reserve(p_now int8, p_key text[], p_delay int8[]) RETURNS int8[] ${FUNCTION_SETTINGS} AS $reserve$
DECLARE
  ${HOST_VARIABLES}
  v_waits int8[] := '{}'; v_next int8; v_slot int4;
BEGIN
  ${checkServer('0')}
  FOR v_slot IN 1 .. cardinality(p_key) LOOP
    INSERT INTO $S.slot AS s (key, next_at)
      VALUES (p_key[v_slot], greatest(v_now, CASE WHEN v_since > 0 THEN v_since + p_delay[v_slot] END) + p_delay[v_slot])
      ON CONFLICT (key) DO UPDATE
        SET next_at = greatest(v_now, s.next_at, CASE WHEN v_since > 0 THEN v_since + p_delay[v_slot] END) + p_delay[v_slot]
      RETURNING next_at INTO v_next;
    v_waits := v_waits || (v_next - p_delay[v_slot] - v_now);
  END LOOP;
  RETURN v_waits;
END $reserve$;`;

/** The most entries of one host that are counted. */
const MAX_COUNTED_ENTRIES = 10_000;

export const READ_HOST_SQL = `
CREATE OR REPLACE FUNCTION $S.read_host(p_now int8, p_key text)
RETURNS TABLE (o_state bytea, o_queued int8, o_in_flight int4, o_leased boolean, o_parked boolean, o_due int8) ${FUNCTION_SETTINGS} AS $read$
DECLARE
  ${HOST_VARIABLES}
BEGIN
  SELECT * INTO h FROM $S.host x WHERE x.key = p_key;
  IF NOT FOUND THEN RETURN; END IF;
  o_state := h.state;
  o_in_flight := cardinality(h.flight_id);
  o_queued := (SELECT count(*) FROM (SELECT FROM $S.entry WHERE host = h.id LIMIT ${MAX_COUNTED_ENTRIES}) c)
    + (SELECT count(*) FROM (SELECT FROM $S.later WHERE host = h.id LIMIT ${MAX_COUNTED_ENTRIES}) c) - o_in_flight;
  o_leased := h.lease_end > 0;
  o_parked := h.parked;
  IF h.due IS NOT NULL THEN o_due := greatest(0, CASE WHEN o_leased THEN h.lease_end + h.delay ELSE h.due END - v_now); END IF;
  RETURN NEXT;
END $read$;`;

const STOP_IF_FULL = `
      v_left := v_left - v_got;
      IF v_left <= 0 THEN
        o_entry := NULL;
        RETURN NEXT;
        RETURN;
      END IF;`;

/**
 * `scan`: rows of host and packed entry, then one row with the place to continue at, or none at the end. Hosts are in
 * key order. Of each host the waiting entries come first, by time, then the others, by lane.
 */
export const SCAN_SQL = `
CREATE OR REPLACE FUNCTION $S.scan(p_limit int4, p_key text, p_phase int4, p_first int8, p_second int8, p_only boolean)
RETURNS TABLE (o_key text, o_phase int4, o_first int8, o_second int8, o_entry bytea) ${FUNCTION_SETTINGS} AS $scan$
DECLARE
  h $S.host; v_left int4 := p_limit; v_steps int4 := 4 * p_limit; v_got int4;
  v_phase int4 := p_phase; v_first int8 := p_first; v_second int8 := p_second;
BEGIN
  FOR h IN SELECT * FROM $S.host x WHERE x.key >= p_key AND (NOT p_only OR x.key = p_key) ORDER BY x.key LIMIT v_steps + 1 LOOP
    IF h.key <> p_key THEN v_phase := 0; v_first := 0; v_second := 0; END IF;
    v_steps := v_steps - 1;
    IF v_left <= 0 OR v_steps < 0 THEN
      o_key := h.key; o_phase := v_phase; o_first := v_first; o_second := v_second; o_entry := NULL;
      RETURN NEXT;
      RETURN;
    END IF;
    o_key := h.key;
    IF v_phase = 0 THEN
      v_got := 0;
      FOR o_first, o_second, o_entry IN
        SELECT l.ready_at, l.id, int8send(l.id) || int2send(l.attempt) || int2send(l.priority) || int4send(length(l.body)) || l.body
        FROM $S.later l WHERE l.host = h.id AND (l.ready_at, l.id) > (v_first, v_second) ORDER BY l.ready_at, l.id LIMIT v_left LOOP
        v_got := v_got + 1;
        o_phase := 0;
        RETURN NEXT;
      END LOOP;
      ${STOP_IF_FULL}
      v_phase := 1; v_first := -2147483649; v_second := 0;
    END IF;
    v_got := 0;
    FOR o_first, o_second, o_entry IN
      SELECT e.lane, e.ord, int8send(coalesce(e.id, e.ord & 4503599627370495)) || int2send(e.attempt) || int2send(e.priority)
        || int4send(length(e.body)) || e.body
      FROM $S.entry e WHERE e.host = h.id AND (e.lane, e.ord) > (v_first, v_second) ORDER BY e.lane, e.ord LIMIT v_left LOOP
      v_got := v_got + 1;
      o_phase := 1;
      RETURN NEXT;
    END LOOP;
    ${STOP_IF_FULL}
  END LOOP;
END $scan$;`;
