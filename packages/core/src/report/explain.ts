// Why a URL was or was not fetched: the final word of the decision log beside what the gate and the clock say of it now,
// as a value and as sentences. It asks nothing of anybody and changes nothing.

import type { HostLook, QueuedUrl, RobotsCopyRef, UrlLook } from '@mannerly/frontier';
import type { HostClockReading, UrlDecision, UrlStatus } from './decision.js';
import { hostText } from './explain-host.js';
import { type LoggedHost, loggedHostText } from './logged-host.js';
import { reasonOf } from './reasons.js';
import { printable } from './table.js';
import { waitText } from './wait-text.js';

/** What can be said of one URL. */
export interface Explanation {
  readonly url: string;
  /** The final word; `waiting`: known and not decided yet; `unknown`: never met. */
  readonly status: UrlStatus | 'waiting' | 'unknown';
  /** A word of `REASONS`; `null` for an unknown URL of which the gate says nothing either. */
  readonly reason: string | null;
  /** What the reason means, one sentence. */
  readonly means: string | null;
  /** What can be done. */
  readonly todo: string | null;
  /** The deciding line of robots.txt, where one decided. */
  readonly line: number | null;
  readonly pattern: string | null;
  readonly dialect: string | null;
  /** Which copy of whose robots.txt. */
  readonly robots: RobotsCopyRef | null;
  /** When it can be tried at the earliest, epoch milliseconds; `null`: not foreseeable, or decided. */
  readonly untilMs: number | null;
  /** The final word as it was logged. */
  readonly decision: UrlDecision | null;
  /** Of a host that was asked about by its name: what the frontier says of it. */
  readonly host?: HostLook;
  /** What the frontier says of it now; `null` where there is no frontier to ask. */
  readonly look: UrlLook | null;
  /** Where it is queued, as far as the queue was looked through; of a crawl that is not running. */
  readonly place?: QueuedUrl | null;
  /** The bound of the whole crawl that is used up, where the crawl is not running. */
  readonly bound?: 'pages' | 'minutes' | 'bytes' | null;
  /** Of a host that was asked about while its frontier could not be: what the logs say of it. */
  readonly logged?: LoggedHost;
  /** Why only the logs were read, one sentence. */
  readonly whyLogsOnly?: string | null;
}

/**
 * Puts together what is known of a URL. A final word wins over what the gate says now: it is what happened.
 *
 * @param decision - The log's last word; `null`: none.
 * @param look - What the frontier says; `null`: no frontier at hand.
 * @param place - Where it is queued; `null`: not found; absent: not looked for.
 * @throws Never
 */
export function explain(
  url: string,
  decision: UrlDecision | null,
  look: UrlLook | null,
  place?: QueuedUrl | null,
): Explanation {
  const base = { url, decision, look, ...(place === undefined ? {} : { place }) };
  if (decision !== null && decision.status !== 'held') {
    const { status, line, pattern, dialect, robots } = decision;
    return { ...base, ...meaning(decision.reason), status, line, pattern, dialect, robots, untilMs: null };
  }
  if (look === null) {
    if (decision === null) return { ...base, ...nothing, status: 'unknown', ...noRule, robots: null, untilMs: null };
    const { line, pattern, dialect, robots } = decision;
    return { ...base, ...meaning(decision.reason), status: 'held', line, pattern, dialect, robots, untilMs: null };
  }
  const { gate, robots, wait } = look;
  const status = decision?.status ?? (look.isKnown ? 'waiting' : 'unknown');
  if (gate.kind === 'hold')
    return { ...base, ...meaning(gate.reason), status, ...noRule, robots, untilMs: gate.untilMs };
  const { line, pattern, dialect } = gate;
  if (gate.kind === 'deny')
    return { ...base, ...meaning(gate.reason), status, line, pattern, dialect, robots, untilMs: null };
  // Where the queue was looked into, the reason it was held for when its run ended is over unless the host still waits.
  const heldFor = place == null ? (decision?.reason ?? null) : null;
  const reason = status === 'unknown' ? null : (wait?.reason ?? heldFor);
  const because = reason === null ? nothing : meaning(reason);
  return {
    ...base,
    ...because,
    status,
    line,
    pattern,
    dialect,
    robots,
    untilMs: reason === null ? null : (wait?.untilMs ?? null),
  };
}

