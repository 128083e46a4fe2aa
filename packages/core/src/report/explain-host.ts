// Why a host is asked for nothing now, as sentences: what the frontier knows of it, read by people.

import type { HostLook, HostWait } from '@mannerly/frontier';
import { parseUrl } from '../parse-url.js';
import { waitText } from './wait-text.js';

/** Whether a question is about a host: a name without scheme and path. Never throws. */
export function isHostName(text: string): boolean {
  return !text.includes('/') && parseUrl(`http://${text}/`) !== null;
}

/** A URL as it is requested and logged: the URL parser's serialisation without fragment. What is none stays. Never throws. */
export function requestedForm(text: string): string {
  const url = parseUrl(text);
  if (url === null) return text;
  url.hash = '';
  return url.href;
}

/**
 * A host as it is while no run asks it for anything. A wait that is over is none; one that nobody wrote down, since the run
 * was killed, is read from the host's interval and from its last answers.
 *
 * @throws Never
 */
export function atRest(look: HostLook, nowMs: number): HostLook {
  const { host, wait, nextAtMs, isParked, interval, inARow } = look;
  // What a killed run had in hand is nobody's: it comes first when the crawl goes on.
  const queued = look.queued + look.inFlight;
  const nobodys = { ...look, queued, inFlight: 0 };
  if (isParked || nextAtMs === null || nextAtMs <= nowMs) return { ...nobodys, wait: isParked ? wait : null };
  if (wait !== null && (wait.untilMs === null || wait.untilMs > nowMs))
    return { ...nobodys, wait: { ...wait, queued } };
  const reason = nextAtMs <= nowMs + interval.ms ? INTERVAL_WAITS[interval.from] : null;
  const guess = reason ?? (inARow.throttled + inARow.failed > 0 ? 'host-paused' : null);
  return { ...nobodys, wait: guess === null ? null : { host, reason: guess, untilMs: nextAtMs, queued } };
}

const INTERVAL_WAITS: Readonly<Record<HostLook['interval']['from'], HostWait['reason']>> = {
  profile: 'interval',
  adaptive: 'interval',
  'crawl-delay': 'crawl-delay',
  'request-rate': 'request-rate',
};

/** What is known of a host as lines of text for a person. @throws Never */
export function hostText(look: HostLook): string {
  const { host, isKnown, queued, inFlight, lanes, isWhole, nextAtMs, wait, isParked, interval, robots, used, spent } =
    look;
  if (!isKnown) return `${host}\n  Unknown: this crawl has not met it.`;
  const lines = [host, `  ${count(queued, 'URL')} queued, ${inFlight} in hand.`];
  for (const { authority, priorities } of lanes) {
    const by = priorities.flatMap((urls, priority) => (urls === 0 ? [] : [`${urls} in priority ${priority}`]));
    lines.push(`  ${authority}: ${by.join(', ')}${isWhole ? '' : ', and more'}.`);
  }
  if (isParked) lines.push('  Parked: it is asked for nothing until somebody has looked at it; then `wake` it.');
  else if (wait !== null) lines.push(`  ${waitText(wait)}`);
  if (nextAtMs !== null) lines.push(`  Not before ${new Date(nextAtMs).toISOString()}.`);
  const whose = interval.authority === null ? '' : ` of ${interval.authority}/robots.txt`;
  lines.push(`  Interval ${interval.ms / 1_000} s (${interval.from}${whose}).`);
  for (const { authority, phase, hash, receivedAtMs, freshUntilMs, failures, retryAtMs } of robots) {
    const received = receivedAtMs === null ? '' : ` of ${new Date(receivedAtMs).toISOString()}`;
    const copy = hash === null ? '' : `, copy ${hash}${received}`;
    const until = freshUntilMs === null ? '' : `, used until ${new Date(freshUntilMs).toISOString()}`;
    const retry =
      failures === 0 || retryAtMs === null
        ? ''
        : `, ${failures} failures, again at ${new Date(retryAtMs).toISOString()}`;
    lines.push(`  ${authority}/robots.txt: ${phase}${copy}${until}${retry}.`);
  }
  const minutes =
    used.runningMs === null ? '' : `, ${(used.runningMs / 60_000).toFixed(1)} minutes since the first request`;
  lines.push(`  Gave ${count(used.pages, 'page')}, ${used.bytes} bytes${minutes}.`);
  if (spent !== null) lines.push(`  A bound is used up: ${spent}.`);
  return lines.join('\n');
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
