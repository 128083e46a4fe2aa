// Explanations as lines of text for people. Text of sites and logs is printed without control characters.

import type { HostInspection, HostWait, QueuedUrl, RobotsCopyRef } from '@mannerly/frontier';
import { type CodeError, errorLine, framesOf, isUserCode } from './code-error.js';
import type { HostClockReading } from './decision.js';
import type { Explanation, VisitExplanation } from './explain.js';
import type { LoggedHost } from './from-logs.js';
import { entryText } from './host-entry.js';
import { MAX_EXPLAINED_FRAMES } from './limits.js';
import { iso, plural, printable } from './table.js';

type Lines = readonly (string | null)[];

/** The explanation as lines of text. @throws Never */
export function explanationText(explanation: Explanation): string {
  const { url, host, logged, bound = null, logsOnlyReason = null } = explanation;
  const boundText =
    bound === null ? null : `The crawl's bound of ${bound} is used up: it continues only with a larger one.`;
  const onlyLogs = logsOnlyReason === null ? null : `From the logs alone: ${logsOnlyReason}`;
  const entries = (explanation.hosts ?? []).map((entry) => printable(entryText(entry), 500));
  if (host !== undefined) return linesOf(host.host, [...hostLines(host, logged), ...entries, boundText]);
  if (logged !== undefined) return linesOf(url, [...loggedHostLines(logged), ...entries, onlyLogs]);
  const { status, reason, meaning, advice, robots, untilMs, decision, inspection, place = null } = explanation;
  const isAllowed = inspection !== null && inspection.gate.kind === 'allow';
  return linesOf(url, [
    `${headlineOf(explanation)}${reason === null ? '' : ` (${reason})`}`,
    explanation.otherSpelling === undefined
      ? null
      : `The log has another spelling of it, which counts as the same URL: ${printable(explanation.otherSpelling)}`,
    meaning,
    decision?.httpStatus == null ? null : `Status ${decision.httpStatus}.`,
    decision?.detail == null || explanation.error !== undefined ? null : printable(decision.detail, 500),
    ...errorLines(explanation.error),
    ruleText(explanation),
    robots === null ? null : copyText(robots),
    isAllowed && explanation.line === null && status !== 'fetched' ? 'robots.txt allows it.' : null,
    inspection?.wait != null && decision === null ? waitText(inspection.wait) : null,
    untilMs === null ? null : `Not before ${iso(untilMs)}.`,
    decision?.clock === undefined ? null : clockText(decision.clock),
    decision === null ? null : `Decided ${iso(decision.atMs)}${foundText(decision)}.`,
    ...entries,
    ...visitLines(explanation.visit),
    place === null ? null : placeText(place, status),
    place !== null && isAllowed && inspection.wait === null
      ? 'Its host is ready: it is fetched when the crawl continues.'
      : null,
    place === null ? null : boundText,
    advice === null ? null : `What to do: ${advice}`,
    onlyLogs,
  ]);
}

/** The error as it was kept, and the first frames of its stack that are in the user's code. */
function errorLines(error: CodeError | undefined): Lines {
  if (error === undefined) return [];
  const frames = framesOf(error.stack ?? '').filter(isUserCode);
  const owner =
    error.code === 'hook-error' ? `the hook ${error.hook}` : error.code === 'sink-failed' ? 'a sink' : 'the handler';
  const head = `Error of ${owner}, ${iso(error.atMs)}: ${errorLine(error)}`;
  return [
    printable(head, 1_000),
    ...frames.slice(0, MAX_EXPLAINED_FRAMES).map((line) => `  ${printable(line.trim(), 300)}`),
  ];
}

const DUE_REASONS: Readonly<Record<VisitExplanation['why'], string>> = {
  bounds: 'a recrawl visits known pages in the order of their value, as far as its bounds allow',
  interval: 'by how often it changes (`recrawl.everyDays`)',
  lifetime: 'its response says it is fresh until then',
  missing: 'it was not found at the last visit',
  failed: 'it failed, or robots.txt closed it, and each time doubles the wait',
  gone: 'it was not found twice, it has moved permanently, or its site says it is gone',
  named: 'it was gone, but a sitemap has since listed it with a later date',
};