/**
 * The same of a host. `status`: `unknown`, or `waiting` as long as the crawl may ask it for more.
 *
 * @throws Never
 */
export function explainHost(host: HostLook): Explanation {
  const reason = host.isParked ? 'host-parked' : (host.spent ?? host.wait?.reason ?? null);
  const said = reason === null ? nothing : meaning(reason);
  const status = host.isKnown ? 'waiting' : 'unknown';
  const [robots = null] = host.robots;
  return {
    url: host.host,
    ...said,
    status,
    ...noRule,
    robots,
    untilMs: host.nextAtMs,
    decision: null,
    look: null,
    host,
  };
}

/**
 * A host as the logs know it, where its frontier cannot be asked.
 *
 * @throws Never
 */
export function explainLoggedHost(host: string, logged: LoggedHost, whyLogsOnly: string | null): Explanation {
  const { requests, warning } = logged;
  const status = requests === 0 && warning === null ? 'unknown' : 'waiting';
  const more = { robots: null, untilMs: null, decision: null, look: null, logged, whyLogsOnly };
  return { url: host, ...nothing, status, ...noRule, ...more };
}

const nothing = { reason: null, means: null, todo: null };
const noRule = { line: null, pattern: null, dialect: null };

function meaning(status: string): Pick<Explanation, 'reason' | 'means' | 'todo'> {
  const reason = reasonOf(status);
  return {
    reason: status,
    means: reason?.means ?? null,
    todo: reason === null || reason.todo === '' ? null : reason.todo,
  };
}

/** The explanation as lines of text for a person. @throws Never */
export function explanationText(explanation: Explanation): string {
  const onlyLogs = explanation.whyLogsOnly == null ? [] : [`  From the logs alone: ${explanation.whyLogsOnly}`];
  const spent = explanation.bound == null ? [] : [`  ${boundText(explanation.bound)}`];
  if (explanation.host !== undefined) return [hostText(explanation.host), ...spent].join('\n');
  if (explanation.logged !== undefined)
    return [loggedHostText(explanation.url, explanation.logged), ...onlyLogs].join('\n');
  const {
    url,
    status,
    reason,
    means,
    todo,
    line,
    pattern,
    robots,
    untilMs,
    decision,
    look,
    place = null,
  } = explanation;
  const said = unclear(explanation) ?? headline(status);
  const lines = [url, `  ${said}${reason === null ? '' : ` (${reason})`}`];
  if (means !== null) lines.push(`  ${means}`);
  if (decision?.httpStatus != null) lines.push(`  Status ${decision.httpStatus}.`);
  if (decision?.detail != null) lines.push(`  ${printable(decision.detail, 500)}`);
  if (line !== null)
    lines.push(
      `  ${closes(explanation) ? 'Line' : 'Allowed by line'} ${line} of ${robotsName(robots)}: ${printable(pattern ?? '(no pattern)')}`,
    );
  if (robots !== null) lines.push(`  ${copyText(robots)}`);
  if (look !== null && line === null && look.gate.kind === 'allow' && status !== 'fetched')
    lines.push('  robots.txt allows it.');
  if (look?.wait != null && decision === null) lines.push(`  ${waitText(look.wait)}`);
  if (untilMs !== null) lines.push(`  Not before ${new Date(untilMs).toISOString()}.`);
  if (decision?.clock?.startedAtMs != null) lines.push(`  ${clockText(decision.clock)}`);
  if (decision !== null) lines.push(`  Decided ${new Date(decision.atMs).toISOString()}${foundText(decision)}.`);
  if (place !== null) lines.push(`  ${placeText(place, status)}`);
  if (place !== null && look !== null && look.gate.kind === 'allow' && look.wait === null)
    lines.push('  Its host may be asked now: it comes in its turn, when the crawl goes on.');
  if (place !== null) lines.push(...spent);
  if (todo !== null) lines.push(`  What to do: ${todo}`);
  lines.push(...onlyLogs);
  return lines.join('\n');
}

