// Judges requests one after the other, in the order of their ends, by what their log says and by the copies of robots.txt
// that were kept. It shares no code with the frontier, which planned them: what one of them gets wrong the other finds.

import type { RequestRecord } from '../decision.js';
import type { RunPromise } from '../run-line.js';
import { type Asked, askedBy } from './asked-pace.js';
import { type AtOnce, createAtOnce } from './at-once.js';
import type { AuditEntry } from './audit-entry.js';
import { createHostPace, type Earliest, type HostPace, type Pause } from './host-pace.js';
import { MAX_AUDITED_HOSTS, MAX_AUDITED_TOGETHER, MAX_AUTHORITIES_PER_HOST } from './limits.js';
import { createRobotsInForce, type InForce } from './robots-in-force.js';
import type { PaceReason, Violation, ViolationKind } from './violation.js';

/** One request as it was judged. */
export interface JudgedRequest {
  readonly record: RequestRecord;
  readonly host: string;
  /** End of the host's last exchange to this start, milliseconds; below 0 where they overlapped; `null` for the first. */
  readonly gapMs: number | null;
  /** What that gap had to be at least, and what sets it; `null` for the first, and where no run is known. */
  readonly requiredGapMs: number | null;
  readonly requiredBy: PaceReason | null;
  readonly asked: Asked | null;
  /** The silence that its answer asks for. */
  readonly pause: Pause | null;
  readonly violations: readonly Violation[];
}

/** Judges the entries of a crawl. */
export interface Auditor {
  /** @returns The request; `null` for other entries, whose findings are in `violations`. */
  judge(
    entry: AuditEntry,
  ): Promise<{ readonly request: JudgedRequest | null; readonly violations: readonly Violation[] }>;
  /** Hosts that were asked. */
  hosts(): number;
  /** Hosts that had to be forgotten: their next request counts as a first one. */
  forgotten(): number;
}

/** What an auditor is handed. */
export interface AuditorParts {
  /** Bytes of a kept copy of robots.txt by its hash; `null`: not kept. */
  readonly readCopy: (hash: string) => Promise<Uint8Array | null>;
  /** Who the crawl said it was, as its manifest has it; `null`: not known. */
  readonly crawl: { readonly name: string; readonly tokens: readonly string[] } | null;
  /** By so much a request may be early, milliseconds: for clocks of several machines. @default 0 */
  readonly toleranceMs?: number;
}

/** What is remembered of a host. */
interface Host {
  readonly pace: HostPace;
  /** Authorities whose robots.txt was answered. */
  readonly authorities: Set<string>;
}