function visitLines(visit: VisitExplanation | undefined): Lines {
  if (visit === undefined) return [];
  const { visits, lastVisitMs, changes, changedAtMs, shape, days, changesPerDay, fresh, importance, value } = visit;
  const changed =
    changes === 0 ? 'never changed since' : `${plural(changes, 'change')} seen, the last ${iso(changedAtMs)}`;
  const { lastmod, lastmodTrust: trust, dueAtMs, why, failures } = visit;
  const failed = failures === 0 ? '' : `, and ${plural(failures, 'failed visit')} since`;
  const lastmodText =
    lastmod === null
      ? 'Sitemaps have not mentioned it'
      : `Sitemaps say that it has ${lastmod === 'changed' ? '' : 'not '}changed`;
  const trustText = `${trust.changed.toFixed(2)} where they say changed, ${trust.unchanged.toFixed(2)} where not: they count ${trust.weight.toFixed(2)}`;
  const due = dueAtMs === null ? 'It is not visited again' : `The next visit is due ${iso(dueAtMs)}`;
  if (visits === 0)
    return [`Never fetched, after ${plural(failures, 'failed attempt')}.`, `${due}: ${DUE_REASONS[why]}.`];
  return [
    `Visited ${plural(visits, 'time')}, last ${iso(lastVisitMs)}${failed}; ${changed}.`,
    `Estimate: a = ${shape.toFixed(3)}, b = ${days.toFixed(3)} days, ${changesPerDay.toFixed(4)} changes a day.`,
    `It is unchanged since its visit with a probability of ${fresh.toFixed(2)}.`,
    validatorsText(visit),
    `${lastmodText} since; those of its host are believed ${trustText}.`,
    `${due}: ${DUE_REASONS[why]}.`,
    dueAtMs === null ? null : `A visit now is worth ${value.toFixed(2)}, with an importance of ${importance}.`,
  ];
}

function validatorsText(visit: VisitExplanation): string {
  const { etag, lastModified, untrustedUntilMs, isEtagTrusted, isLastModifiedTrusted } = visit;
  if (etag === null && lastModified === null) return 'Validators: none, so it is requested whole.';
  if (untrustedUntilMs !== null)
    return `Validators: not sent until ${iso(untrustedUntilMs)}, an ETag of the host was the same with other content.`;
  const tag = etag === null ? [] : [`ETag ${printable(etag, 100)}${isEtagTrusted ? '' : ' (not sent: new each time)'}`];
  const late = isLastModifiedTrusted ? '' : ' (not sent: the time of delivery)';
  const date = lastModified === null ? [] : [`Last-Modified ${printable(lastModified, 100)}${late}`];
  return `Validators: ${[...tag, ...date].join(', ')}.`;
}

const HEADLINES: Readonly<Record<Explanation['status'], string>> = {
  fetched: 'Fetched.',
  excluded: 'Excluded: the site does not want it fetched.',
  dropped: 'Dropped: this crawl refuses it.',
  failed: 'Failed: it could not be fetched.',
  held: 'Held: not decided when the run ended.',
  waiting: 'Queued: its turn has not come.',
  unknown: 'Unknown: it is not queued, and no log names it.',
};

function headlineOf({ status, reason, logsOnlyReason, place, decision }: Explanation): string {
  // The queue was not searched, so "unknown" would say too much.
  if (status === 'unknown' && logsOnlyReason != null) return 'Not decided: the logs do not name it. It may be queued.';
  // The log may have left it out (`decisionLog`), or there is none.
  if (status === 'waiting' && place === null)
    return 'Known: it was added and has ended, or is queued behind the part that was searched. No log names it.';
  if (decision?.status === 'failed' && decision.layer === 'hook') return 'Failed: it was fetched, but not handled.';
  if (status === 'excluded' && decision?.layer === 'page' && decision.httpStatus !== null)
    return 'Excluded: it was fetched, and the site does not want its content used like this.';
  if (status === 'held' && reason === 'license') return 'Held: a person has to act first.';
  return HEADLINES[status];
}

