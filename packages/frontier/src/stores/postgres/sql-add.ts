// Adding in PL/pgSQL: the part of `commit` that takes links. Fingerprints come sorted, each once (except those that are
// queued although they are known), so that transactions wait for each other in one order; hosts come as sorted pairs of
// key and lane.

export const ADD_VARIABLES = `
  v_free int8; v_chosen int8[]; v_fresh int8[]; v_pairs int4[]; v_found int4[]; v_ids int4[]; v_update int4[]; v_arrival int8; v_made int4; v_link record;
`;

/** Whether the link `u` is queued: it is not deduped, or among the fresh ones, which are sorted as the links are. */
function isQueued(u: string): string {
  return `(v_fresh[width_bucket(${u}.fingerprint, v_fresh)] = ${u}.fingerprint OR ${u}.again)`;
}

const LINKS =
  'unnest(p_fp, p_pair, p_place, p_priority, p_body_at, p_body_len, v_again, v_wait) u(fingerprint, pair, place, priority, body_at, body_len, again, wait)';

/** Locks the hosts of what is queued against going idle. `v_update`: those that are idle, or do not know the lane. */
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

/** Queues links. `v_fresh` are the fingerprints that were not known, `v_full` the links that did not fit. */
export const ADD_LINKS = `
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