/** Makes an auditor. @throws Never; what `readCopy` throws passes through `judge`. */
export function createAuditor({ readCopy, crawl, toleranceMs = 0 }: AuditorParts): Auditor {
  const robots = createRobotsInForce(readCopy);
  const hosts = new Map<string, Host>();
  const addresses = new Map<string, number>();
  const lanes = new Map<string, AtOnce>();
  let met = 0;
  let forgotten = 0;

  const hostOf = (name: string): Host => {
    const known = hosts.get(name);
    // The one asked longest ago goes first.
    if (known !== undefined) hosts.delete(name);
    else met += 1;
    const host = known ?? { pace: createHostPace(), authorities: new Set() };
    hosts.set(name, host);
    const oldest = hosts.keys().next();
    if (hosts.size > MAX_AUDITED_HOSTS && !oldest.done) {
      hosts.delete(oldest.value);
      forgotten += 1;
    }
    return host;
  };

  /** What the host's files asked for; those of other authorities once another exchange has come after theirs. */
  const askedOf = async (host: Host, own: string, atMs: number, run: RunPromise): Promise<Asked> => {
    const files = [];
    for (const authority of host.authorities) {
      const asks = await robots.asks(authority, run);
      if (asks !== null && (authority === own || asks.sinceMs < (host.pace.lastStartedAtMs ?? 0)))
        files.push(asks.rules);
    }
    return askedBy(files, atMs, run);
  };

  const judgeRequest = async (record: RequestRecord, run: RunPromise | null, part: number): Promise<JudgedRequest> => {
    const violations: Violation[] = [];
    const name = hostNameOf(record, run);
    const find = (kind: ViolationKind, detail: string) =>
      violations.push({ kind, url: record.url, host: name, atMs: record.startedAtMs, detail });
    const host = hostOf(name);
    const { pace } = host;
    const { startedAtMs, endedAtMs } = record;
    const lastEndedMs = pace.lastEndedAtMs;
    const gapMs = lastEndedMs === null ? null : startedAtMs - lastEndedMs;
    if (endedAtMs < startedAtMs) find('log', 'the exchange ends before it begins');
    else if (lastEndedMs !== null && endedAtMs < lastEndedMs && startedAtMs < (pace.lastStartedAtMs ?? 0))
      find('log', 'an exchange stands behind later ones of its host: their order cannot be followed');
    if (gapMs !== null && gapMs < 0)
      find('overlapping', `it began ${-gapMs} ms before the host's last exchange had ended`);
    if (run?.pace.perIp === true && record.remoteAddress !== null) {
      const busyUntilMs = addresses.get(record.remoteAddress) ?? 0;
      if (startedAtMs < busyUntilMs && gapMs !== null && gapMs >= 0)
        find('overlapping', `another host at ${record.remoteAddress} was being asked`);
      addresses.set(record.remoteAddress, Math.max(busyUntilMs, endedAtMs));
      const oldest = addresses.keys().next();
      if (addresses.size > MAX_AUDITED_HOSTS && !oldest.done) addresses.delete(oldest.value);
    }
    if (run === null) {
      find('log', 'no run line stands before it: what was promised is not known');
      return { record, host: name, gapMs, requiredGapMs: null, requiredBy: null, asked: null, pause: null, violations };
    }

    const own = record.robotsAnswer?.authority ?? authorityOf(record.url) ?? '';
    const asked = await askedOf(host, own, startedAtMs, run);
    let earliest: Earliest = pace.earliest(run.pace, asked);
    if (record.purpose === 'robots') {
      const retryAtMs = record.url === `${own}/robots.txt` ? robots.retryAtMs(own) : null;
      if (retryAtMs !== null && retryAtMs > (earliest.atMs ?? 0))
        earliest = { atMs: retryAtMs, reason: 'robots-retry' };
    } else {
      if (asked.closed !== null) find('too-early', asked.closed);
      judgeRules(record, await robots.at(own, startedAtMs, run), find);
    }
    const requiredGapMs =
      earliest.atMs === null || lastEndedMs === null ? null : Math.max(0, earliest.atMs - lastEndedMs);
    if (earliest.atMs !== null && startedAtMs + toleranceMs < earliest.atMs)
      find('too-early', earlyText(earliest.atMs - startedAtMs, earliest.reason, pace.pause));

    if (record.userAgent !== run.userAgent)
      find(
        'wrong-identity',
        `it said ${JSON.stringify(record.userAgent)}, the run is ${JSON.stringify(run.userAgent)}`,
      );
    const together = laneOf(part, record.purpose).add(startedAtMs, endedAtMs);
    if (together > run.concurrency)
      find('too-many-at-once', `${together} requests were under way, ${run.concurrency} were promised`);

    const pause = pace.ended(record, asked);
    if (record.purpose === 'robots') {
      if (!robots.answered(record, run)) find('log', 'a request for robots.txt does not say whose');
      else if (host.authorities.size < MAX_AUTHORITIES_PER_HOST || host.authorities.has(own)) addOwn(own, run);
    } else if (record.status !== null) robots.hostAnswered(own, endedAtMs, run);
    const requiredBy = requiredGapMs === null ? null : earliest.reason;
    return { record, host: name, gapMs, requiredGapMs, requiredBy, asked, pause, violations };
  };

  /** The file belongs to the authority's own host, wherever its redirects led. */
  const addOwn = (authority: string, run: RunPromise) => {
    const record = { url: `${authority}/`, host: '' };
    hosts.get(hostNameOf(record, run))?.authorities.add(authority);
  };

  const laneOf = (part: number, purpose: string): AtOnce => {
    const key = `${part} ${purpose === 'handler' || purpose === 'subresource'}`;
    let lane = lanes.get(key);
    if (lane === undefined) {
      lane = createAtOnce(MAX_AUDITED_TOGETHER);
      lanes.set(key, lane);
    }
    return lane;
  };

  return {
    hosts: () => met,
    forgotten: () => forgotten,
    async judge(entry) {
      if (entry.kind === 'unreadable') {
        const detail = `line ${entry.line} of ${entry.path} cannot be read`;
        return { request: null, violations: [{ kind: 'log', url: null, host: null, atMs: null, detail }] };
      }
      if (entry.kind === 'run') return { request: null, violations: identityFaults(entry.run, crawl) };
      const request = await judgeRequest(entry.record, entry.run, entry.part);
      return { request, violations: request.violations };
    },
  };
}