/** Whether the line is the one that closes the URL; otherwise it is the one that let us ask for it. */
function closes({ decision, look }: Explanation): boolean {
  return decision === null || decision.status === 'held' ? look?.gate.kind === 'deny' : decision.layer === 'robots';
}

/** What is said where neither the log nor the queue has it. */
function unclear({ status, whyLogsOnly, place }: Explanation): string | null {
  if (status === 'unknown' && whyLogsOnly != null) return NOT_LOGGED;
  return status === 'waiting' && place === null ? NOT_FOUND : null;
}

/** The queue was looked through, and the log may have left it out (`decisionLog`). */
const NOT_FOUND = 'Known, and neither queued as far as was looked nor named by the log, which may be a sample.';

/** Where nobody could look into the queue, "unknown" would say too much. */
const NOT_LOGGED = 'Not decided: the logs do not name it. It may be queued.';

function headline(status: Explanation['status']): string {
  const headlines: Record<Explanation['status'], string> = {
    fetched: 'Fetched.',
    excluded: 'Excluded: the site does not want it taken.',
    dropped: 'Dropped: this crawl does not want it.',
    failed: 'Failed: it could not be had.',
    held: 'Held: not decided when the run ended.',
    waiting: 'Queued: its turn has not come.',
    unknown: 'Unknown: this crawl has not met it.',
  };
  return headlines[status];
}

/** Where it is queued, and how it came there. */
function placeText({ host, priority, record }: QueuedUrl, status: Explanation['status']): string {
  const { depth, from, via, tries, visit = 0 } = record;
  const again = status === 'waiting' || status === 'held' ? '' : ' once more';
  const how = from === null ? via : `${via} on ${from}`;
  const tried = tries === 0 ? '' : `, tried ${tries} time${tries === 1 ? '' : 's'}`;
  return `Queued${again} for ${host} in priority ${priority}: ${how}, depth ${depth}${tried}${visit === 0 ? '' : ', one more visit'}.`;
}

function boundText(bound: string): string {
  return `The crawl's bound of ${bound} is used up: nothing is asked until it goes on with a larger one.`;
}

function robotsName(robots: RobotsCopyRef | null): string {
  return robots === null ? 'robots.txt' : `${robots.authority}/robots.txt`;
}

function copyText({ authority, phase, hash, receivedAtMs }: RobotsCopyRef): string {
  const copy = hash === null ? 'no body' : `copy ${hash}`;
  const when = receivedAtMs === null ? '' : `, received ${new Date(receivedAtMs).toISOString()}`;
  return `By ${authority}/robots.txt (${phase}, ${copy}${when}).`;
}

/** What the host's clock showed when the URL was asked for. */
function clockText({ host, startedAtMs, gapMs, crawlDelayMs, requestIntervalMs }: HostClockReading): string {
  const after = gapMs === null ? 'its first request' : `${gapMs} ms after ${host}'s last exchange`;
  const delay = crawlDelayMs === null ? [] : [`a Crawl-delay of ${crawlDelayMs} ms`];
  const rate = requestIntervalMs === null ? [] : [`one request in ${requestIntervalMs} ms`];
  const asked = [...delay, ...rate].join(' and ');
  const wish = asked === '' ? 'the host asks for no pace of its own' : `the host asks for ${asked}`;
  return `Asked ${new Date(startedAtMs ?? 0).toISOString()}, ${after}; ${wish}.`;
}

function foundText({ depth, from }: UrlDecision): string {
  const at = depth === null ? '' : `, depth ${depth}`;
  return from === null ? at : `${at}, found on ${from}`;
}