/** The line of robots.txt that denies the URL, or that allowed the request. */
function ruleText({ line, pattern, robots, decision, inspection }: Explanation): string | null {
  if (line === null) return null;
  const isOpen = decision === null || decision.status === 'held';
  const closes = isOpen ? inspection?.gate.kind === 'deny' : decision.layer === 'robots';
  const file = robots === null ? 'robots.txt' : `${robots.authority}/robots.txt`;
  return `${closes ? 'Line' : 'Allowed by line'} ${line} of ${file}: ${printable(pattern ?? '(no pattern)')}`;
}

function copyText({ authority, phase, hash, receivedAtMs }: RobotsCopyRef): string {
  const copy = hash === null ? 'no body' : `copy ${hash}`;
  const when = receivedAtMs === null ? '' : `, received ${iso(receivedAtMs)}`;
  return `By ${authority}/robots.txt (${phase}, ${copy}${when}).`;
}

function waitText({ host, untilMs, reason, queued }: HostWait): string {
  const until = untilMs === null ? '' : ` until ${iso(untilMs)}`;
  return `${host} waits${until} (${reason}), ${plural(queued, 'URL')} queued.`;
}

function clockText(reading: HostClockReading): string | null {
  const { host, startedAtMs, gapMs, crawlDelayMs, requestIntervalMs } = reading;
  if (startedAtMs === null) return null;
  const after = gapMs === null ? 'its first request' : `${gapMs} ms after the last request to ${host}`;
  const delay = crawlDelayMs === null ? [] : [`a Crawl-delay of ${crawlDelayMs} ms`];
  const rate = requestIntervalMs === null ? [] : [`one request in ${requestIntervalMs} ms`];
  const required = [...delay, ...rate].join(' and ');
  const pace = required === '' ? 'the host sets no pace of its own' : `the host requires ${required}`;
  return `Requested ${iso(startedAtMs)}, ${after}; ${pace}.`;
}

function foundText({ depth, from }: { readonly depth: number | null; readonly from: string | null }): string {
  return `${depth === null ? '' : `, depth ${depth}`}${from === null ? '' : `, found on ${from}`}`;
}

function placeText({ host, priority, record }: QueuedUrl, status: Explanation['status']): string {
  const { depth, from, via, tries, visit = 0 } = record;
  const onceMore = status === 'waiting' || status === 'held' ? '' : ' once more';
  const how = from === null ? via : `${via} on ${from}`;
  const tried = tries === 0 ? '' : `, tried ${plural(tries, 'time')}`;
  const visits = visit === 0 ? '' : ', one more visit';
  return `Queued${onceMore} for ${host} in priority ${priority}: ${how}, depth ${depth}${tried}${visits}.`;
}

function hostLines(inspection: HostInspection, logged: LoggedHost | undefined): Lines {
  if (!inspection.isKnown) return [HEADLINES.unknown];
  const { queued, inFlight, lanes, isComplete, nextAtMs, wait, isParked } = inspection;
  const { interval, used, reachedBound, order } = inspection;
  const lane = ({ authority, priorities }: HostInspection['lanes'][number]) => {
    const by = priorities.flatMap((urls, priority) => (urls === 0 ? [] : [`${urls} in priority ${priority}`]));
    return `${authority}: ${by.join(', ')}${isComplete ? '' : ', and more'}.`;
  };
  const waits = wait === null ? null : waitText(wait);
  const line = interval.line === null ? '' : ` line ${interval.line}`;
  const owner = interval.authority === null ? '' : ` of ${interval.authority}/robots.txt${line}`;
  const minutes =
    used.runningMs === null ? '' : `, ${(used.runningMs / 60_000).toFixed(1)} minutes since the first request`;
  return [
    `${plural(queued, 'URL')} queued, ${inFlight} in flight.`,
    ...lanes.map(lane),
    isParked ? 'Parked: no request goes to it until you unpark it (`unpark`).' : waits,
    nextAtMs === null ? null : `Not before ${iso(nextAtMs)}.`,
    `Interval ${interval.ms / 1_000} s (${interval.from}${owner}).`,
    orderText(order),
    ...inspection.robots.map((state) => robotsLine(state, logged)),
    warningLine(logged),
    `Fetched ${plural(used.pages, 'page')}, ${plural(used.bytes, 'byte')}${minutes}.`,
    reachedBound === null ? null : `A bound is used up: ${reachedBound}.`,
  ];
}

