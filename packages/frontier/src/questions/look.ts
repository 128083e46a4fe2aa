// What is known of one URL, for a person who asks: the gate's answer and the host's wait, without changing anything.

import type { FrontierContext } from '../flow/context.js';
import type { HostWait } from '../frontier-event.js';
import { decodeItem } from '../records/record.js';
import type { FrontierStore } from '../store.js';
import { authorityOf } from '../url/host-key.js';
import { LOOK_SCAN_ENTRIES, LOOK_SCAN_PAGES } from './limits.js';
import type { UrlLook } from './url-look.js';

/**
 * Looks. `isKnown` is exact for what is queued and for what was met lately; a URL that was finished long ago may read
 * as not known, because the store has no verb that asks without adding.
 *
 * @throws What the store throws.
 */
export async function lookAt(
  url: string,
  host: string,
  wait: HostWait | null,
  { gate, store, seen, clock }: FrontierContext,
): Promise<UrlLook> {
  const authority = authorityOf(url) ?? '';
  const known = await gate.load(authority);
  const answer = gate.ask(known, url, clock.nowMs());
  const isKnown = seen.isRecent(url) || (await isQueued(url, host, store));
  const looked = { url, host, authority, isKnown, robots: gate.ref(known), wait };
  switch (answer.kind) {
    case 'allow':
    case 'deny': {
      const { reason, line, pattern, dialect } = answer.decision;
      return { ...looked, gate: { kind: answer.kind, reason, line, pattern, dialect } };
    }
    case 'hold':
      return { ...looked, gate: { kind: 'hold', reason: 'robots-unreachable', untilMs: answer.untilMs } };
    case 'refused':
      return { ...looked, gate: { kind: 'deny', reason: answer.reason, line: null, pattern: null, dialect: null } };
    case 'fetch':
    case 'busy':
      return { ...looked, gate: { kind: 'hold', reason: 'robots-unknown', untilMs: null } };
  }
}

async function isQueued(url: string, host: string, store: FrontierStore): Promise<boolean> {
  let cursor: string | null = null;
  for (let page = 0; page < LOOK_SCAN_PAGES; page += 1) {
    const found = await store.scan(cursor, LOOK_SCAN_ENTRIES, host);
    for (const { entry } of found.items) {
      const item = decodeItem(entry.body);
      if (item.kind === 'page' && item.record.url === url) return true;
    }
    cursor = found.cursor;
    if (cursor === null) return false;
  }
  return false;
}