/** The unit of spacing: the URL's own host name, whatever the log says; by domain what the log says, if it can be. */
function hostNameOf({ url, host }: Pick<RequestRecord, 'url' | 'host'>, run: RunPromise | null): string {
  const name = parseUrl(url)?.hostname.replace(/\.$/, '') ?? host;
  return run?.hostKeyBy === 'domain' && name.endsWith(`.${host}`) && host !== '' ? host : name;
}

function authorityOf(url: string): string | null {
  const read = parseUrl(url);
  if (read === null) return null;
  const { protocol, hostname, port } = read;
  return `${protocol}//${hostname.replace(/\.$/, '')}${port === '' ? '' : `:${port}`}`;
}

/** The audit's own, as everything here is. One attempt: the platform's `canParse` goes wrong of hosts beyond ASCII. */
function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null; // The parser has no other way to say so.
  }
}

type Find = (kind: ViolationKind, detail: string) => void;

/** Whether the file in force let the URL out, and whether the crawl went by that very copy. */
function judgeRules(record: RequestRecord, inForce: InForce, find: Find): void {
  if (inForce.kind === 'unknown') {
    find('before-robots', `${inForce.why} when it was requested`);
    return;
  }
  const named = record.robots?.hash ?? null;
  if (inForce.kind === 'no-copy') {
    find('robots-copy', `whether robots.txt allowed it cannot be shown: ${inForce.why}`);
    return;
  }
  if (inForce.kind === 'deny') find('excluded', 'its robots.txt was refused to us, which the run reads as closed');
  if (inForce.kind === 'rules') {
    const { allowed, line, pattern } = inForce.rules.decide(record.url);
    const by = line === null ? 'the file' : `line ${line}, ${pattern}`;
    if (!allowed) find('excluded', `robots.txt (copy ${inForce.hash}) closes it: ${by}`);
  }
  if (named !== inForce.hash)
    find('robots-copy', `it went by copy ${named ?? '(none)'}, in force was ${inForce.hash ?? '(none)'}`);
}

function earlyText(byMs: number, reason: PaceReason, pause: Pause | null): string {
  const because: Record<PaceReason, string> = {
    interval: "the run's own interval",
    'crawl-delay': "the host's Crawl-delay",
    'request-rate': "the host's Request-rate",
    pause: `a pause until ${pause === null ? '?' : `${new Date(pause.untilMs).toISOString()} (${pause.why})`}`,
    'robots-retry': 'the wait after a robots.txt that could not be had',
  };
  return `it began ${byMs} ms too early for ${because[reason]}`;
}

/** Whether a run says who asks: by the crawl's own name, and where its people can be reached. */
function identityFaults(run: RunPromise, crawl: AuditorParts['crawl']): Violation[] {
  const faults: string[] = [];
  const { userAgent, tokens, name } = run;
  if (!/^[\w-]+\/[\w.+-]+ \(\+[^()]+\)$/.test(userAgent) || !userAgent.startsWith(`${name}/`))
    faults.push(`${JSON.stringify(userAgent)} is not a name with a contact`);
  const absent = tokens.find((token) => !userAgent.toLowerCase().includes(token.toLowerCase()));
  if (absent !== undefined) faults.push(`robots.txt is read for ${absent}, which the User-Agent does not say`);
  if (crawl !== null && (crawl.name !== name || JSON.stringify(crawl.tokens) !== JSON.stringify(tokens)))
    faults.push(`the run is by ${name} (${tokens.join(', ')}), the crawl is ${crawl.name}'s`);
  return faults.map((detail) => ({ kind: 'wrong-identity', url: null, host: null, atMs: run.startedAtMs, detail }));
}