/** Why it goes first, or after how many others. `null` if only its time decides. */
function orderText({ weight, label, hostsBefore }: HostInspection['order']): string | null {
  const others =
    hostsBefore === 0 ? 'it goes first' : hostsBefore && `${plural(hostsBefore, 'host goes', 'hosts go')} before it`;
  if (others === null && weight === 1 && label === null) return null;
  const budget = label?.pages == null ? '' : ` (${label.used ?? 0} of ${label.pages} pages)`;
  const orderParts = [`weight ${weight}`, ...(label === null ? [] : [`label ${printable(label.name)}${budget}`])];
  return `Order: ${orderParts.join(', ')}${others === null ? '' : `; of the hosts that are due, ${others}`}.`;
}

function robotsLine(state: HostInspection['robots'][number], logged: LoggedHost | undefined): string {
  const { authority, phase, hash, receivedAtMs, freshUntilMs, failures, retryAtMs } = state;
  const received = receivedAtMs === null ? '' : ` of ${iso(receivedAtMs)}`;
  const copy = hash === null ? '' : `, copy ${hash}${received}`;
  const until = freshUntilMs === null ? '' : `, used until ${iso(freshUntilMs)}`;
  const last = logged?.robots.find((each) => each.authority === authority);
  const answer = last === undefined ? '' : `, ${answerText(last)}`;
  const retry =
    failures === 0 || retryAtMs === null ? '' : `, ${plural(failures, 'failure')}, again at ${iso(retryAtMs)}`;
  return `${authority}/robots.txt: ${phase}${answer}${copy}${until}${retry}.`;
}

/** The last warning about the host, such as why its robots.txt could not be fetched. */
function warningLine(logged: LoggedHost | undefined): string | null {
  if (logged?.warning == null) return null;
  const { atMs, code, untilMs, detail } = logged.warning;
  return `${iso(atMs)}: ${code}${untilMs === null ? '' : ` until ${iso(untilMs)}`}: ${printable(detail)}`;
}

/** The answer to the last request for a robots.txt, or why there is none. */
function answerText({ status, failure }: LoggedHost['robots'][number]): string {
  return status === null ? `no answer (${failure})` : `status ${status}`;
}

function loggedHostLines(logged: LoggedHost): Lines {
  const { requests, lastEndedAtMs, crawlDelayMs, requestIntervalMs, gapMs, warning, robots } = logged;
  if (requests === 0 && warning === null) return ['Unknown: the logs of this crawl do not name it.'];
  const last = lastEndedAtMs === null ? '' : `, the last ended ${iso(lastEndedAtMs)}`;
  return [
    `${plural(requests, 'request')}${last}.`,
    crawlDelayMs === null ? null : `It requires a Crawl-delay of ${crawlDelayMs / 1_000} s.`,
    requestIntervalMs === null ? null : `It requires a Request-rate of one in ${requestIntervalMs / 1_000} s.`,
    gapMs === null ? null : `${(gapMs / 1_000).toFixed(1)} s passed before its last request.`,
    ...robots.map((last) => {
      const copy = last.hash === null ? '' : `, copy ${last.hash}`;
      return `${last.authority}/robots.txt: ${answerText(last)}${copy}, requested ${iso(last.endedAtMs)}.`;
    }),
    warningLine(logged),
  ];
}

/** A line break in a text of a log, whose directory may come from someone else, does not begin a line. */
function linesOf(title: string, lines: Lines): string {
  return [title, ...lines.flatMap((line) => (line === null ? [] : [`  ${line.replaceAll('\n', '\\n')}`]))].join('\n');
}
